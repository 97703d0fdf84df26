/**
 * An EVM chain on which one address takes part in everything. It sends each transaction, which gives it four tokens (two coins, a new NFT,
 * an ERC-1155 token) and pays it in an internal transaction; every tenth transaction deploys a contract. The position of every item can be
 * computed, so any page of any list can be requested.
 */

import { keccak256 } from "../../src/base/bytes/hash.ts";
import type { Address, EvmBlock, EvmLog, EvmTransaction } from "../../src/sources/evm/parser/block.ts";

export const TRANSFERS_PER_TRANSACTION = 4;
export const PER_BLOCK = 100;
export const DEPLOYS_EACH = 10;
export const COINS = 500;
export const PIECES = 10_000;
export const CHAIN_ID = 43_112n;
const GENESIS_TIME = 1_700_000_000n;

const numbered = (kind: string, index: number): Address => `${kind}${index.toString(16).padStart(40 - kind.length, "0")}`;

export const BUSY = numbered("b0", 0);
/** the coin in every transaction */
export const BUSIEST_COIN = numbered("c0", 0);
export const COLLECTION = numbered("c7", 0);
export const MULTI_TOKEN = numbered("c1", 0);
const ZERO = "00".repeat(20);

export function coin(index: number): Address {
  return numbered("c0", index);
}

/** The block and index of transaction `n`, counted from 0 in chain order. */
export function placeOf(n: number): { height: bigint; index: number } {
  return { height: 1n + BigInt(Math.floor(n / PER_BLOCK)), index: n % PER_BLOCK };
}

export function timeOf(height: bigint): bigint {
  return GENESIS_TIME + 2n * height;
}

export function blockHash(height: bigint): string {
  return height.toString(16).padStart(64, "b");
}

export function transactionHash(n: number): string {
  return n.toString(16).padStart(64, "a");
}

export function deployed(n: number): Address {
  return numbered("d0", n);
}

/** Blocks from genesis on. */
export function* busyBlocks(transactions: number): Generator<EvmBlock> {
  yield block(0n, []);
  for (let first = 0; first < transactions; first += PER_BLOCK) {
    const count = Math.min(PER_BLOCK, transactions - first);
    yield block(
      placeOf(first).height,
      Array.from({ length: count }, (_, index) => transaction(first + index)),
    );
  }
}

function block(height: bigint, transactions: readonly EvmTransaction[]): EvmBlock {
  return {
    height,
    hash: blockHash(height),
    parentHash: height === 0n ? "00".repeat(32) : blockHash(height - 1n),
    timestamp: timeOf(height),
    timestampMilliseconds: 1000n * timeOf(height),
    minDelayExcess: 7_970_124n,
    gasLimit: 15_000_000n,
    baseFee: 25_000_000_000n,
    gasCost: 0n,
    miner: ZERO,
    extraFields: {},
    extraData: new Uint8Array(),
    transactions,
    hasTraces: true,
    untraced: [],
  };
}

function transaction(n: number): EvmTransaction {
  const { index } = placeOf(n);
  const other = numbered("e0", n % 5000);
  const isDeployment = n % DEPLOYS_EACH === 0;
  const isSender = isDeployment || n % 2 === 0;
  const frame = { type: "CALL" as const, depth: 1, value: 1n, gasLimit: 50_000n, gasUsed: 2_300n, isReverted: false, codeLength: 0 };
  return {
    hash: transactionHash(n),
    index,
    type: 2,
    from: isSender ? BUSY : other,
    to: isDeployment ? undefined : isSender ? other : BUSY,
    created: isDeployment ? deployed(n) : undefined,
    nonce: BigInt(n),
    value: BigInt(n),
    input: Buffer.from("a9059cbb", "hex"),
    gasLimit: 400_000n,
    gasUsed: 180_000n,
    gasPrice: 26_000_000_000n,
    maxFeePerGas: 30_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    isSuccess: true,
    logs: logsOf(n).map((log, i) => ({ ...log, index: TRANSFERS_PER_TRANSACTION * index + i })),
    frames: [{ ...frame, from: other, to: BUSY }],
  };
}

const topic = (event: string) => keccak256(Buffer.from(event)).toString("hex");
const TRANSFER = topic("Transfer(address,address,uint256)");
const TRANSFER_SINGLE = topic("TransferSingle(address,address,address,uint256,uint256)");
const word = (value: bigint | number | Address) => (typeof value === "string" ? value : value.toString(16)).padStart(64, "0");

function logsOf(n: number): Omit<EvmLog, "index">[] {
  const log = (address: Address, topics: readonly string[], data: string) => ({ address, topics, data: Buffer.from(data, "hex") });
  const coinTo = (token: Address) => log(token, [TRANSFER, word(ZERO), word(BUSY)], word(1000 + n));
  return [
    coinTo(BUSIEST_COIN),
    coinTo(coin(1 + (n % (COINS - 1)))),
    log(COLLECTION, [TRANSFER, word(ZERO), word(BUSY), word(n)], ""),
    log(MULTI_TOKEN, [TRANSFER_SINGLE, word(BUSY), word(ZERO), word(BUSY)], word(n % PIECES) + word(1)),
  ];
}
