import { readFileSync } from "node:fs";

/** User and system time of a running process, from fields 14 and 15 of its stat, in hundredths of a second. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
