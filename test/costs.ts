/** FIRN_TEST_COSTS names a file that gets a line for each test file: CPU seconds of its process, and of the processes that it waited for. */
import { appendFileSync, readFileSync } from "node:fs";

const path = process.env.FIRN_TEST_COSTS;

interface Cost {
  readonly own: number;
  readonly children: number;
}

/** Of this process so far; on Linux alone also of its children. */
function spent(): Cost {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  if (process.platform !== "linux") return { own, children: 0 };
  const stat = readFileSync("/proc/self/stat", "utf8");
  // after the name of the program, which may have blanks: cutime and cstime, in hundredths
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { own, children: (Number(fields[13]) + Number(fields[14])) / 100 };
}

/** Test files share a process. */
const shared = globalThis as { firnTestCost?: Cost };

export function noteCost(file: string): void {
  if (path === undefined) return;
  const before = shared.firnTestCost ?? { own: 0, children: 0 };
  const now = spent();
  shared.firnTestCost = now;
  appendFileSync(path, `${(now.own - before.own).toFixed(1)} ${(now.children - before.children).toFixed(1)} ${file}\n`);
}
