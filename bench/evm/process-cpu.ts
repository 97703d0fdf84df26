import { readFileSync } from "node:fs";

/** User and system time of a running process, from fields 14 and 15 of its stat, in hundredths of a second. */
export function cpuSecondsOf(pid: number): number {
  return cpuSecondsIn(`/proc/${pid}/stat`);
}

/** The same of the process's main thread. */
export function mainThreadSeconds(): number {
  return cpuSecondsIn(`/proc/self/task/${process.pid}/stat`);
}

function cpuSecondsIn(file: string): number {
  const stat = readFileSync(file, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
