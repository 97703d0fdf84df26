/**
 * Sends the requests of a checkpoint to a server, as far as their answers are comparable. The recorder's own comparison decides whether
 * they are equal.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { StoreReader } from "../../../src/store/store.ts";
import { type Checkpoint, type CheckpointOptions, replay, SECONDS_OF_RECORDING } from "../../conformance/checkpoints.ts";
import { pagesCutInsideBlock } from "../../conformance/cut-pages.ts";
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
  const { text, requests, compared, leftOut } = await comparablePart(checkpoint, isSigned, pick);
  const scratch = mkdtempSync(join(tmpdir(), "firn-checkpoint-"));
  const part = join(scratch, "checkpoint.json");
  writeFileSync(part, text);
  try {
    // the recorder took some seconds: what depends on the clock was asked in one of them
    for (let second = 0n; ; second++) {
      const differences: string[] = [];
      const differing = new Set<number>();
      const options = { log: (line: string) => differences.push(line), maxShown: MOST_SHOWN };
      await replay(server, part, options, { onDifference: (index) => differing.add(index) });
      for (const index of await pagesCutInsideBlock(requests, differing, server.url, server.store)) differing.delete(index);
      if (differing.size === 0) return { compared, leftOut, failed: 0, differences: [] };
      if (second === SECONDS_OF_RECORDING || !server.tick()) return { compared, leftOut, failed: differing.size, differences };
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

interface JsonObject {
  get(name: string): unknown;
  with(name: string, value: unknown): JsonObject;
}

/** The recorder's JSON: numbers keep their digits. */
interface LosslessJson {
  parse(text: string): JsonObject;
  stringify(value: unknown): string;
}

async function comparablePart(checkpoint: Checkpoint, isSigned: boolean, pick: CheckpointOptions["pick"]) {
  const { file } = checkpoint;
  const { parse, stringify } = (await import(new URL("../../conformance/recorder/src/json.js", import.meta.url).href)) as LosslessJson;
  const raw = readFileSync(file);
  const whole = parse((file.endsWith(".gz") ? gunzipSync(raw) : raw).toString());
  const leftOut = new Map<string, number>();
  const picked = pick?.(JSON.parse(stringify(whole)).requests, checkpoint);
  const entries = (whole.get("requests") as JsonObject[]).filter((entry, index) => {
    if (picked !== undefined && !picked.has(index)) return false;
    const reason = reasonToLeaveOut(entry.get("path") as string, { isSigned });
    if (reason !== undefined) leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
    return reason === undefined;
  });
  const text = stringify(whole.with("requests", entries));
  return { text, requests: JSON.parse(text).requests, compared: entries.length, leftOut };
}
