/** The child of an earlier run that was killed: remembered in a file, and ended if it still runs. */
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

const CHECK_EVERY_MS = 20;

/** @param mark what the command line of nobody else's process has */
export async function endOrphan(pidFile: string, mark: string): Promise<boolean> {
  const pid = Number(await readFile(pidFile, "utf8").catch(() => ""));
  await rm(pidFile, { force: true });
  if (!Number.isSafeInteger(pid) || pid <= 1 || !(await commandLine(pid)).includes(mark)) return false;
  process.kill(pid, "SIGKILL");
  while ((await commandLine(pid)).includes(mark)) await delay(CHECK_EVERY_MS);
  return true;
}

export function rememberChild(pidFile: string, pid: number): Promise<void> {
  return writeFile(pidFile, `${pid}\n`);
}

/** Empty if there is no such process: process IDs are used again, so one alone tells nothing. */
async function commandLine(pid: number): Promise<string> {
  if (process.platform === "linux") {
    const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    return text.replaceAll("\0", " ");
  }
  const listed = await promisify(execFile)("ps", ["-ww", "-o", "command=", "-p", `${pid}`]).catch(() => ({ stdout: "" }));
  return listed.stdout;
}
