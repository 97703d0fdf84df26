/** What all accounts of C must hold together: genesis, what came in, less what went out and the base fee of all gas. */
import { type EvmBlock, parseEvmBlock } from "../../src/atomic/evm-block.ts";
import { cChainGenesis } from "../../src/evm-node/c-chain-genesis.ts";
import { blocks } from "../../src/index/tables.ts";
import { scanAll } from "../../src/store/store.ts";
import { type EvmNetwork, WEI_PER_NAVAX } from "./evm-network.ts";

export async function expectedSupply({ devnet: { network, store } }: EvmNetwork): Promise<bigint> {
  let supply = cChainGenesis(network).supply;
  for await (const { value } of scanAll(store, blocks, { chainId: network.cChainId })) {
    const block = parseEvmBlock(value.bytes, 0n);
    supply += atomicFlow(block) * WEI_PER_NAVAX - block.baseFee! * block.gasUsed;
  }
  return supply;
}

/** nAVAX */
function atomicFlow({ atomicTxs }: EvmBlock): bigint {
  const sum = (entries: readonly { readonly amount: bigint }[]) => entries.reduce((total, { amount }) => total + amount, 0n);
  return atomicTxs.reduce(
    (flow, { unsigned }) => flow + (unsigned.kind === "ImportTx" ? sum(unsigned.outputs) : -sum(unsigned.inputs)),
    0n,
  );
}
