/**
 * The total AVAX of a running devnet in wei: what is on P and X, staked, in balances of L1 validators, between chains, in EVM accounts, and
 * burned, less the minted rewards. No action may change this sum.
 */
import { evmTips } from "../../src/chains/atomic/tables.ts";
import { DevelopmentEvm } from "../../src/devnet/anvil/development-evm.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { type AvaxTotal, storedAvax, totalOf } from "../faults/avax-total.ts";

/** Nothing may be issued meanwhile. */
export async function avaxOf({ store, network, evm }: Devnet): Promise<AvaxTotal> {
  const stored = await storedAvax(store, network.avaxAssetId);
  if (!(evm instanceof DevelopmentEvm)) return totalOf(stored);
  const { height } = (await store.get(evmTips, { chainId: network.cChainId }))!;
  let gas = 0n;
  for (let number = 1n; number <= height; number++) {
    const height = `0x${number.toString(16)}`;
    const block = (await evm.request("eth_getBlockByNumber", [height, false])) as Record<string, string>;
    const receipts = (await evm.request("eth_getBlockReceipts", [height])) as readonly Record<string, string>[];
    for (const { gasUsed } of receipts) gas += BigInt(block.baseFeePerGas!) * BigInt(gasUsed!);
  }
  return totalOf({ ...stored, C: await evm.totalBalance(), gas });
}
