/** Servers whose explorer is looked at. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServeOptions } from "../../src/serve/serve-options.ts";
import { type Checkpoint, checkpointsOf, importUntil } from "../conformance/checkpoints.ts";
import { type RecordingName, recordingFolder } from "../conformance/recordings.ts";
import { serveHere } from "../serve/serve-here.ts";

/** How many things of a kind are looked at. `FIRN_EXPLORER_SAMPLES=3` looks at more than there is time for in `npm test`. */
export const SAMPLES = Number(process.env.FIRN_EXPLORER_SAMPLES ?? 1);

export interface World {
  readonly url: string;
  stop(): Promise<void>;
}

/** A folder with a whole recording as a store. It is removed with the others of the run. */
export async function importedWorld(name: RecordingName): Promise<string> {
  const folder = recordingFolder(name);
  const directory = mkdtempSync(join(process.env.FIRN_TEST_STORES ?? tmpdir(), "world-"));
  // other tests import the large one in the same way, so it is there already
  const level = name === "scale-1" ? "full" : "replay";
  await importUntil(folder, directory, lastCheckpoint(folder)?.heights ?? {}, level);
  return directory;
}

/** A whole recording, served at the time of its last checkpoint. */
export async function recordedWorld(name: RecordingName, options: Partial<ServeOptions> = {}): Promise<World> {
  const directory = await importedWorld(name);
  const last = lastCheckpoint(recordingFolder(name));
  const serving = await serveHere(directory, { ...(last && { time: last.recordedAt }), ...options });
  return {
    url: serving.url.replace(/\/$/, ""),
    async stop() {
      await serving.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** undefined for recordings that have none */
function lastCheckpoint(folder: string): Checkpoint | undefined {
  return checkpointsOf(folder).at(-1);
}

/** What the API answers, for comparison with what the screen shows. */
export async function ask<T>(world: { readonly url: string }, path: string): Promise<T> {
  const response = await fetch(`${world.url}${path}`);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
