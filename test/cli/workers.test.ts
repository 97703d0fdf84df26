/** Several serving processes, started as people start them. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { close, listen } from "../../src/server/listen.ts";
import { importUntil } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { listeningUrl } from "../server/listening-url.ts";
import { scratchDirectory } from "../store/scratch.ts";

const firn = fileURLToPath(new URL("../../bin/firn", import.meta.url));
// Not one of those that are removed after each test
const directory = mkdtempSync(join(tmpdir(), "firn-workers-"));
const serveArgs = (...more: string[]) => [firn, "serve", "--data-dir", directory, "--log-level", "error", ...more];
let child: ChildProcess;
let url: string;

beforeAll(async () => {
  await importUntil(recordingFolder("x-dag"), directory, {}, "replay");
  child = spawn(process.execPath, serveArgs("--http-port", "0", "--workers", "2"), { stdio: ["ignore", "pipe", "ignore"] });
  url = await listeningUrl(child);
});
afterAll(() => {
  child?.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true });
});

/** A connection that was handed to a process in the instant of its death is never answered: clients give up and ask again. */
const PATIENCE_MS = 3000;

/** Each on a connection of its own, which the processes take in turn. */
async function ask(path: string, method: string): Promise<string> {
  const headers = { "content-type": "application/json", connection: "close" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method });
  const response = await fetch(url + path, { method: "POST", headers, body, signal: AbortSignal.timeout(PATIENCE_MS) });
  expect(response.headers.get("firn-height-x")).toBe("3");
  return response.text();
}

/** Process IDs of those that answer requests. */
async function workerIds(): Promise<Set<number>> {
  const response = await fetch(`${url}/ext/metrics`, { headers: { connection: "close" }, signal: AbortSignal.timeout(PATIENCE_MS) });
  const text = await response.text();
  return new Set([...text.matchAll(/firn_process_uptime_seconds\{process="worker (\d+)"\}/g)].map(([, id]) => Number(id)));
}

describe("two workers", () => {
  test("give the same answers and are one node", async () => {
    const answersOf = async (path: string, method: string) =>
      new Set(await Promise.all(Array.from({ length: 8 }, () => ask(path, method))));
    expect(await answersOf("/ext/bc/X", "avm.getHeight")).toEqual(new Set(['{"jsonrpc":"2.0","result":{"height":"3"},"id":1}\n']));
    expect((await answersOf("/ext/info", "info.getNodeID")).size).toBe(1);
    expect((await answersOf("/ext/health", "health.health")).size).toBe(1);
    expect((await workerIds()).size).toBe(2);
  });

  test("count requests together", async () => {
    const text = await (await fetch(`${url}/ext/metrics`)).text();
    expect(text).toContain('firn_rpc_requests_total{method="avm.getHeight",outcome="success"} 8\n');
  });

  test("stay two: one that is killed is replaced, and meanwhile the other answers", async () => {
    const [killed, other] = await workerIds();
    process.kill(killed!, "SIGKILL");
    // What the killed one had taken is lost, the next is answered
    const answer = await ask("/ext/bc/X", "avm.getHeight").catch(() => ask("/ext/bc/X", "avm.getHeight"));
    expect(answer).toContain('"height":"3"');
    const askAgain = () => workerIds().catch(() => new Set<number>());
    let ids = await askAgain();
    while (ids.size < 2 || ids.has(killed!)) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      ids = await askAgain();
    }
    expect(ids.has(other!)).toBe(true);
    expect(await ask("/ext/bc/X", "avm.getHeight")).toContain('"height":"3"');
  });

  test("end together, with exit code 0, when the first process is told to", async () => {
    const ids = await workerIds();
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    for (const id of ids) expect(() => process.kill(id, 0)).toThrow("ESRCH");
  });
});

describe("what cannot be served is told in one line", () => {
  const failure = (args: readonly string[]) => {
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    return { status, stderr };
  };

  test("a taken port, by one process or two", async () => {
    const server = createServer();
    const { port } = await listen(server, "127.0.0.1", 0);
    for (const workers of ["1", "2"]) {
      expect(failure(serveArgs("--http-port", `${port}`, "--workers", workers))).toEqual({
        status: 1,
        stderr: `firn: port ${port} on 127.0.0.1 is taken; stop what listens there or use another --http-port\n`,
      });
    }
    await close(server);
  });

  test("a folder that is none, or holds no store", () => {
    const file = join(scratchDirectory(), "file");
    writeFileSync(file, "");
    for (const folder of [file, scratchDirectory(), join(file, "below")]) {
      const { status, stderr } = failure([firn, "serve", "--data-dir", folder, "--http-port", "0", "--log-level", "error"]);
      expect([status, stderr]).toEqual([1, expect.stringMatching(/^firn: [^\n]+\n$/)]);
      expect(stderr).toContain(folder);
    }
  });
});
