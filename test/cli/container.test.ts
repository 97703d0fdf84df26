/** Checks the Dockerfile and the CI job that uses its image, as far as possible without a container engine. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { configNames, environmentName } from "../../src/cli/config.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { FirnProcess } from "./firn.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, "utf8");
/** Instructions, with continued lines joined. */
const instructions = read("Dockerfile")
  .replaceAll(/\\\n\s*/g, "")
  .split("\n")
  .filter((line) => /^[A-Z]/.test(line))
  .map((line) => ({ name: line.slice(0, line.indexOf(" ")), words: line.split(/\s+/).slice(1), text: line }));
const environment = Object.fromEntries(
  instructions.filter(({ name }) => name === "ENV").flatMap(({ words }) => words.map((word) => word.split("=") as [string, string])),
);
const [, healthCheck] = /CMD (\[.*\])$/.exec(instructions.find(({ name }) => name === "HEALTHCHECK")!.text)!;

/** Exit code of the image's health check. */
function health(port: string): number | null {
  const [command, ...args] = JSON.parse(healthCheck!) as string[];
  return spawnSync(command!, args, { env: { ...process.env, FIRN_HTTP_PORT: port } }).status;
}

function healthStatus(port: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, path: "/ext/health", headers: { host } }, (response) => resolve(response.resume().statusCode));
    asked.on("error", reject).end();
  });
}

describe("the Dockerfile", () => {
  test("copies what is there and what .dockerignore lets through", () => {
    const passed = read(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    const copied = instructions
      .filter(({ name, words }) => name === "COPY" && !words[0]!.startsWith("--from"))
      .flatMap(({ words }) => words.slice(0, -1));
    expect(copied.length).toBeGreaterThan(4);
    expect([...copied].sort()).toEqual([...passed].sort());
    for (const path of copied) expect(existsSync(`${root}${path}`), path).toBe(true);
  });

  test("sets nothing that Firn does not know", () => {
    const known = new Set(configNames().map(environmentName));
    const names = Object.keys(environment).filter((name) => name.startsWith("FIRN_"));
    expect(names.length).toBeGreaterThan(2);
    for (const name of names) expect(known.has(name), name).toBe(true);
  });

  test("starts a network that other containers reach by a name, and whose health check follows it", async () => {
    const [command] = instructions
      .filter(({ name }) => name === "CMD")
      .map(({ text }) => JSON.parse(text.slice("CMD ".length)) as string[]);
    const settings = { ...environment, FIRN_DATA_DIR: scratchDirectory(), FIRN_HTTP_PORT: "0" };
    const devnet = new FirnProcess([...command!, "--json"], { environment: settings });
    const [, port = ""] = await devnet.printed(/"url":"http:\/\/[^"]+:(\d+)"/);
    // red while the C-chain's EVM starts
    await expect.poll(() => healthStatus(port, "avalanche:9650")).toBe(200);
    expect(health(port)).toBe(0);
    expect(await devnet.end("SIGTERM")).toBe(0);
    expect(health(port)).toBe(1);
  });
});

test("the requests of the GitHub-Actions example are answered", async () => {
  const bodies = [...read("examples/github-actions.yml").matchAll(/\$AVALANCHE_URL(\S+)" \\\n\s+-d '([^']+)'/g)];
  expect(bodies.length).toBeGreaterThan(0);
  const devnet = new FirnProcess(["devnet", "--http-port", "0", "--json"]);
  const [, url] = await devnet.printed(/"url":"([^"]+)"/);
  for (const [, path, body] of bodies) {
    const response = await fetch(`${url}${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: body! });
    expect(await response.json()).toHaveProperty("result");
  }
  await devnet.end();
});
