/** What no header proves of a block, in one value for each kind: nodes that say the same have the same. */
import { createHash } from "node:crypto";
import type { EvmBlock } from "../block.ts";

export interface UnprovenContent {
  /** what the header does not prove, but for the call traces; undefined: it proves all of that */
  readonly rest: string | undefined;
  /** undefined: there are no traces, or not of all transactions */
  readonly traces: string | undefined;
}

/**
 * Headers of the C-chain since Helicon have the receipts of earlier blocks.
 * @param isProven whether the block has the hash of its header
 */
export function unprovenContent({ transactions, ...header }: EvmBlock, isProven: boolean): UnprovenContent {
  const isWholly = isProven && header.extraFields.settledHeight === undefined;
  const { hasTraces, untraced, ...fields } = header;
  return {
    rest: isWholly ? undefined : digestOf([fields, transactions.map(({ frames: _, ...transaction }) => transaction)]),
    traces: hasTraces && untraced.length === 0 ? digestOf(transactions.map(({ frames }) => frames)) : undefined,
  };
}

/** completes "the … of block 5"; undefined: they say the same, as far as both say something */
export function differenceOf(a: UnprovenContent, b: UnprovenContent): "receipts" | "call traces" | undefined {
  if (a.rest !== undefined && b.rest !== undefined && a.rest !== b.rest) return "receipts";
  return a.traces !== undefined && b.traces !== undefined && a.traces !== b.traces ? "call traces" : undefined;
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(textOf(value)).digest("base64");
}

function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  if (typeof value !== "object" || value === null) return String(value);
  return `{${Object.entries(value)
    .map(([name, each]) => `${name}:${textOf(each)}`)
    .join()}}`;
}
