/**
 * Checks the current holdings of an EVM chain against the newest balances and the owners of NFTs, and checks the undo records of blocks.
 */

import type { Row } from "../../base/table/table.ts";
import { ERC721 } from "../../evm/facts.ts";
import { changesThatUndo } from "../../evm/index/block-writer.ts";
import { evmBalances, evmHoldings, evmNfts, evmUndo } from "../../evm/index/tables.ts";
import { type StoreReader, scanAll } from "../../store/store.ts";
import type { Problems } from "./problems.ts";

type Balance = Row<typeof evmBalances>;

export async function verifyHoldings(reader: StoreReader, chain: number, problems: Problems, signal: AbortSignal): Promise<void> {
  let newest: Balance | undefined;
  let holdings = 0;
  for await (const row of scanAll(reader, evmBalances, { chain })) {
    if (signal.aborted) return;
    if (newest !== undefined && nameOf(newest.key) !== nameOf(row.key)) holdings += await checkHolding(reader, newest, problems);
    newest = row;
  }
  if (newest !== undefined) holdings += await checkHolding(reader, newest, problems);
  for await (const { key, value } of scanAll(reader, evmNfts, { chain })) {
    if (signal.aborted) return;
    if (value.owner === undefined) continue;
    const { token, tokenId } = key;
    const holding = await reader.get(evmHoldings, { chain, holder: value.owner, kind: ERC721, token, tokenId });
    if (holding?.balance !== 1n) problems.add(`NFT ${BigInt(`0x${tokenId}`)} of ${token} is not among what its owner ${value.owner} holds`);
    holdings++;
  }
  let found = 0;
  for await (const _ of scanAll(reader, evmHoldings, { chain })) found++;
  if (found !== holdings) problems.add(`EVM chain ${chain} has ${found} holdings, but ${holdings} follow from balances and owners`);
  for await (const { key, value } of scanAll(reader, evmUndo, { chain })) checkUndo(key.height, value.changes, problems);
}

/** Returns the number of holdings: one, or none if the balance is zero. */
async function checkHolding(reader: StoreReader, { key, value: { balance } }: Balance, problems: Problems): Promise<number> {
  const { height: _, ...holding } = key;
  const found = await reader.get(evmHoldings, holding);
  if ((found?.balance ?? 0n) !== balance) {
    problems.add(`${key.holder} holds ${found?.balance ?? 0n} of token ${key.token}, but its newest balance is ${balance}`);
  }
  return balance === 0n ? 0 : 1;
}

function nameOf({ holder, kind, token, tokenId }: Balance["key"]): string {
  return `${holder}${kind}${token}${tokenId}`;
}

function checkUndo(height: bigint, record: Uint8Array, problems: Problems): void {
  try {
    changesThatUndo(record);
  } catch (error) {
    problems.add(`the undo record of block ${height} cannot be read: ${(error as Error).message}`);
  }
}
