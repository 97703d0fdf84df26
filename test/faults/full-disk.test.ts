/** A follower whose disk becomes full says so, keeps its last commit, and goes on by itself once there is room. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { platformChain } from "../../src/chains/platform/tables.ts";
import { openStore } from "../../src/store/open.ts";
import { FirnProcess, run } from "../cli/firn.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { ReplayNode } from "../sources/upstream/replay-node.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { requireReplayed } from "./replayed-rows.ts";

const firn = fileURLToPath(new URL("../../bin/firn", import.meta.url));
/** against hanging only: a follower tries again after as long as it has failed, at most 5 minutes */
const WAIT_MS = 400_000;

test("a follower on a full disk says so, keeps its last commit, and goes on without a restart", {
  timeout: 3 * WAIT_MS,
}, async (context) => {
  const directory = scratchDirectory();
  const mount = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", directory], { encoding: "utf8" });
  if (mount.status !== 0) context.skip(`a small disk cannot be mounted here: ${mount.stderr || mount.error}`);
  const node = await ReplayNode.start({ recording: recordingFolder("latest-1"), released: { P: 2n } });
  const ballast = join(directory, "ballast");
  const flags = ["--network", join(recordingFolder("latest-1"), "network.json"), "--upstream", node.url, "--batch-blocks", "10"];
  const height = async () => {
    const store = await openStore({ directory, mode: "read" });
    try {
      return (await store.get(platformChain, { slot: 0 }))?.height;
    } finally {
      await store.close();
    }
  };
  try {
    const follower = new FirnProcess(["ingest", ...flags, "--data-dir", directory]);
    await follower.printed(/^following into/);
    await expect.poll(height).toBe(2n);

    const { bavail, bsize } = statfsSync(directory);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - 400 * 1024));
    node.release(node.lastHeights);
    await expect.poll(() => follower.error).toMatch(/Stopped ingesting the network.*/);
    await expect.poll(() => run(["status", "--data-dir", directory]).output).toMatch(/cannot grow/);
    expect(follower.error).toMatch(/cannot grow \(its disk has \d+ bytes left, .*free space on its disk: the store is intact/);
    expect(follower.error).not.toMatch(/\n +at |Commit failed|"stack"/);
    expect(await height()).toBeLessThan(node.lastHeights.P);

    rmSync(ballast);
    await expect.poll(height).toBe(node.lastHeights.P);
    await expect.poll(() => run(["status", "--data-dir", directory]).output).not.toMatch(/cannot grow/);
    expect(await follower.end("SIGTERM")).toBe(0);
    expect(await requireReplayed(directory, scratchDirectory())).toBeGreaterThan(0);
  } finally {
    await node.stop();
    spawnSync("umount", ["-l", directory]);
  }
});

// LMDB finds this limit itself, and reports some failed writes into memory that is too short for them: on demand, therefore
test.skipIf(!process.env.FIRN_FILE_LIMIT)(
  "a follower that the system refuses to write for lives on with the last commit, and one without the limit continues there",
  {
    timeout: 3 * WAIT_MS,
  },
  async () => {
    const directory = scratchDirectory();
    const recording = recordingFolder("latest-1");
    const node = await ReplayNode.start({ recording, released: { P: 2n } });
    node.release(node.lastHeights);
    const flags = ["ingest", "--network", join(recording, "network.json"), "--upstream", node.url, "--data-dir", directory];
    // in units of 1024 bytes; writes beyond are refused as on a disk or with a quota that is full
    const limited = spawn("bash", ["-c", 'ulimit -f 1500; exec "$0" "$@"', process.execPath, firn, ...flags, "--batch-blocks", "10"], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const ended = once(limited, "close");
    let error = "";
    limited.stderr.on("data", (chunk) => (error += chunk));
    try {
      await expect.poll(() => error).toMatch(/the store is intact.*Stopped ingesting the network; trying again/);
      // at the second attempt it has lived through the first failure
      await expect.poll(() => error.split("Stopped ingesting the network; trying again").length).toBeGreaterThan(2);
      expect(error).not.toContain("Commit failed");
      limited.kill("SIGKILL");
      await ended;
      const follower = new FirnProcess(flags);
      await expect
        .poll(() => run(["status", "--data-dir", directory]).output)
        .toContain(`P ${node.lastHeights.P}, X ${node.lastHeights.X}, C ${node.lastHeights.C}`);
      expect(await follower.end("SIGTERM")).toBe(0);
      expect(await requireReplayed(directory, scratchDirectory())).toBeGreaterThan(0);
    } finally {
      limited.kill("SIGKILL");
      await node.stop();
    }
  },
);
