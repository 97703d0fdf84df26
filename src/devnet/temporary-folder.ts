/** Folders of devnets that nobody asked to keep. Each goes at the end of its run; what a killed run left is removed by the next one. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The number of the process that made it is part of a folder's name. */
const NAME = /^firn-devnet-(\d+)-/;

export interface TemporaryFolder {
  readonly path: string;
  /** May be called again. */
  remove(): void;
}

/** A program that ends without stopping its networks leaves nothing behind either. */
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
      // another user's, or another start was faster
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
