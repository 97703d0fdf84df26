/**
 * Collections that are minted in one log (ERC-2309): the log moves a range of IDs, each of them an ERC-721 transfer. A log costs the same
 * for any range, so the number of transfers is bounded twice: by the range that collections and marketplaces allow, and by the gas of the
 * transaction.
 */
import type { EvmLog } from "../../sources/evm/parser/block.ts";
import { ERC721, type Transfer } from "../facts.ts";
import { addressOfWord, eventTopic, numberOfWord, words } from "./log-words.ts";

const CONSECUTIVE_TRANSFER = eventTopic("ConsecutiveTransfer(uint256,uint256,address,address)");
/** most IDs of one log, as in ERC721A and in marketplaces */
const MOST_IDS = 5000n;
/**
 * Gas that the transaction must have used per ID. Creating a collection of 5,000 takes more; a single transfer takes at least about 2,000.
 */
const GAS_PER_ID = 250n;

const NONE: readonly Transfer[] = [];

export function isConsecutiveTransfer({ topics }: EvmLog): boolean {
  return topics[0] === CONSECUTIVE_TRANSFER;
}

/** Most IDs that the ranges of a transaction may move. */
export function consecutiveAllowance(gasUsed: bigint): bigint {
  return gasUsed / GAS_PER_ID;
}

/** Transfers in order of the IDs; empty if the range is too long. @param allowance IDs that the transaction may still move */
export function consecutiveTransfers(log: EvmLog, allowance: bigint): readonly Transfer[] {
  const { address: token, topics, data, index: logIndex } = log;
  const [last] = words(data, 1) ?? [];
  if (topics.length !== 4 || last === undefined) return NONE;
  const [from, to] = [topics[2]!, topics[3]!].map(addressOfWord);
  const first = numberOfWord(topics[1]!);
  const count = numberOfWord(last) - first + 1n;
  if (from === undefined || to === undefined || count < 1n || count > MOST_IDS || count > allowance) return NONE;
  return Array.from({ length: Number(count) }, (_, batchIndex) => {
    return { kind: ERC721, token, from, to, tokenId: first + BigInt(batchIndex), value: 1n, logIndex, batchIndex };
  });
}
