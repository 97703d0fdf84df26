/** The part of a block that no header proves, in one value for each kind: nodes that say the same have the same. */
import { createHash } from "node:crypto";
import type { EvmBlock } from "./parser/block.ts";

export interface UnprovenContent {
  /** what the header does not prove, but for the call traces; undefined: there is nothing of it */
  readonly rest: string | undefined;
  /** undefined: there are no traces, or not of all transactions */
  readonly traces: string | undefined;
}

/** @param isProven whether the block has the hash of its header */
export function unprovenContent({ transactions, hasTraces, untraced, ...header }: EvmBlock, isProven: boolean): UnprovenContent {
  return {
    rest:
      isProven && transactions.length === 0
        ? undefined
        : digestOf(
            isProven ? besideHeader(header, transactions) : [header, transactions.map(({ frames: _, ...transaction }) => transaction)],
          ),
    traces: hasTraces && untraced.length === 0 ? digestOf(transactions.map(({ frames }) => frames)) : undefined,
  };
}

/** Headers of the C-chain since Helicon have the receipts of earlier blocks. A sender follows from its signature, which takes long. */
function besideHeader(
  { extraFields, baseFee }: Pick<EvmBlock, "extraFields" | "baseFee">,
  transactions: EvmBlock["transactions"],
): unknown {
  if (extraFields.settledHeight === undefined) return transactions.map(({ from }) => from);
  return [baseFee, transactions.map(({ frames: _, ...transaction }) => transaction)];
}

/** completes "the … of block 5"; undefined: they say the same, as far as both say something */
export function differenceOf(a: UnprovenContent, b: UnprovenContent): "transactions" | "call traces" | undefined {
  if (a.rest !== undefined && b.rest !== undefined && a.rest !== b.rest) return "transactions";
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
