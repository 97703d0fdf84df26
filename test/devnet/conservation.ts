/**
 * All AVAX of a running devnet, in wei: what lies on P and X, is at stake or on balances of L1 validators, is on its way between chains, is in
 * accounts of the EVM, and what was burned, less what was minted as rewards. Nothing that anybody does changes this sum.
 */
import { evmChain } from "../../src/atomic/tables.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { DevelopmentEvm } from "../../src/evm-node/development-evm.ts";
import { type AvaxTotal, storedAvax, totalOf } from "../faults/avax-total.ts";

/** Nothing may be issued meanwhile. */
export async function avaxOf({ store, network, evm }: Devnet): Promise<AvaxTotal> {
  const stored = await storedAvax(store, network.avaxAssetId);
  if (!(evm instanceof DevelopmentEvm)) return totalOf(stored);
  const { height } = (await store.get(evmChain, { chainId: network.cChainId }))!;
  let gas = 0n;
  for (let number = 1n; number <= height; number++) {
    const block = (await evm.request("eth_getBlockByNumber", [`0x${number.toString(16)}`, false])) as Record<string, string>;
    gas += BigInt(block.baseFeePerGas!) * BigInt(block.gasUsed!);
  }
  return totalOf({ ...stored, C: await evm.totalBalance(), gas });
}
