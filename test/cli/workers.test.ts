/** Several serving processes, started from the command line. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { close, listen } from "../../src/http/listen.ts";
import { importUntil } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { eventually } from "../patience.ts";
import { listeningUrl } from "../serve/listening-url.ts";
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

/**
 * A connection that was handed to a process in the instant of its death is never answered: clients give up and ask again.
 */
// biome-ignore lint/plugin: whoever gave up too early on a slow machine asks again
const patience = () => AbortSignal.timeout(60_000);

/** Each on a connection of its own, which either process may take. */
async function ask(path: string, method: string): Promise<string> {
  const headers = { "content-type": "application/json", connection: "close" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method });
  const response = await fetch(url + path, { method: "POST", headers, body, signal: patience() });
  expect(response.headers.get("firn-height-x")).toBe("3");
  return response.text();
}

/** Of the workers that answered the first process in time. */
async function metrics(): Promise<string> {
  const response = await fetch(`${url}/ext/metrics`, { headers: { connection: "close" }, signal: patience() });
  return response.text();
}

/** Process IDs of the two that answer requests. */
async function workerIds(gone?: number): Promise<readonly number[]> {
  return eventually(async () => {
    const text = await metrics().catch(() => "");
    const ids = [...text.matchAll(/firn_process_uptime_seconds\{process="worker (\d+)"\}/g)].map(([, id]) => Number(id));
    return ids.length === 2 && ids.every((id) => id !== gone) && ids;
  });
}

function isThere(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

describe("two workers", () => {
  test("give the same answers and are one node", async () => {
    const answersOf = async (path: string, method: string) =>
      new Set(await Promise.all(Array.from({ length: 8 }, () => ask(path, method))));
    expect(await answersOf("/ext/bc/X", "avm.getHeight")).toEqual(new Set(['{"jsonrpc":"2.0","result":{"height":"3"},"id":1}\n']));
    expect((await answersOf("/ext/info", "info.getNodeID")).size).toBe(1);
    expect((await answersOf("/ext/health", "health.health")).size).toBe(1);
    await workerIds();
  });

  test("count requests together", async () => {
    await expect.poll(() => metrics()).toContain('firn_rpc_requests_total{method="avm.getHeight",outcome="success"} 8\n');
  });

  test("stay two: one that is killed is replaced, and meanwhile the other answers", async () => {
    const [killed, other] = await workerIds();
    process.kill(killed!, "SIGKILL");
    // on a busy machine the first process learns of it only after a while
    await eventually(() => !isThere(killed!));
    // What the killed one had taken is lost, the next is answered
    const answer = await ask("/ext/bc/X", "avm.getHeight").catch(() => ask("/ext/bc/X", "avm.getHeight"));
    expect(answer).toContain('"height":"3"');
    expect(await workerIds(killed)).toContain(other);
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
        stderr: `firn: port ${port} on 127.0.0.1 is in use; stop the program that listens there, or use another --http-port\n`,
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
