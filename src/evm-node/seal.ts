/**
 * One block on the child: what atomic transactions do to accounts, then a block of the EVM transactions in its pool. Given the same
 * parent, the same transactions in the same order, time and base fee, the block is the same: that is how the child is rebuilt.
 */
import type { AtomicTx } from "../atomic/tx.ts";
import type { Id } from "../primitives/id.ts";
import { applyTo, readAccounts, touchedBy, writeAccounts } from "./accounts.ts";
import { EvmRequestError } from "./evm-error.ts";
import { type BlockJson, toHex } from "./header.ts";
import type { JsonRpcClient } from "./json-rpc-client.ts";

export interface SealPlan {
  /** Unix seconds */
  readonly timestamp: bigint;
  /** aAVAX per gas */
  readonly baseFee: bigint;
  readonly atomicTxs: readonly AtomicTx[];
  readonly avaxAssetId: Id;
  /** To be sent to the child before, in this order; what its pool has already comes first. */
  readonly transactions?: readonly Uint8Array[];
}

/** Fees go to nobody: as the recipient of tips the C-chain has an account without a key. */
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
  for (const tx of transactions) await rpc.call("eth_sendRawTransaction", `0x${Buffer.from(tx).toString("hex")}`);
  const [block] = (await rpc.call("evm_mine_detailed", { timestamp: Number(timestamp), blocks: 1 })) as [BlockJson];
  // the fee of what is estimated now; Ethereum's rule would move it
  await setBaseFee(rpc, baseFee);
  return block;
}

/** Before the first block of a child: the clock of one that was started from a dump is today's, which may be behind or ahead of the chain. */
export async function prepareToSeal(rpc: JsonRpcClient, parentTimestamp: bigint): Promise<void> {
  await rpc.call("anvil_setTime", Number(parentTimestamp));
  await rpc.call("anvil_setCoinbase", NOBODY);
}

/** Takes back the last block, which nobody has seen. */
export async function unseal(rpc: JsonRpcClient): Promise<void> {
  await rpc.call("anvil_rollback", 1);
}

export async function latestBlock(rpc: JsonRpcClient): Promise<BlockJson> {
  return (await rpc.call("eth_getBlockByNumber", "latest", false)) as BlockJson;
}

/** Signed, as it was sent; for what is in the pool or in a block. */
export async function rawTransaction(rpc: JsonRpcClient, hash: string): Promise<string> {
  const raw = await rpc.call("eth_getRawTransactionByHash", hash);
  if (typeof raw === "string") return raw;
  throw new EvmRequestError("eth_getRawTransactionByHash", { code: 0, message: `the transaction ${hash} is not there` });
}

/** Of the next block, whatever Ethereum's rule says. */
export function setBaseFee(rpc: JsonRpcClient, baseFee: bigint): Promise<unknown> {
  return rpc.call("anvil_setNextBlockBaseFeePerGas", toHex(baseFee));
}
