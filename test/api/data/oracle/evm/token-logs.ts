/** Finds transfers in logs by the rules of the reference (data-api 8.9) and of docs/evm-chains.md, implemented independently. */
import { decodeAbiParameters, encodeAbiParameters, keccak256, toBytes } from "viem";
import type { RawLog } from "./chain-answers.ts";

export type TokenKind = "erc20" | "erc721" | "erc1155";

export interface OracleTransfer {
  readonly kind: TokenKind;
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly tokenId: bigint;
  readonly value: bigint;
  readonly logIndex: number;
}

/** Which ledger a contract keeps, where its logs leave a choice. */
export interface Doubts {
  /** of a Transfer with four topics */
  allIndexed(token: string): Promise<"erc20" | "erc721">;
  /** of a Transfer with one topic; undefined: no token */
  noneIndexed(token: string): Promise<"erc20" | "erc721" | undefined>;
  isWrapped(token: string): Promise<boolean>;
}

const topic = (signature: string) => keccak256(toBytes(signature));
const TRANSFER = topic("Transfer(address,address,uint256)");
const SINGLE = topic("TransferSingle(address,address,address,uint256,uint256)");
const BATCH = topic("TransferBatch(address,address,address,uint256[],uint256[])");
const CONSECUTIVE = topic("ConsecutiveTransfer(uint256,uint256,address,address)");
const DEPOSIT = topic("Deposit(address,uint256)");
const WITHDRAWAL = topic("Withdrawal(address,uint256)");

const ID_LISTS = [{ type: "uint256[]" }, { type: "uint256[]" }] as const;

/** `0x` and 40 digits of a word whose first twelve bytes are zero. */
function addressIn(word: string): string | undefined {
  return /^0x0{24}[0-9a-f]{40}$/.test(word) ? `0x${word.slice(26)}` : undefined;
}

function words(data: string): string[] {
  return (data.slice(2).match(/.{64}/g) ?? []).map((digits) => `0x${digits}`);
}

const lengthOf = (data: string) => (data.length - 2) / 2;

/** @param ranged how many IDs may still move in ranges in the transaction; what moves is taken off */
export async function transfersIn(log: RawLog, doubts: Doubts, ranged: { left: number }): Promise<OracleTransfer[]> {
  const token = log.address.toLowerCase();
  const logIndex = Number(log.logIndex);
  const [event, ...topics] = log.topics;
  if (event === CONSECUTIVE) return consecutive(log, ranged);
  if (event === TRANSFER) {
    const shape = `${topics.length}/${lengthOf(log.data)}`;
    const args = { "2/32": [...topics, log.data], "3/0": topics, "0/96": words(log.data) }[shape];
    const [from, to] = (args ?? []).slice(0, 2).map(addressIn);
    if (args === undefined || from === undefined || to === undefined) return [];
    const kind = shape === "2/32" ? "erc20" : shape === "3/0" ? await doubts.allIndexed(token) : await doubts.noneIndexed(token);
    if (kind === undefined) return [];
    const number = BigInt(args[2]!);
    const what = kind === "erc20" ? { tokenId: 0n, value: number } : { tokenId: number, value: 1n };
    return [{ kind, token, from, to, ...what, logIndex }];
  }
  if ((event !== SINGLE && event !== BATCH) || topics.length !== 3) return [];
  const [operator, from, to] = topics.map(addressIn);
  if (operator === undefined || from === undefined || to === undefined) return [];
  const moved = event === SINGLE ? single(log.data) : batch(log.data);
  return moved.map(([tokenId, value]) => ({ kind: "erc1155", token, from, to, tokenId, value, logIndex }));
}

function consecutive({ address, topics: [, first, fromWord, toWord], data, logIndex }: RawLog, ranged: { left: number }): OracleTransfer[] {
  const [from, to] = [fromWord ?? "", toWord ?? ""].map(addressIn);
  if (from === undefined || to === undefined || lengthOf(data) !== 32) return [];
  const ids: bigint[] = [];
  for (let id = BigInt(first!); id <= BigInt(data); id++) {
    ids.push(id);
    if (ids.length > 5000 || ids.length > ranged.left) return [];
  }
  ranged.left -= ids.length;
  return ids.map((tokenId) => ({ kind: "erc721", token: address.toLowerCase(), from, to, tokenId, value: 1n, logIndex: Number(logIndex) }));
}

function single(data: string): [bigint, bigint][] {
  if (lengthOf(data) !== 64) return [];
  const [id, value] = words(data);
  return [[BigInt(id!), BigInt(value!)]];
}

/** Only as a compiler encodes it. */
function batch(data: string): [bigint, bigint][] {
  try {
    const [ids, values] = decodeAbiParameters(ID_LISTS, data as `0x${string}`);
    if (ids.length !== values.length || encodeAbiParameters(ID_LISTS, [ids, values]) !== data) return [];
    return ids.map((id, i) => [id, values[i]!]);
  } catch {
    return [];
  }
}

export interface WrappedChange {
  readonly token: string;
  readonly holder: string;
  readonly change: bigint;
}

/** `Deposit` and `Withdrawal`, whoever emits them. */
export function wrappedChange(log: RawLog): WrappedChange | undefined {
  const sign = log.topics[0] === DEPOSIT ? 1n : log.topics[0] === WITHDRAWAL ? -1n : 0n;
  const holder = log.topics.length === 2 ? addressIn(log.topics[1]!) : undefined;
  if (sign === 0n || holder === undefined || lengthOf(log.data) !== 32) return undefined;
  return { token: log.address.toLowerCase(), holder, change: sign * BigInt(log.data) };
}
