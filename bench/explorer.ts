/**
 * `npm run bench:explorer -- [--browsers 1000] [--seconds 60]`: what the explorer costs. First the CPU time that a devnet spends on so many
 * open home pages, which poll the overview as the explorer does, each on a connection of its own: while nothing happens, and while a block is
 * committed every half second (without what these blocks cost themselves). Then how soon a browser with a processor four times slower shows
 * the home page (median of 7).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, get } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { hasBrowser, skipReason, startBrowser } from "../test/explorer/chromium.ts";
import { freePort } from "./free-port.ts";
import { cpuMs } from "./resident.ts";

const { values } = parseArgs({ options: { browsers: { type: "string", default: "1000" }, seconds: { type: "string", default: "60" } } });
const browsers = Number(values.browsers);
const seconds = Number(values.seconds);
/** as explorer/src/api/overview.ts */
const [POLL_MS, JITTER_MS] = [6000, 2000];
const BLOCK_MS = 500;
const SLOWER = 4;
const RUNS = 7;

const program = fileURLToPath(new URL("../bin/firn", import.meta.url));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const devnet = spawn(process.execPath, [program, "devnet", "--http-port", `${port}`, "--log-level", "error"], { stdio: "ignore" });
try {
  await answers(devnet);
  console.log(`| ${browsers} home pages for ${seconds} s | polls | CPU of the server, % of a core |\n|---|---:|---:|`);
  for (const isBusy of [false, true]) {
    const without = await share(0, isBusy);
    const polled = await share(browsers, isBusy);
    const state = isBusy ? `a block every ${BLOCK_MS} ms` : "nothing happens";
    console.log(`| ${state} | ${polled.polls} | ${(polled.percent - without.percent).toFixed(1)} |`);
  }
  if (hasBrowser) await firstPaint();
  else console.log(skipReason.trim());
} finally {
  devnet.kill();
  await once(devnet, "exit");
}

async function answers(child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error("firn devnet ended");
    const isUp = await fetch(`${url}/v1/overview`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await pause(100);
  }
}

/** CPU time of the server as a share of the time that passed, with so many open pages. */
async function share(count: number, isBusy: boolean): Promise<{ percent: number; polls: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const until = performance.now() + seconds * 1000;
  let polls = 0;
  const page = async () => {
    // they were opened at different times
    await pause(Math.random() * POLL_MS);
    while (performance.now() < until) {
      await poll(agent);
      polls++;
      await pause(POLL_MS + Math.random() * JITTER_MS);
    }
  };
  const [before, startedAt] = [await cpuMs(devnet.pid!), performance.now()];
  await Promise.all([...Array.from({ length: count }, page), blocks(until, isBusy)]);
  const percent = ((await cpuMs(devnet.pid!)) - before) / (performance.now() - startedAt);
  agent.destroy();
  return { percent: percent * 100, polls };
}

async function blocks(until: number, isBusy: boolean): Promise<void> {
  const params = { address: "0x00000000000000000000000000000000000B0b01", amount: "1" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "firn.fund", params });
  while (performance.now() < until) {
    if (isBusy) await (await fetch(`${url}/ext/firn`, { method: "POST", headers: { "content-type": "application/json" }, body })).text();
    await pause(BLOCK_MS);
  }
}

function poll(agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(`${url}/v1/overview`, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`/v1/overview answered ${response.statusCode}`));
      response.resume().on("end", resolve);
    });
    request.on("error", reject);
  });
}

/** The first paint, and the moment when everything is on the page, in milliseconds after the navigation began. */
async function firstPaint(): Promise<void> {
  const browser = await startBrowser();
  const runs: [paint: number, whole: number][] = [];
  for (let run = 0; run < RUNS; run++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    await page.goto(`${url}/`);
    await page.getByRole("heading", { name: "Funded keys" }).waitFor();
    await page.getByText("account 2").waitFor();
    const whole = await page.evaluate<number>("performance.now()");
    runs.push([await page.evaluate<number>('performance.getEntriesByName("first-contentful-paint")[0].startTime'), whole]);
    await context.close();
  }
  await browser.close();
  const median = (of: 0 | 1) =>
    runs
      .map((run) => run[of])
      .sort((a, b) => a - b)
      [RUNS >> 1]!.toFixed(0);
  console.log(
    `\n| home page, processor ${SLOWER} × slower | ms |\n|---|---:|\n| first contentful paint | ${median(0)} |\n| all of it | ${median(1)} |`,
  );
}
