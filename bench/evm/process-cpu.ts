import { readdirSync, readFileSync } from "node:fs";

/** User and system time of a running process, from fields 14 and 15 of its stat (16 and 17: of children that ended), in hundredths of a second. */
export function cpuSecondsOf(pid: number): number {
  return cpuSecondsIn(`/proc/${pid}/stat`);
}

/** The same of the process's main thread. */
export function mainThreadSeconds(): number {
  return cpuSecondsIn(`/proc/self/task/${process.pid}/stat`);
}

/** Of a running process and its children, those that have ended too. */
export function cpuSecondsWithChildren(pid: number): number {
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
  const running = children.reduce((sum, child) => sum + cpuSecondsOf(Number(child)), 0);
  const own = fieldsOf(`/proc/${pid}/stat`).slice(11, 15).map(Number);
  return running + own.reduce((sum, ticks) => sum + ticks, 0) / 100;
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(fieldsOf(`/proc/${pid}/stat`)[1]);
  } catch {
    return undefined;
  }
}

function cpuSecondsIn(file: string): number {
  const fields = fieldsOf(file);
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** from the third on, after the process's name */
function fieldsOf(file: string): string[] {
  const stat = readFileSync(file, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
