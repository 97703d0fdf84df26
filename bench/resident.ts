/** Resident memory and CPU time of processes, from /proc (Linux). */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { run } from "./load.ts";

async function withChildren(pid: number): Promise<(number | string)[]> {
  return [pid, ...(await run("pgrep", ["-P", `${pid}`]).catch(() => "")).trim().split("\n").filter(Boolean)];
}

/** Of a process and its children. */
export async function residentMb(pid: number): Promise<number> {
  const kilobytes = (await withChildren(pid)).map((process) => {
    const status = readFileSync(`/proc/${process}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
  });
  return Math.round(kilobytes.reduce((sum, value) => sum + value, 0) / 1024);
}

const MS_PER_TICK = 10;

/** Of a process and its children, user and system time since they started. */
export async function cpuMs(pid: number): Promise<number> {
  const ticks = (await withChildren(pid)).map((process) => {
    // the name in brackets may hold spaces; utime and stime are the 14th and 15th field
    const fields = readFileSync(`/proc/${process}/stat`, "latin1").split(") ").at(-1)!.split(" ");
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, value) => sum + value, 0) * MS_PER_TICK;
}

export interface PeakMemory {
  readonly residentMb: number;
  /** without pages of mapped files, which the system takes back when it needs them: the store */
  readonly anonymousMb: number;
}

const SAMPLE_EVERY_MS = 20;

/** The most that a process held until it ended, from samples; throws if it failed. */
export async function peakMemory(child: ChildProcess): Promise<PeakMemory> {
  const peak = { residentKb: 0, anonymousKb: 0 };
  const sampling = setInterval(() => {
    // a process that has ended, and is not yet collected, has no memory in its status
    const status = statusOf(child.pid!);
    const field = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
    peak.residentKb = Math.max(peak.residentKb, field("VmHWM"));
    peak.anonymousKb = Math.max(peak.anonymousKb, field("RssAnon"));
  }, SAMPLE_EVERY_MS);
  const [code] = await once(child, "exit");
  clearInterval(sampling);
  if (code !== 0) throw new Error(`${child.spawnargs.join(" ")} exited with ${code}`);
  return { residentMb: Math.round(peak.residentKb / 1024), anonymousMb: Math.round(peak.anonymousKb / 1024) };
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}
