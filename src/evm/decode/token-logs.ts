/**
 * Reads transfers of the three token standards from logs, including unusual forms. A log that does not have exactly the form (another
 * length, dirty address words, arrays that ABI encoders do not write) is not a transfer. If the form leaves it open whether a token is
 * fungible, the contract's class decides.
 */
import { keccak256 } from "../../base/bytes/hash.ts";
import type { Address, EvmLog, Hash } from "../../sources/evm/parser/block.ts";
import { type BalanceChange, ERC20, ERC721, ERC1155, type TokenClass, type Transfer } from "../facts.ts";

const CONSECUTIVE_TRANSFER = eventTopic("ConsecutiveTransfer(uint256,uint256,address,address)");
/** most IDs of one log, as in ERC721A and in marketplaces */
const MOST_IDS = 5000n;
/**
 * Gas that the transaction must have used per ID. Creating a collection of 5,000 takes more; a single transfer takes at least about 2,000.
 */
const GAS_PER_ID = 250n;

/**
 * Collections that are minted in one log (ERC-2309): the log moves a range of IDs, each of them an ERC-721 transfer. A log costs the same
 * for any range, so the number of transfers is bounded twice: by the range that collections and marketplaces allow, and by the gas of the
 * transaction.
 */
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

const WORD_BYTES = 32;
/** an address is the last 20 bytes of a word, after zeros */
const ADDRESS_PADDING = "00".repeat(12);

/** Reads the words of a log strictly: a word that is not an address, or has surplus bytes, is not part of a transfer. */
export const ZERO_ADDRESS: Address = "00".repeat(20);

/** Returns the first topic of an event's logs. @param signature `Transfer(address,address,uint256)` */
export function eventTopic(signature: string): Hash {
  return keccak256(Buffer.from(signature)).toString("hex");
}

/** undefined if the bytes before the address are not zero. @param word 64 digits */
export function addressOfWord(word: Hash): Address | undefined {
  return word.startsWith(ADDRESS_PADDING) ? word.slice(ADDRESS_PADDING.length) : undefined;
}

function numberOfWord(word: Hash): bigint {
  return BigInt(`0x${word}`);
}

/** Splits data into words of 64 digits; undefined unless there are exactly `count`. */
export function words(data: Uint8Array, count: number): Hash[] | undefined {
  return data.length === count * WORD_BYTES ? allWords(data) : undefined;
}

/** undefined if the last word is not complete */
function allWords(data: Uint8Array): Hash[] | undefined {
  if (data.length % WORD_BYTES !== 0) return undefined;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const found: Hash[] = [];
  for (let at = 0; at < bytes.length; at += WORD_BYTES) found.push(bytes.toString("hex", at, at + WORD_BYTES));
  return found;
}

// Deposits and withdrawals of wrapped native tokens (WETH9's events). They change balances, but are not transfers.

const DEPOSIT = eventTopic("Deposit(address,uint256)");
const WITHDRAWAL = eventTopic("Withdrawal(address,uint256)");

/** Undefined: the log has another form. Many contracts have such events; only a contract's class says whether they move balances. */
export function wrappedChange({ address, topics, data }: EvmLog): BalanceChange | undefined {
  const isDeposit = topics[0] === DEPOSIT;
  if (topics.length !== 2 || !(isDeposit || topics[0] === WITHDRAWAL)) return undefined;
  const holder = addressOfWord(topics[1]!);
  const [amount] = words(data, 1) ?? [];
  if (holder === undefined || amount === undefined) return undefined;
  const value = numberOfWord(amount);
  return { token: address, holder, change: isDeposit ? value : -value };
}

/**
 * Drops changes that a transfer in the same transaction already shows: some wrapped tokens also emit a Transfer from or to the zero
 * address. Changes and transfers are paired one to one, by contract, holder and amount.
 */
export function withoutTransfers(changes: readonly BalanceChange[], transfers: readonly Transfer[]): readonly BalanceChange[] {
  if (changes.length === 0) return changes;
  const told = new Map<string, number>();
  for (const { kind, token, from, to, value } of transfers) {
    if (kind !== ERC20) continue;
    if (from === ZERO_ADDRESS) count(told, `${token}${to}${value}`, 1);
    if (to === ZERO_ADDRESS) count(told, `${token}${from}${-value}`, 1);
  }
  return changes.filter(({ token, holder, change }) => {
    const name = `${token}${holder}${change}`;
    const isTold = (told.get(name) ?? 0) > 0;
    if (isTold) count(told, name, -1);
    return !isTold;
  });
}

function count(counts: Map<string, number>, name: string, change: number): void {
  counts.set(name, (counts.get(name) ?? 0) + change);
}

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
