import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { callsTo } from "../../src/serve/workers/workers.ts";
import { isRunning } from "../faults/devnet-process.ts";
import { scratchDirectory } from "../store/scratch.ts";

test.skipIf(!existsSync("/proc/self/stat"))(
  "a call of a worker that has just died is no error of the process that calls: the worker's exit is told, and counts",
  async () => {
    const file = join(scratchDirectory(), "worker.cjs");
    // its channel breaks at once, before anything of its end can be heard here
    writeFileSync(file, 'process.on("message", () => {}); process.send("ready");');
    const child = fork(file, { stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child, "message");
    const problems: unknown[] = [];
    child.on("error", (error) => problems.push(error));
    const worker = { isConnected: () => child.connected, send: child.send.bind(child), on: child.on.bind(child) };
    const calls = callsTo(worker as never, {} as never);
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    // the event loop, which would tell of the end, does not run until then
    while (isRunning(child.pid!));
    for (let sent = 0; sent < 100; sent++) void calls.stop.asEvent();
    await exited;
    await new Promise(setImmediate);
    expect(problems).toEqual([]);
  },
);
