import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEveryTest } from "../after-every-test.ts";

const made: string[] = [];

afterEveryTest(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** A directory that is gone after the test. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "firn-test-"));
  made.push(directory);
  return directory;
}
