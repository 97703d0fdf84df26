/**
 * Kills imports at random moments and continues them until they are done. After each kill the rows must be what executing the stored blocks
 * again produces; at the end they must equal, row by row, those of an uninterrupted import with other batches.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { delay, stopwatch } from "../patience.ts";
import { randomOf } from "../random.ts";
import { requireReplayed } from "./replayed-rows.ts";
import { firstDifference, storeRows } from "./store-rows.ts";

const firn = fileURLToPath(new URL("../../bin/firn", import.meta.url));
const importInLayers = fileURLToPath(new URL("./import-in-layers.ts", import.meta.url));

export interface KillOptions {
  /** folder, or packed file */
  readonly recording: string;
  /** how often an import is killed */
  readonly count: number;
  readonly seed: number;
  readonly level: "full" | "replay";
  readonly log?: (line: string) => void;
  /** The store catches up in layers of a few pages, which are merged beside the import and at its end. */
  readonly isInLayers?: boolean;
}

export interface KillResult {
  readonly kills: number;
  /** imports that came to their end */
  readonly imports: number;
  /** kills after which the store had grown by some blocks, but was not complete */
  readonly killsAmidst: number;
}

/** Throws if a store differs or an import fails otherwise. */
export async function killImports({ recording, count, seed, level, log = () => {}, isInLayers = false }: KillOptions): Promise<KillResult> {
  const scratch = mkdtempSync(join(tmpdir(), "firn-kill-"));
  const random = randomOf(seed);
  try {
    const reference = join(scratch, "reference");
    const elapsed = stopwatch();
    await finish(start(recording, reference, level, { batchBlocks: 512, isInLayers }));
    const durationMs = elapsed();
    const expected = await storeRows(isInLayers ? await importedPlain(recording, join(scratch, "plain"), level) : reference);
    let [kills, imports, killsAmidst] = [0, 0, 0];
    while (kills < count) {
      const directory = join(scratch, `run-${imports}`);
      for (let isDone = false; !isDone; ) {
        const child = start(recording, directory, level, { batchBlocks: 1 + Math.floor(random() * 8), isInLayers });
        const delayMs = random() * 1.5 * durationMs;
        const ended = child.ended.then(() => true);
        if (kills < count && !(await Promise.race([ended, delay(delayMs)]))) {
          child.process.kill("SIGKILL");
          await ended;
          kills++;
          const rows = await requireReplayed(directory, scratch);
          if (rows > 0 && rows < expected.size) killsAmidst++;
          log(`import: kill ${kills} after ${Math.round(delayMs)} ms: ${rows} of ${expected.size} rows, as its blocks make them`);
        } else {
          await finish(child);
          isDone = true;
        }
      }
      imports++;
      const difference = firstDifference(await storeRows(directory), expected);
      if (difference !== undefined) throw new Error(`seed ${seed}, import ${imports}: ${difference}`);
      rmSync(directory, { recursive: true, force: true });
    }
    return { kills, imports, killsAmidst };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function importedPlain(recording: string, directory: string, level: string): Promise<string> {
  await finish(start(recording, directory, level, { batchBlocks: 512, isInLayers: false }));
  return directory;
}

interface Import {
  readonly process: ChildProcess;
  readonly ended: Promise<unknown>;
  /** what it wrote to its standard error */
  readonly said: Promise<string>;
}

interface StartOptions {
  readonly batchBlocks: number;
  readonly isInLayers: boolean;
}

function start(recording: string, directory: string, level: string, { batchBlocks, isInLayers }: StartOptions): Import {
  const args = isInLayers
    ? ["--import", "tsx", importInLayers, recording, directory, level, `${batchBlocks}`]
    : [firn, "import", recording, "--data-dir", directory, "--level", level, "--batch-blocks", `${batchBlocks}`];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  return { process: child, ended: once(child, "close"), said: text(child.stderr) };
}

async function finish({ process: child, ended, said }: Import): Promise<void> {
  await ended;
  if (child.exitCode !== 0) throw new Error(`an import ended with exit code ${child.exitCode}: ${await said}`);
}
