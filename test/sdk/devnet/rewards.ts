/** The P-chain's decisions about stakers that left. */
import type { Anything } from "../wallet.ts";
import type { World } from "./world.ts";

/** Of the last ones, newest first: the transaction that had added each, and whether its reward was paid. */
export async function lastRewards({ wallet }: World, count: number): Promise<{ txId: string; status: string }[]> {
  const platform: Anything = wallet.rpc.P;
  const decided: { txId: string; status: string }[] = [];
  const { height } = await platform.callRpc("getHeight", {});
  for (let at = BigInt(height); at > 0n && decided.length < count; at--) {
    const { block } = await platform.callRpc("getBlockByHeight", { height: `${at}`, encoding: "json" });
    const reward = block.tx;
    if (reward === undefined) continue;
    const { status } = await platform.getTxStatus({ txID: reward.id });
    decided.push({ txId: reward.unsignedTx.txID, status });
  }
  return decided;
}
