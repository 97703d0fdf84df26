import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { unpack } from "./packed.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The recordings of primary networks in the repository. */
export const RECORDINGS = ["latest-1", "eras-1", "p-eras-old", "x-dag", "scale-1", "live-1"] as const;
export type RecordingName = (typeof RECORDINGS)[number];

/** One EVM chain each: the same seeded workload on a C-chain up to Granite, a C-chain with Helicon, and anvil. */
export const EVM_RECORDINGS = ["evm-1", "evm-helicon-1", "evm-anvil-1"] as const;
export type EvmRecordingName = (typeof EVM_RECORDINGS)[number];

/** What a follower sees of live networks: a node's answers, whole. And what public repositories have of mainnet and Fuji. */
type Samples = "live-samples" | "real-items";

/** A folder with the recording's files (unzipped). Environment FIRN_GOLDEN overrides where recordings are taken from. */
export function recordingFolder(name: RecordingName | EvmRecordingName | Samples): string {
  const golden = process.env.FIRN_GOLDEN;
  if (golden !== undefined && existsSync(`${golden}/${name}`)) return `${golden}/${name}`;
  return unpack(`${root}test/recordings/${name}.br`, name, `${root}node_modules/.cache/firn-recordings`);
}
