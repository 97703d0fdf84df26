/**
 * Reads transfers of the three token standards from logs, including unusual forms. A log that does not have exactly the form (another
 * length, dirty address words, arrays that ABI encoders do not write) is not a transfer. If the form leaves it open whether a token is
 * fungible, the contract's class decides.
 */
import type { Address, EvmLog } from "../../sources/evm/parser/block.ts";
import { ERC20, ERC721, ERC1155, type TokenClass, type Transfer } from "../facts.ts";
import { isConsecutiveTransfer } from "./consecutive-logs.ts";
import { addressOfWord, allWords, eventTopic, numberOfWord, words, ZERO_ADDRESS } from "./log-words.ts";
import { wrappedChange } from "./wrapped-logs.ts";

const TRANSFER = eventTopic("Transfer(address,address,uint256)");
const TRANSFER_SINGLE = eventTopic("TransferSingle(address,address,address,uint256,uint256)");
const TRANSFER_BATCH = eventTopic("TransferBatch(address,address,address,uint256[],uint256[])");

const NONE: readonly Transfer[] = [];
/** where the two arrays of a batch's data begin */
const BATCH_HEAD_BYTES = 64n;

/** Whether `decodeBlock` reads the log: it may be a transfer, or move the balances of a wrapped token. */
export function isTokenLog(log: EvmLog): boolean {
  const [topic] = log.topics;
  const isTransfer = topic === TRANSFER || topic === TRANSFER_SINGLE || topic === TRANSFER_BATCH;
  return isTransfer || isConsecutiveTransfer(log) || wrappedChange(log) !== undefined;
}

/** Whether only the contract can say if the log is a transfer of an NFT, of an amount, or none. */
export function isDoubtfulTransfer({ topics, data }: EvmLog): boolean {
  if (topics[0] !== TRANSFER) return false;
  return (topics.length === 4 && data.length === 0) || (topics.length === 1 && data.length === 96);
}

/** The ID in a four-topic transfer that is not a burn. */
export function loggedId({ topics }: EvmLog): bigint | undefined {
  const isBurn = topics.length === 4 && addressOfWord(topics[2]!) === ZERO_ADDRESS;
  return topics[0] === TRANSFER && topics.length === 4 && !isBurn ? numberOfWord(topics[3]!) : undefined;
}

/** In the order of the batch. @param tokenClass class of the log's contract; undefined: not asked */
export function transfersOf(log: EvmLog, tokenClass: TokenClass | undefined): readonly Transfer[] {
  switch (log.topics[0]) {
    case TRANSFER:
      return transfer(log, tokenClass);
    case TRANSFER_SINGLE:
      return log.topics.length === 4 ? transferSingle(log) : NONE;
    case TRANSFER_BATCH:
      return log.topics.length === 4 ? transferBatch(log) : NONE;
    default:
      return NONE;
  }
}

function transfer(log: EvmLog, tokenClass: TokenClass | undefined): readonly Transfer[] {
  const { topics, data } = log;
  if (topics.length === 3) return ofParties(log, topics[1], topics[2], words(data, 1)?.[0], ERC20);
  if (topics.length === 4 && data.length === 0) {
    return ofParties(log, topics[1], topics[2], topics[3], tokenClass?.kind === ERC20 ? ERC20 : ERC721);
  }
  const kind = tokenClass?.kind;
  if (topics.length !== 1 || (kind !== ERC20 && kind !== ERC721)) return NONE;
  const [from, to, amount] = words(data, 3) ?? [];
  return ofParties(log, from, to, amount, kind);
}

function ofParties(
  log: EvmLog,
  fromWord: string | undefined,
  toWord: string | undefined,
  amountOrId: string | undefined,
  kind: typeof ERC20 | typeof ERC721,
): readonly Transfer[] {
  if (fromWord === undefined || toWord === undefined || amountOrId === undefined) return NONE;
  const from = addressOfWord(fromWord);
  const to = addressOfWord(toWord);
  if (from === undefined || to === undefined) return NONE;
  const number = numberOfWord(amountOrId);
  const what = kind === ERC20 ? { tokenId: 0n, value: number } : { tokenId: number, value: 1n };
  return [{ kind, token: log.address, from, to, ...what, logIndex: log.index, batchIndex: 0 }];
}

function transferSingle(log: EvmLog): readonly Transfer[] {
  const parties = partiesOf(log);
  const [tokenId, value] = words(log.data, 2) ?? [];
  if (parties === undefined || tokenId === undefined || value === undefined) return NONE;
  return [multiTransfer(log, parties, tokenId, value, 0)];
}

function transferBatch(log: EvmLog): readonly Transfer[] {
  const parties = partiesOf(log);
  const data = allWords(log.data);
  if (parties === undefined || data === undefined || data.length < 4 || data.length % 2 !== 0) return NONE;
  const count = (data.length - 4) / 2;
  const head = [BATCH_HEAD_BYTES, BATCH_HEAD_BYTES + 32n * BigInt(count + 1), BigInt(count)];
  const secondLength = data[3 + count]!;
  const isPlain = head.every((expected, at) => numberOfWord(data[at]!) === expected) && numberOfWord(secondLength) === BigInt(count);
  if (!isPlain) return NONE;
  return Array.from({ length: count }, (_, at) => multiTransfer(log, parties, data[3 + at]!, data[4 + count + at]!, at));
}

/** The operator is checked like the others, though it is not shown. */
function partiesOf({ topics }: EvmLog): { from: Address; to: Address } | undefined {
  const [operator, from, to] = [topics[1]!, topics[2]!, topics[3]!].map(addressOfWord);
  return operator === undefined || from === undefined || to === undefined ? undefined : { from, to };
}

function multiTransfer(log: EvmLog, parties: { from: Address; to: Address }, id: string, value: string, batchIndex: number): Transfer {
  return {
    kind: ERC1155,
    token: log.address,
    ...parties,
    tokenId: numberOfWord(id),
    value: numberOfWord(value),
    logIndex: log.index,
    batchIndex,
  };
}
