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
  const children = readdirSync("/proc").flatMap((name) => {
    const fields = fieldsOfRunning(name);
    return fields !== undefined && Number(fields[1]) === pid ? [fields.slice(11, 13)] : [];
  });
  const ticks = [fieldsOf(`/proc/${pid}/stat`).slice(11, 15), ...children].flat();
  return ticks.reduce((sum, text) => sum + Number(text), 0) / 100;
}

/** undefined if it has ended, or is no process */
function fieldsOfRunning(pid: string): string[] | undefined {
  try {
    return /^\d+$/.test(pid) ? fieldsOf(`/proc/${pid}/stat`) : undefined;
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
