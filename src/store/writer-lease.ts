/** Ensures one writer per store: the writing process stores its process ID. The ID of a process that has ended is ignored. */
import { readFileSync } from "node:fs";
import { FirnError } from "../base/errors/errors.ts";
import type { Change, TableValue } from "../base/table/table.ts";
import { storeWriter } from "./tables.ts";

type Lease = TableValue<typeof storeWriter>;

const SLOT = { slot: 0 };

/** The change that takes the lease; throws an error that names the process that holds it. */
export function takeLease(held: Lease | undefined, directory: string): Change[] {
  const own: Lease = { processId: process.pid, startedAt: startOf(process.pid) ?? "" };
  if (held !== undefined && isAlive(held)) {
    throw new FirnError(
      "store-locked",
      `${directory} is being written by process ${held.processId}; stop it first or use another --data-dir`,
      {
        directory,
        processId: held.processId,
      },
    );
  }
  return [{ table: storeWriter, key: SLOT, value: own } as Change];
}

export function giveBackLease(): Change[] {
  return [{ table: storeWriter, key: SLOT, value: undefined } as Change];
}

function isAlive(lease: Lease): boolean {
  const startedAt = startOf(lease.processId);
  return startedAt !== undefined && startedAt === lease.startedAt;
}

/** Distinguishes a process from an earlier one with the same number; undefined if there is no such process. */
function startOf(processId: number): string | undefined {
  try {
    // Linux: field 22 of `stat` is the start time since boot. Field 2 may contain blanks and ends with the last ")".
    const stat = readFileSync(`/proc/${processId}/stat`, "latin1");
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // a zombie: a process that has ended and whose parent has not read its exit code, as happens in containers
    return fields[0] === "Z" ? undefined : `${boot}/${fields[19]}`;
  } catch {
    return process.platform === "linux" ? undefined : isRunning(processId);
  }
}

function isRunning(processId: number): string | undefined {
  try {
    process.kill(processId, 0);
    return "running";
  } catch {
    return undefined;
  }
}
