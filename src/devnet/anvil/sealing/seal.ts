/**
 * Seals one block on the child: applies atomic transactions to the accounts, then makes a block of the EVM transactions in its pool. The
 * same parent, transactions, order, time and base fee always give the same block, so the child can be rebuilt.
 */

import type { Id } from "../../../base/bytes/id.ts";
import type { AtomicTx } from "../../../chains/atomic/tx.ts";
import { applyTo, readAccounts, touchedBy, writeAccounts } from "../accounts.ts";
import { EvmRequestError } from "../evm-error.ts";
import { type BlockJson, toHex } from "../header.ts";
import type { JsonRpcClient } from "../json-rpc-client.ts";
import { type SentTransaction, sendToChild } from "../pool/unsigned-transaction.ts";

export interface SealPlan {
  /** Unix seconds */
  readonly timestamp: bigint;
  /** aAVAX per gas */
  readonly baseFee: bigint;
  readonly atomicTxs: readonly AtomicTx[];
  readonly avaxAssetId: Id;
  /** Transactions to send to the child first, in this order; those already in its pool come before them. */
  readonly transactions?: readonly SentTransaction[];
}

/** The recipient of fees: on the C-chain tips go to an account without a key. */
const NOBODY = "0x0100000000000000000000000000000000000000";

export async function sealBlock(rpc: JsonRpcClient, plan: SealPlan): Promise<BlockJson> {
  const { timestamp, baseFee, atomicTxs, avaxAssetId, transactions = [] } = plan;
  if (atomicTxs.length > 0) {
    const before = await readAccounts(rpc, atomicTxs.flatMap(touchedBy));
    const after = new Map(before);
    for (const tx of atomicTxs) applyTo(after, tx, avaxAssetId);
    await writeAccounts(rpc, before, after);
  }
  await setBaseFee(rpc, baseFee);
  for (const transaction of transactions) await sendToChild(rpc, transaction);
  const [block] = (await rpc.call("evm_mine_detailed", { timestamp: Number(timestamp), blocks: 1 })) as [BlockJson];
  // estimates made from now on use this fee; Ethereum's rule would change it
  await setBaseFee(rpc, baseFee);
  return block;
}

/**
 * Call this before a child's first block: after a start from a dump its clock shows the current time, which may be before or after the
 * chain's.
 */
export async function prepareToSeal(rpc: JsonRpcClient, parentTimestamp: bigint): Promise<void> {
  await rpc.call("anvil_setTime", Number(parentTimestamp));
  await rpc.call("anvil_setCoinbase", NOBODY);
}

/** Takes back the last block, which nobody has seen yet. */
export async function unseal(rpc: JsonRpcClient): Promise<void> {
  await rpc.call("anvil_rollback", 1);
}

export async function latestBlock(rpc: JsonRpcClient): Promise<BlockJson> {
  return (await rpc.call("eth_getBlockByNumber", "latest", false)) as BlockJson;
}

/** Returns a signed transaction of the pool or of a block, in network form. */
export async function rawTransaction(rpc: JsonRpcClient, hash: string): Promise<string> {
  const raw = await rpc.call("eth_getRawTransactionByHash", hash);
  if (typeof raw === "string") return raw;
  throw new EvmRequestError("eth_getRawTransactionByHash", { code: 0, message: `the transaction ${hash} is not there` });
}

/** Sets the next block's base fee, overriding Ethereum's rule. */
export function setBaseFee(rpc: JsonRpcClient, baseFee: bigint): Promise<unknown> {
  return rpc.call("anvil_setNextBlockBaseFeePerGas", toHex(baseFee));
}
