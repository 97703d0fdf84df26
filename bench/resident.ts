/** Reads resident memory and CPU time of processes from /proc (Linux). */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { run } from "./load.ts";

async function withChildren(pid: number): Promise<(number | string)[]> {
  return [pid, ...(await run("pgrep", ["-P", `${pid}`]).catch(() => "")).trim().split("\n").filter(Boolean)];
}

/** Resident memory of a process and its children. */
export function residentMb(pid: number): Promise<number> {
  return memoryMb(pid, "VmRSS");
}

/** The same without pages of mapped files such as the store, which the system can reclaim. */
export function anonymousMb(pid: number): Promise<number> {
  return memoryMb(pid, "RssAnon");
}

async function memoryMb(pid: number, field: "VmRSS" | "RssAnon"): Promise<number> {
  const kilobytes = (await withChildren(pid)).map((process) => {
    const status = readFileSync(`/proc/${process}/status`, "utf8");
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  });
  return Math.round(kilobytes.reduce((sum, value) => sum + value, 0) / 1024);
}

const MS_PER_TICK = 10;

/** User and system time of a process and its children since their start. */
export async function cpuMs(pid: number): Promise<number> {
  const ticks = (await withChildren(pid)).map((process) => {
    // the name in brackets may contain spaces; utime and stime are fields 14 and 15
    const fields = readFileSync(`/proc/${process}/stat`, "latin1").split(") ").at(-1)!.split(" ");
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, value) => sum + value, 0) * MS_PER_TICK;
}

export interface PeakMemory {
  readonly residentMb: number;
  /** without pages of mapped files such as the store, which the system can reclaim */
  readonly anonymousMb: number;
}

const SAMPLE_EVERY_MS = 20;

/** The peak memory of a process until it ends, from samples; throws if it fails. */
export async function peakMemory(child: ChildProcess): Promise<PeakMemory> {
  const peak = { residentKb: 0, anonymousKb: 0 };
  const sampling = setInterval(() => {
    // a process that has ended and was not yet reaped has no memory in its status
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
