/**
 * What the C-chain charges since Helicon, beyond the gas that the child counts: it refunds nothing, and takes at least half of a transaction's
 * gas limit (libevm's `afterGasRefund` with the rules of the C-chain). The child cannot be told so. The rest is taken from the balances after
 * the block, and it is what receipts show.
 */
import { ReadTraces } from "../../../sources/evm/parser/trace-block.ts";
import type { BlockAnswers } from "../block-answers.ts";
import { EvmDownError } from "../evm-error.ts";
import { type BlockJson, toHex } from "../header.ts";
import type { JsonRpcClient } from "../json-rpc-client.ts";

/** Gas that is charged beyond what the child counted, by the transaction's position in its block. */
export type AddedGas = ReadonlyMap<number, bigint>;

export interface ReceiptJson {
  readonly blockNumber: string;
  readonly transactionIndex: string;
  readonly transactionHash: string;
  readonly from: string;
  readonly status: string;
  readonly gasUsed: string;
  readonly cumulativeGasUsed: string;
  readonly effectiveGasPrice: string;
}

/** As in a block with whole transactions. */
export interface TransactionJson {
  readonly hash: string;
  readonly from: string;
  readonly gas: string;
  readonly value: string;
  /** of a transaction without `maxFeePerGas`, what it pays at most */
  readonly gasPrice?: string;
  readonly maxFeePerGas?: string;
}

/** The outermost call of a transaction. */
interface OwnCall {
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
}

/** As `trace_block` has it. */
interface TraceJson {
  readonly transactionHash?: string | null;
  readonly traceAddress: readonly number[];
  readonly action: { readonly gas?: string };
  readonly result?: { readonly gasUsed?: string } | null;
}

/** The share of the gas limit that is charged at least: one of so many parts, rounded up (`Lambda`). */
const PARTS = 2n;

export function addedGas({ block, receipts, traces }: BlockAnswers): AddedGas {
  const { transactions } = block as { readonly transactions: readonly TransactionJson[] };
  const ownCalls = ownCallsIn(traces);
  const added = new Map<number, bigint>();
  for (const [index, receipt] of (receipts as readonly ReceiptJson[]).entries()) {
    const limit = BigInt(transactions[index]!.gas);
    const least = (limit + PARTS - 1n) / PARTS;
    const used = usedGas(receipt, limit, ownCalls.get(receipt.transactionHash));
    const more = (used > least ? used : least) - BigInt(receipt.gasUsed);
    if (more > 0n) added.set(index, more);
  }
  return added;
}

/**
 * Without refunds. The outermost call was given what the limit leaves after the intrinsic gas, and a trace counts no refunds. A transaction
 * that failed has none.
 * @param call undefined: it was not traced, so a refund is not known
 */
function usedGas({ status, gasUsed }: ReceiptJson, limit: bigint, call: OwnCall | undefined): bigint {
  return status === "0x0" || call === undefined ? BigInt(gasUsed) : limit - call.gasLimit + call.gasUsed;
}

/** By the transaction's hash. */
function ownCallsIn(traces: unknown): ReadonlyMap<string, OwnCall> {
  const calls = new Map<string, OwnCall>();
  if (traces instanceof ReadTraces) {
    for (const trace of traces.transactions)
      if (trace?.transactionHash !== undefined) calls.set(`0x${trace.transactionHash}`, trace.frames[0]!);
    return calls;
  }
  for (const { transactionHash, traceAddress, action, result } of traces as readonly TraceJson[]) {
    if (traceAddress.length > 0 || !transactionHash || !action.gas || !result?.gasUsed) continue;
    calls.set(transactionHash, { gasLimit: BigInt(action.gas), gasUsed: BigInt(result.gasUsed) });
  }
  return calls;
}

/**
 * Takes the added gas from its senders' balances at the price of their transactions: the base fee is burned, the rest is the block's
 * recipient's, as of all gas. If a sender cannot pay, nothing is taken; returns that sender.
 */
export async function charge(rpc: JsonRpcClient, block: BlockJson, receipts: readonly ReceiptJson[], added: AddedGas) {
  const baseFee = BigInt(block.baseFeePerGas as string);
  const flows = new Map<string, bigint>();
  const flow = (address: string, wei: bigint) => flows.set(address, (flows.get(address) ?? 0n) + wei);
  for (const [index, gas] of added) {
    const receipt = receipts[index];
    if (receipt === undefined) throw new EvmDownError(`block ${BigInt(block.number)} of ${rpc.name} has no transaction ${index} to charge`);
    const price = BigInt(receipt.effectiveGasPrice);
    flow(receipt.from, -gas * price);
    flow(block.miner as string, gas * (price - baseFee));
  }
  const moved = [...flows].filter(([, wei]) => wei !== 0n);
  const balances = await balancesOf(
    rpc,
    moved.map(([address]) => address),
    "latest",
  );
  const after = moved.map(([address, wei], at) => ({ address, balance: balances[at]! + wei }));
  const poor = after.findLast(({ balance }) => balance < 0n);
  if (poor !== undefined) return poor.address;
  for (const { address, balance } of after) await rpc.call("anvil_setBalance", address, toHex(balance));
  return undefined;
}

/** @param at a block's number or name */
export async function balancesOf(rpc: JsonRpcClient, addresses: readonly string[], at: string): Promise<bigint[]> {
  if (addresses.length === 0) return [];
  const balances = await rpc.callAll(addresses.map((address) => ({ method: "eth_getBalance", params: [address, at] })));
  return balances.map((balance) => BigInt(balance as string));
}
