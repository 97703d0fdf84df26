/** Makes block 0 of the C-chain from the network's genesis: no source has it, so there is no row of it. */

import type { Id } from "../../../base/bytes/id.ts";
import type { TableValue } from "../../../base/table/table.ts";
import { runInTurns, type Work } from "../../../base/work/work.ts";
import { genesisBlocks } from "../../../chains/atomic/genesis-block.ts";
import { parseGenesis } from "../../../chains/platform/genesis/genesis.ts";
import { evmBlocks, evmChains } from "../../../evm/index/tables.ts";
import { evmChainIdOf } from "../../../index/primary/network/blockchain-genesis.ts";
import { C_CHAIN } from "../../../index/primary/primary-chain.ts";
import { primaryBlocks } from "../../../index/primary/transactions/transaction-tables.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import { type StoreReader, scanAll } from "../../../store/store.ts";
import type { DataContext } from "../context.ts";

type BlockRow = TableValue<typeof primaryBlocks>;

interface CChainGenesis {
  readonly evmChainId: bigint;
  /** candidates for block 0, with different hashes */
  readonly rows: readonly BlockRow[];
}

/** Undefined if nothing in the store confirms the hash of the block that the genesis makes. Costs at most three rows. */
export async function cChainGenesisRow({
  reader,
  network,
  work,
}: Pick<DataContext, "reader" | "network" | "work">): Promise<BlockRow | undefined> {
  const { rows, evmChainId } = await cChainGenesis(network, work);
  const hash = (await reader.get(primaryBlocks, { chain: C_CHAIN, height: 1n }))?.parentId ?? (await indexedHash(reader, evmChainId));
  return rows.find(({ blockId }) => blockId === hash);
}

const geneses = new WeakMap<NetworkInstance, CChainGenesis>();

/** Made once, in turns: a genesis may have many accounts. */
async function cChainGenesis(network: NetworkInstance, work: Work): Promise<CChainGenesis> {
  const genesis = geneses.get(network) ?? (await readGenesis(network, work));
  geneses.set(network, genesis);
  return genesis;
}

async function readGenesis(network: NetworkInstance, work: Work): Promise<CChainGenesis> {
  const chain = parseGenesis(network.genesisBytes).chains.find(({ id }) => id === network.cChainId);
  if (chain === undefined) return { evmChainId: 0n, rows: [] };
  const { genesisData } = chain.unsigned;
  const blocks = await runInTurns(work, genesisBlocks(genesisData, network));
  const rows = blocks.map(({ id: blockId, parentId, timestamp, bytes }) => {
    const unknown = { proposer: undefined, state: undefined };
    return { blockId, parentId, timestamp, kind: "Standard", size: bytes.length, firstGroup: 0, txCount: 0, ...unknown };
  });
  return { evmChainId: evmChainIdOf(genesisData), rows };
}

/** The hash in the index of EVM chains, which has a devnet's C-chain before its block 1. */
async function indexedHash(reader: StoreReader, evmChainId: bigint): Promise<Id | undefined> {
  for await (const { key, value } of scanAll(reader, evmChains, {})) {
    if (value.evmChainId === evmChainId) return (await reader.get(evmBlocks, { chain: key.chain, height: 0n }))?.hash;
  }
  return undefined;
}
