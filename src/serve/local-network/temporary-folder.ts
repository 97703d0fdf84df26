/** Temporary folders of devnets. Each is removed at the end of its run; the next run removes those of killed runs. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder's name contains the ID of the process that made it. */
const NAME = /^firn-devnet-(\d+)-/;

interface TemporaryFolder {
  readonly path: string;
  /** May be called again. */
  remove(): void;
}

/** Folders are also removed if a program ends without stopping its networks. */
const made = new Set<string>();
process.on("exit", () => made.forEach(remove));

export function makeTemporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), `firn-devnet-${process.pid}-`));
  made.add(path);
  return { path, remove: () => remove(path) };
}

function remove(path: string): void {
  made.delete(path);
  rmSync(path, { recursive: true, force: true });
}

export function removeLeftovers(parent = tmpdir()): void {
  for (const name of readdirSync(parent)) {
    const processId = NAME.exec(name)?.[1];
    if (processId === undefined || isRunning(Number(processId))) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // it belongs to another user, or another process has just removed it
    }
  }
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
