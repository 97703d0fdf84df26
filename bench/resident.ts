/** Resident memory of a process and its children, from /proc (Linux). */
import { readFileSync } from "node:fs";
import { run } from "./load.ts";

export async function residentMb(pid: number): Promise<number> {
  const children = (await run("pgrep", ["-P", `${pid}`]).catch(() => "")).trim().split("\n").filter(Boolean);
  const kilobytes = [pid, ...children].map((process) => {
    const status = readFileSync(`/proc/${process}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
  });
  return Math.round(kilobytes.reduce((sum, value) => sum + value, 0) / 1024);
}
