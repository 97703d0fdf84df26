/**
 * `npm run bench:fairness -- [--data-dir DIR] [--only TEXT] [--rounds 3]`: how long others wait while one client asks for much. One
 * connection sends an expensive request; another asks `platform.getHeight` all the time, on one worker. Without a data directory it imports
 * the recording `scale-1`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { formatAddress } from "../src/base/bytes/address.ts";
import { encodeCb58 } from "../src/base/bytes/cb58.ts";
import { recordingFolder } from "../test/conformance/recordings.ts";
import { listeningUrl } from "../test/serve/listening-url.ts";
import { askAll } from "./closed-loop.ts";
import { type LoadRequest, run } from "./load.ts";

const { values } = parseArgs({
  options: { "data-dir": { type: "string" }, only: { type: "string", default: "" }, rounds: { type: "string", default: "3" } },
});
const firn = fileURLToPath(new URL("../bin/firn", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "firn-bench-fairness-"));
const dataDir = values["data-dir"] ?? scratch;

const HRP = "custom";
let made = 0;
const shortId = () => (++made).toString(16).padStart(40, "5a");
const many = <T>(count: number, make: () => T) => Array.from({ length: count }, make);
const bare = () => encodeCb58(Buffer.from(shortId(), "hex"));
const rpc = (path: string, method: string, params: object): LoadRequest => ({
  path,
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
});

/** Each with new addresses, so that nothing is kept. Bodies are just below the limits. */
const CASES: Readonly<Record<string, () => LoadRequest>> = {
  "platform.getBalance, 99,990 addresses": () => rpc("/ext/bc/P", "platform.getBalance", { addresses: many(99_990, bare) }),
  "platform.getStake, 256 addresses": () =>
    rpc("/ext/bc/P", "platform.getStake", { addresses: many(256, () => formatAddress("P", HRP, shortId())) }),
  "platform.getUTXOs, 1,024 addresses": () =>
    rpc("/ext/bc/P", "platform.getUTXOs", { addresses: many(1024, () => formatAddress("P", HRP, shortId())) }),
  "platform.getCurrentValidators": () => rpc("/ext/bc/P", "platform.getCurrentValidators", {}),
  "platform.getCurrentValidators, 90,000 nodes": () =>
    rpc("/ext/bc/P", "platform.getCurrentValidators", { nodeIDs: many(90_000, () => `NodeID-${bare()}`) }),
  "platform.sampleValidators, 60,000": () => rpc("/ext/bc/P", "platform.sampleValidators", { size: 60_000 }),
  "info.peers, 90,000 nodes": () => rpc("/ext/info", "info.peers", { nodeIDs: many(90_000, () => `NodeID-${bare()}`) }),
  "an ID of 4 MB": () => ({
    path: "/ext/bc/P",
    body: JSON.stringify({ jsonrpc: "2.0", id: "< ".repeat(2_000_000), method: "platform.getHeight" }),
  }),
  "Data API, UTXOs of 1,024 addresses": () => ({
    path: "/v1/networks/fuji/blockchains/p-chain/utxos",
    body: JSON.stringify({ addresses: many(1024, () => formatAddress("P", HRP, shortId())).join() }),
  }),
};
const OTHER = rpc("/ext/bc/P", "platform.getHeight", {});

const server = await serve();
const origin = await listeningUrl(server);

async function serve() {
  if (!existsSync(join(dataDir, "store")))
    await run(firn, ["import", recordingFolder("scale-1"), "--data-dir", dataDir, "--level", "replay"]);
  const options = ["serve", "--data-dir", dataDir, "--http-port", "0", "--workers", "1", "--log-level", "error"];
  return spawn(process.execPath, [firn, ...options], { stdio: ["ignore", "pipe", "inherit"] });
}

async function ask({ path, body }: LoadRequest): Promise<number> {
  const askedAt = performance.now();
  const answer = await fetch(origin + path, { method: "POST", body: body!, headers: { "content-type": "application/json" } });
  const text = await answer.text();
  if (answer.status !== 200 || text.includes('"error"')) throw new Error(`${path}: ${answer.status} ${text.slice(0, 200)}`);
  return performance.now() - askedAt;
}

/** Asks again and again on one connection until the work ends. @returns the longest time, in milliseconds */
async function slowestDuring(work: Promise<unknown>): Promise<number> {
  const { hostname, port } = new URL(origin);
  // a socket of its own: what fetch does in this process would be measured too
  const socket = connect(Number(port), hostname).setNoDelay();
  await once(socket, "connect");
  const text = `POST ${OTHER.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${OTHER.body!.length}\r\n\r\n${OTHER.body}`;
  let isOver = false;
  let slowest = 0;
  const over = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const askedAt = performance.now();
    socket.write(text);
    await once(socket, "data");
    slowest = Math.max(slowest, performance.now() - askedAt);
  }
  socket.destroy();
  await over;
  return slowest;
}

try {
  await askAll(origin, OTHER, 2000, false);
  const alone = await slowestDuring(setTimeout(1000));
  console.log(`slowest platform.getHeight in a second without other requests: ${alone.toFixed(1)} ms\n`);
  console.log("| request | it takes, ms | slowest other, ms |\n|---|---:|---:|");
  for (const [name, make] of Object.entries(CASES).filter(([name]) => name.includes(values.only))) {
    const rounds: [number, number][] = [];
    for (let round = 0; round < Number(values.rounds); round++) {
      const request = make();
      await setTimeout(100);
      const asked = ask(request);
      rounds.push([await slowestDuring(asked), await asked]);
    }
    const [slowest, took] = [0, 1].map((part) => Math.max(...rounds.map((times) => times[part]!)));
    console.log(`| ${name} | ${took!.toFixed(0)} | ${slowest!.toFixed(1)} |`);
  }
} finally {
  server.kill("SIGTERM");
  await once(server, "exit");
  rmSync(scratch, { recursive: true, force: true });
}
