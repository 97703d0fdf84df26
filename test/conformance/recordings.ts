import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { unpack } from "./packed.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The recordings in the repository. */
export const RECORDINGS = ["latest-1", "eras-1", "p-eras-old", "x-dag", "scale-1"] as const;
export type RecordingName = (typeof RECORDINGS)[number];

/** A folder with the recording's files (unzipped). Environment FIRN_GOLDEN overrides where recordings are taken from. */
export function recordingFolder(name: RecordingName): string {
  const golden = process.env.FIRN_GOLDEN;
  if (golden !== undefined && existsSync(`${golden}/${name}`)) return `${golden}/${name}`;
  return unpack(`${root}test/recordings/${name}.br`, name, `${root}node_modules/.cache/firn-recordings`);
}
