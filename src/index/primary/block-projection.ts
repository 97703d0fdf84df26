/** Rows of blocks for the Data API: one by height, one by time, and one by the node that proposed the block. */

import type { Id } from "../../base/bytes/id.ts";
import type { TableValue } from "../../base/table/table.ts";
import { rowKey, type View } from "../../base/table/view.ts";
import { assetVertices } from "../../chains/asset/tables.ts";
import { vertexContents } from "../../chains/asset/vertex.ts";
import type { PlatformFacts } from "../../chains/platform/facts.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { proposerOf } from "../../network/proposervm.ts";
import type { AssetPrimaryFacts, BlockOrigin, EvmPrimaryFacts, PlatformPrimaryFacts, PrimaryFacts } from "./facts.ts";
import { C_CHAIN, P_CHAIN, type PrimaryChain, X_CHAIN } from "./primary-chain.ts";
import type { Projection } from "./projection.ts";
import { grouped } from "./transactions/transaction-order.ts";
import {
  blocksByProposer,
  blocksByTime,
  primaryBlocks,
  primaryVertices,
  transactionGroups,
  transactionVertices,
} from "./transactions/transaction-tables.ts";
import type { TxEffects } from "./transactions/tx-effects.ts";
import { genesisTime } from "./utxos/utxo-effects.ts";
import { countVertex, vertexCountKeys } from "./vertex-ranks.ts";

// Rows of the X-chain's vertices, for the Data API: one per vertex, two that count it, and one for each of its transactions.

/** Instance number of the X-chain. */
const INSTANCE = 0;

const NANOSECONDS = 1_000_000_000n;

export const vertexProjection: Projection = {
  residentTables: [],

  async fetch(view, run, fetch) {
    const vertices = run.flatMap((facts) => (facts.chain === X_CHAIN && facts.facts.vertex ? [facts.facts.vertex] : []));
    await fetch(vertices.map(({ vertexId }) => rowKey(assetVertices, { chain: INSTANCE, vertexId })));
    await fetch(vertices.flatMap(({ vertexId }) => vertexCountKeys({ height: contentsOf(view, vertexId).height, vertexId })));
  },

  project(view, facts, _txs, network) {
    if (facts.chain !== X_CHAIN || facts.facts.vertex === undefined) return;
    const { vertexId, sequence } = facts.facts.vertex;
    const { height, txIds } = contentsOf(view, vertexId);
    const timestamp = vertexTimestamp(facts.acceptedAt, network);
    view.writeUnread(primaryVertices, { height, vertexId }, { sequence, timestamp });
    countVertex(view, { height, vertexId });
    for (const txId of txIds) view.writeUnread(transactionVertices, { txId, sequence }, { vertexId, height, timestamp });
  },
};

function contentsOf(view: View, vertexId: Id) {
  return vertexContents(view.get(assetVertices, { chain: INSTANCE, vertexId })!.bytes);
}

/** Vertices have no time of their own. @param acceptedAt by the source, Unix nanoseconds; 0 if unknown */
function vertexTimestamp(acceptedAt: bigint, network: NetworkInstance): bigint {
  return acceptedAt === 0n ? genesisTime(network) : acceptedAt / NANOSECONDS;
}

type BlockRow = TableValue<typeof primaryBlocks>;
type NewBlock = { readonly height: bigint; readonly row: Omit<BlockRow, "firstGroup" | "txCount"> };
type Proposer = NonNullable<BlockRow["proposer"]>;

/** Must run before the projection of transactions, which advances the groups. */
export const blockProjection: Projection = {
  residentTables: [],

  async fetch() {},

  project(view, facts, txs, network) {
    if (facts.chain === "shared-memory") return;
    let firstGroup = view.get(transactionGroups, { chain: facts.chain })?.next ?? 0;
    for (const { height, row } of blocksOf(facts, network)) {
      const own = transactionsOf(txs, height);
      putBlock(view, facts.chain, height, { ...row, firstGroup, txCount: own.length });
      firstGroup += grouped(own).length;
    }
  },
};

/** Height 0 stands for transactions of genesis and of the DAG, which are in no block. */
function transactionsOf(txs: readonly TxEffects[], height: bigint): TxEffects[] {
  return height === 0n ? [] : txs.filter((tx) => tx.height === height);
}

function putBlock(view: View, chain: PrimaryChain, height: bigint, row: BlockRow): void {
  const { timestamp, proposer } = row;
  view.writeUnread(primaryBlocks, { chain, height }, row);
  view.writeUnread(blocksByTime, { chain, timestamp, height }, {});
  if (proposer?.nodeId !== undefined) view.writeUnread(blocksByProposer, { chain, nodeId: proposer.nodeId, timestamp, height }, {});
}

function blocksOf(facts: Exclude<PrimaryFacts, { chain: "shared-memory" }>, network: NetworkInstance): NewBlock[] {
  switch (facts.chain) {
    case P_CHAIN:
      return platformBlocks(facts);
    case X_CHAIN:
      return assetBlocks(facts, network);
    case C_CHAIN:
      return evmBlocks(facts);
  }
}

function platformBlocks({ facts, origins }: PlatformPrimaryFacts): NewBlock[] {
  const { timestamp } = facts;
  return facts.blocks.map(({ blockId, parentId, kind, height, bytes }, i) => {
    const proposer = proposerRow(blockId, origins[i]?.unwrapped);
    return { height, row: { blockId, parentId, timestamp, kind, size: bytes.length, proposer, state: stateRow(facts) } };
  });
}

function stateRow({ accruedFees, activeL1Validators, supply }: PlatformFacts): BlockRow["state"] {
  return { accruedFees, activeL1Validators, supply };
}

function assetBlocks({ facts, unwrapped }: AssetPrimaryFacts, network: NetworkInstance): NewBlock[] {
  if (facts.block === undefined) return [];
  const { blockId, parentId, height, bytes } = facts.block;
  // The facts of the stop vertex, which makes block 0, have no block time.
  const timestamp = facts.timestamp ?? network.upgrades.times.cortina;
  const proposer = proposerRow(blockId, unwrapped);
  return [{ height, row: { blockId, parentId, timestamp, kind: "StandardBlock", size: bytes.length, proposer, state: undefined } }];
}

/** Only the time of block 0 is known. */
function evmBlocks({ facts, origin }: EvmPrimaryFacts): NewBlock[] {
  if (origin === undefined) return [];
  const { blockId, parentId, height, timestamp } = facts;
  const size = origin.unwrapped.inner.length;
  const proposer = proposerRow(blockId, origin.unwrapped);
  return [{ height, row: { blockId, parentId, timestamp, kind: "Standard", size, proposer, state: undefined } }];
}

/** An option's header names only its parent. */
function proposerRow(blockId: Id, unwrapped: BlockOrigin["unwrapped"] | undefined): Proposer | undefined {
  if (unwrapped?.header === undefined || unwrapped.containerId === blockId) return undefined;
  const { parentId, pChainHeight: platformHeight, timestamp } = unwrapped.header;
  return { containerId: unwrapped.containerId, parentId, nodeId: proposerOf(unwrapped.head), platformHeight, timestamp };
}
