/**
 * The expected total balance of all C-chain accounts: genesis plus imports, less exports and the base fee of all gas, and the balance of the
 * account that only edits change.
 */
import { type CChainBlock, parseCChainBlock } from "../../../src/chains/atomic/block.ts";
import { cChainGenesis } from "../../../src/devnet/anvil/chains/c-chain-genesis.ts";
import { evmAddedGas, evmEdits } from "../../../src/devnet/anvil/tables.ts";
import { blocks } from "../../../src/index/tables.ts";
import { scanAll } from "../../../src/store/store.ts";
import { type EvmNetwork, WEI_PER_NAVAX } from "./evm-network.ts";

export async function expectedSupply({ devnet: { network, store } }: EvmNetwork): Promise<bigint> {
  let edited = 0n;
  let supply = cChainGenesis(network).supply;
  for await (const { value: stored } of scanAll(store, blocks, { chainId: network.cChainId })) {
    const block = parseCChainBlock(stored.bytes, 0n);
    supply += atomicFlow(block) * WEI_PER_NAVAX - block.baseFee! * block.gasUsed;
    for await (const { value } of scanAll(store, evmAddedGas, { chainId: network.cChainId, height: block.height })) {
      supply -= block.baseFee! * value.gas;
    }
  }
  for await (const { value } of scanAll(store, evmEdits, { chainId: network.cChainId })) {
    if (value.kind === 0) edited = BigInt(`0x${Buffer.from(value.data).toString("hex")}`);
  }
  return supply + edited;
}

/** nAVAX */
function atomicFlow({ atomicTxs }: CChainBlock): bigint {
  const sum = (entries: readonly { readonly amount: bigint }[]) => entries.reduce((total, { amount }) => total + amount, 0n);
  return atomicTxs.reduce(
    (flow, { unsigned }) => flow + (unsigned.kind === "ImportTx" ? sum(unsigned.outputs) : -sum(unsigned.inputs)),
    0n,
  );
}
