/** `npm start`, stopped as by people and service managers: with a signal to npm. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const running: number[] = [];

beforeAll(() => {
  // Builds if sources changed
  const { status, stderr } = spawnSync(process.execPath, [`${root}bin/firn`, "--version"], { encoding: "utf8" });
  expect(status, stderr).toBe(0);
});
afterEach(() => {
  for (const pid of running.splice(0)) if (isAlive(pid)) process.kill(pid, "SIGKILL");
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // one that nobody has waited for yet
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** All processes below one: the shell, Firn, the EVM. */
function descendants(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const [, parent] = /\) \S (\d+) /.exec(readFileSync(`/proc/${name}/stat`, "utf8"))!;
      parents.set(Number(name), Number(parent));
    } catch {
      // it ended meanwhile
    }
  }
  const children = [...parents].filter(([, parent]) => parent === pid).map(([child]) => child);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

async function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  let output = "";
  for await (const chunk of child.stdout!) {
    output += chunk;
    const match = pattern.exec(output);
    if (match !== null) return match[0];
  }
  throw new Error(`npm ended: ${output}`);
}

test.skipIf(!existsSync("/proc/self/stat"))("a signal to npm ends the network and its EVM, and frees the port", async () => {
  const npm = spawn("npm", ["start", "--", "--http-port", "0"], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const url = await printed(npm, /http:\/\/127\.0\.0\.1:\d+/);
  const started = descendants(npm.pid!);
  running.push(npm.pid!, ...started);
  expect(started.length).toBeGreaterThanOrEqual(2);
  expect((await fetch(`${url}/ext/health/liveness`)).status).toBe(200);
  npm.kill("SIGTERM");
  await expect.poll(() => [npm.pid!, ...started].filter(isAlive)).toEqual([]);
  await expect(fetch(`${url}/ext/health/liveness`)).rejects.toThrow("fetch failed");
});
