/** Ends the child of an earlier run of Firn that was killed. A file holds its process ID. */
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

const CHECK_EVERY_MS = 20;

/** @param mark text that only this network's child has in its command line */
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

/** Returns an empty text if there is no such process. Process IDs are reused, so the ID alone proves nothing. */
async function commandLine(pid: number): Promise<string> {
  if (process.platform === "linux") {
    const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    return text.replaceAll("\0", " ");
  }
  const listed = await promisify(execFile)("ps", ["-ww", "-o", "command=", "-p", `${pid}`]).catch(() => ({ stdout: "" }));
  return listed.stdout;
}
