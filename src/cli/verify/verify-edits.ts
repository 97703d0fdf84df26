/**
 * Checks what a devnet stores of its EVMs beside their blocks: edits of accounts are numbered without gaps, and they, the senders of
 * unsigned transactions, the gas that was charged beyond what was used and the exponents of the minimum price belong to blocks that are there.
 */

import type { Id } from "../../base/bytes/id.ts";
import { evmAddedGas, evmEdits, evmPriceExponents, evmSenders } from "../../devnet/anvil/tables.ts";
import { blocks } from "../../index/tables.ts";
import { type StoreReader, scanAll } from "../../store/store.ts";
import type { Problems } from "./problems.ts";

const KINDS = 4;

interface Height {
  readonly chainId: Id;
  readonly height: bigint;
}

interface Place extends Height {
  readonly index: number;
}

export async function verifyEdits(reader: StoreReader, problems: Problems, signal: AbortSignal): Promise<void> {
  let last: Place | undefined;
  for await (const { key, value } of scanAll(reader, evmEdits)) {
    if (signal.aborted) return;
    const isNext = last?.chainId === key.chainId && last.height === key.height ? key.index === last.index + 1 : key.index === 0;
    if (!isNext) problems.add(`an edit before edit ${key.index} after block ${key.height} of chain ${key.chainId} is missing`);
    if (value.kind >= KINDS)
      problems.add(`edit ${key.index} after block ${key.height} of chain ${key.chainId} is of an unknown kind ${value.kind}`);
    if (key.height > 0n && key.height !== last?.height) await requireBlock(reader, key, "an edit follows", problems);
    last = key;
  }
  for await (const { key } of scanAll(reader, evmSenders)) {
    if (signal.aborted) return;
    await requireBlock(reader, key, `the sender of transaction ${key.index} is known of`, problems);
  }
  for await (const { key } of scanAll(reader, evmAddedGas)) {
    if (signal.aborted) return;
    await requireBlock(reader, key, `gas was added to transaction ${key.index} of`, problems);
  }
  for await (const { key } of scanAll(reader, evmPriceExponents)) {
    if (signal.aborted) return;
    // genesis is not stored
    if (key.height > 0n) await requireBlock(reader, key, "the minimum price is known of", problems);
  }
}

async function requireBlock(reader: StoreReader, { chainId, height }: Height, what: string, problems: Problems): Promise<void> {
  if ((await reader.get(blocks, { chainId, height })) === undefined)
    problems.add(`${what} block ${height} of chain ${chainId}, which is missing`);
}
