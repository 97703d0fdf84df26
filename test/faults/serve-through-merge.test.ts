/** A server beside a process that catches up in files, is killed, and merges them in the end: it goes on with the merged file by itself. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isCatchingUp } from "../../src/store/open.ts";
import { afterEveryTest } from "../after-every-test.ts";
import { FirnProcess, run } from "../cli/firn.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { drawn } from "../share.ts";
import { scratchDirectory } from "../store/scratch.ts";

const recording = recordingFolder("latest-1");
const script = fileURLToPath(new URL("./import-in-layers.ts", import.meta.url));
const writers: ReturnType<typeof spawn>[] = [];
afterEveryTest(() => {
  for (const writer of writers.splice(0)) writer.kill("SIGKILL");
});

function importInLayers(dataDir: string) {
  const args = ["--import", "tsx", script, recording, dataDir, "replay", "4"];
  const writer = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  writers.push(writer);
  return writer;
}

interface Answer {
  /** what the answer says, and what its header says of the state that it is made from */
  readonly height: string;
  readonly header: string | null;
}

async function heightOf(url: string): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "platform.getHeight", params: {} });
  const headers = { "content-type": "application/json", connection: "close" };
  const response = await fetch(`${url}/ext/P`, { method: "POST", headers, body });
  const { result } = (await response.json()) as { result: { height: string } };
  return { height: result.height, header: response.headers.get("firn-height-p") };
}

test.each(drawn("workers of a server through a merge", ["1", "2"], 1))(
  "a server with %s workers answers from one state at a time while files are written, a writer is killed, and they are merged",
  async (workers) => {
    const dataDir = scratchDirectory();
    expect(run(["import", recording, "--data-dir", dataDir, "--until", "P=36,X=119,C=10", "--level", "replay"]).exitCode).toBe(0);
    const server = new FirnProcess([
      "serve",
      "--data-dir",
      dataDir,
      "--workers",
      workers,
      "--http-port",
      "0",
      "--health-check-frequency",
      "200ms",
    ]);
    const [, url] = await server.printed(/serving (\S+)/);
    const seen: Answer[] = [];
    const ask = async () => {
      seen.push(await heightOf(url!));
      return seen.at(-1)!.height;
    };
    expect(await ask()).toBe("36");
    const killed = importInLayers(dataDir);
    await expect.poll(() => isCatchingUp(dataDir)).toBe(true);
    // the data file stays as it is from then on
    const frozen = await ask();
    killed.kill("SIGKILL");
    await once(killed, "exit");
    seen.length = 0;
    expect(await ask()).toBe(frozen);
    const writer = importInLayers(dataDir);
    const ended = once(writer, "exit");
    let isRunning = true;
    void ended.then(() => (isRunning = false));
    while (isRunning) await ask();
    expect(await ended).toEqual([0, null]);
    const last = /P (\d+)/.exec(run(["status", "--data-dir", dataDir]).output)![1]!;
    expect(Number(last)).toBeGreaterThan(36);
    await expect.poll(ask).toBe(last);
    // each answer and its header are of one state; what one process answered first may be newer than what the other answers
    for (const { height, header } of seen) expect(header).toBe(height);
    expect(new Set(seen.map(({ height }) => height))).toEqual(new Set([frozen, last]));
    expect(await (await fetch(`${url}/ext/health`, { headers: { connection: "close" } })).text()).not.toContain("was replaced");
    expect(await server.end("SIGTERM")).toBe(0);
  },
);
