/**
 * Sends the requests of a checkpoint to a server, as far as their answers are comparable. The recorder's own comparison decides whether
 * they are equal.
 */
import type { StoreReader } from "../../../src/store/store.ts";
import { type Checkpoint, type CheckpointOptions, readCheckpoint, replay, SECONDS_OF_RECORDING } from "../../conformance/checkpoints.ts";
import { type Entry, pagesCutInsideBlock } from "../../conformance/cut-pages.ts";
import { reasonToLeaveOut } from "./comparable.ts";

export interface CheckpointComparison {
  readonly compared: number;
  /** requests by the reason for which they were left out */
  readonly leftOut: ReadonlyMap<string, number>;
  readonly failed: number;
  /** the first of those that failed */
  readonly differences: readonly string[];
}

export interface ComparedServer {
  readonly url: string;
  readonly store: StoreReader;
  /** moves the server's clock by a second; false if it may not go on */
  readonly tick: () => boolean;
}

const MOST_SHOWN = 12;

export async function compareCheckpoint(
  server: ComparedServer,
  checkpoint: Checkpoint,
  { isSigned, pick }: { readonly isSigned: boolean; readonly pick?: CheckpointOptions["pick"] },
): Promise<CheckpointComparison> {
  const requests: readonly Entry[] = readCheckpoint(checkpoint.file).requests;
  const picked = pick?.(requests, checkpoint);
  const leftOut = new Map<string, number>();
  const asked = new Set<number>();
  for (const [index, { path }] of requests.entries()) {
    if (picked !== undefined && !picked.has(index)) continue;
    const reason = reasonToLeaveOut(path, { isSigned });
    if (reason === undefined) asked.add(index);
    else leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
  }
  const compared = asked.size;
  // the recorder took some seconds: what depends on the clock was asked in one of them
  for (let second = 0n; ; second++) {
    const differences: string[] = [];
    const differing = new Set<number>();
    const options = { log: (line: string) => differences.push(line), maxShown: MOST_SHOWN };
    await replay(server, checkpoint.file, options, { asked, onDifference: (index) => differing.add(index) });
    for (const index of await pagesCutInsideBlock(requests, differing, server.url, server.store)) differing.delete(index);
    if (differing.size === 0) return { compared, leftOut, failed: 0, differences: [] };
    if (second === SECONDS_OF_RECORDING || !server.tick()) return { compared, leftOut, failed: differing.size, differences };
  }
}
