/**
 * Subnets, their owners over time, and blockchains, in order of creation. Genesis creates the primary network and the P-chain without a
 * transaction. A new subnet or blockchain costs about three rows; other transactions cost none.
 */

import { foldedName, nameKey } from "../../../base/bytes/folded-name.ts";
import { utf8 } from "../../../base/bytes/hex.ts";
import { type Id, nameId, PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { rowKey, type View } from "../../../base/table/view.ts";
import type { AssetFacts } from "../../../chains/asset/facts.ts";
import type { ChainEvent } from "../../../chains/platform/events.ts";
import type { PlatformFacts } from "../../../chains/platform/facts.ts";
import type { OutputOwners } from "../../../chains/platform/owner.ts";
import { P_CHAIN, X_CHAIN } from "../primary-chain.ts";
import type { Projection } from "../projection.ts";
import { evmChainIdOf } from "./blockchain-genesis.ts";
import {
  blockchainCreations,
  blockchains,
  NAME_OF_ASSET,
  NAME_OF_BLOCKCHAIN,
  primaryNames,
  type SubnetInfo,
  SYMBOL_OF_ASSET,
  subnetBlockchains,
  subnetCreations,
  subnetOwners,
  subnets,
} from "./network-tables.ts";

/** Names of blockchains and of the X-chain's assets, for the search. A creation costs up to two rows; other transactions cost none. */
export const nameProjection: Projection = {
  residentTables: [],

  async fetch() {},

  project(view, item) {
    if (item.chain === P_CHAIN) nameBlockchains(view, item.facts);
    if (item.chain === X_CHAIN) nameAssets(view, item.facts);
  },
};

function nameBlockchains(view: View, { events, height: order }: PlatformFacts): void {
  if (order === 0n) putName(view, PLATFORM_CHAIN_NAME, { kind: NAME_OF_BLOCKCHAIN, order, thing: PLATFORM_CHAIN_ID });
  for (const event of events) {
    if (event.kind === "chain-created") putName(view, event.name, { kind: NAME_OF_BLOCKCHAIN, order, thing: event.chainId });
  }
}

function nameAssets(view: View, { genesisTxs, txs }: AssetFacts): void {
  for (const { txId: thing, index: order, tx } of [...genesisTxs, ...txs]) {
    if (tx.unsigned.kind !== "CreateAssetTx") continue;
    putName(view, tx.unsigned.symbol, { kind: SYMBOL_OF_ASSET, order, thing });
    putName(view, tx.unsigned.name, { kind: NAME_OF_ASSET, order, thing });
  }
}

/** @param text bytes as latin1 */
function putName(view: View, text: string, of: { readonly kind: number; readonly order: bigint; readonly thing: Id }): void {
  const folded = foldedName(utf8(text));
  if (folded !== "") view.writeUnread(primaryNames, { name: nameKey(folded), ...of }, {});
}

const NO_OWNER: OutputOwners = { locktime: 0n, threshold: 0, addresses: [] };
const NO_GENESIS = new Uint8Array();
/** No transaction created it. */
const PLATFORM_CHAIN_NAME = "P-Chain";

export const subnetProjection: Projection = {
  residentTables: [],

  async fetch(_view, run, fetch) {
    const touched = run.flatMap((item) => (item.chain === P_CHAIN ? subnetsOf(item.facts) : []));
    await fetch(touched.map((subnetId) => rowKey(subnets, { subnetId })));
  },

  project(view, item) {
    if (item.chain === P_CHAIN) new BlockRows(view, item.facts).write();
  },
};

/** Subnets whose rows change. */
function subnetsOf({ events, height }: PlatformFacts): Id[] {
  const touched = height === 0n ? [PRIMARY_NETWORK_ID] : [];
  for (const event of events) {
    if (event.kind === "chain-created" || event.kind.startsWith("subnet-")) touched.push((event as { subnetId: Id }).subnetId);
  }
  return touched;
}

/** Writes the rows of one block. */
class BlockRows {
  readonly #view: View;
  readonly #facts: PlatformFacts;
  #subnetCount = 0;
  #chainCount = 0;

  constructor(view: View, facts: PlatformFacts) {
    this.#view = view;
    this.#facts = facts;
  }

  write(): void {
    if (this.#facts.height === 0n) {
      this.#addSubnet(PRIMARY_NETWORK_ID, NO_OWNER);
      this.#addChain(
        { chainId: PLATFORM_CHAIN_ID, subnetId: PRIMARY_NETWORK_ID, name: PLATFORM_CHAIN_NAME, vmId: nameId("platformvm") },
        NO_GENESIS,
      );
    }
    for (const event of this.#facts.events) {
      if (event.kind === "subnet-created") this.#addSubnet(event.subnetId, event.owner);
      else if (event.kind === "subnet-owner") {
        this.#updateSubnet(event.subnetId, { owner: event.owner });
        this.#putOwner(event.subnetId, event.owner);
      } else if (event.kind === "subnet-converted") {
        const { subnetId, txId, managerChainId, managerAddress } = event;
        this.#updateSubnet(subnetId, { conversion: { txId, height: this.#facts.height, managerChainId, managerAddress } });
      } else if (event.kind === "chain-created") this.#addChain(event, this.#genesisOf(event.chainId));
    }
  }

  #addSubnet(subnetId: Id, owner: OutputOwners): void {
    const { height, timestamp } = this.#facts;
    this.#view.put(subnets, { subnetId }, { height, timestamp, owner, blockchainCount: 0, conversion: undefined });
    this.#view.put(subnetCreations, { height, place: this.#subnetCount++ }, { subnetId });
    this.#putOwner(subnetId, owner);
  }

  /** If a block sets the owner twice, the last one is kept. */
  #putOwner(subnetId: Id, owner: OutputOwners): void {
    this.#view.put(subnetOwners, { subnetId, height: this.#facts.height }, { owner });
  }

  #updateSubnet(subnetId: Id, members: Partial<SubnetInfo>): void {
    this.#view.put(subnets, { subnetId }, { ...this.#subnet(subnetId), ...members });
  }

  #addChain({ chainId, subnetId, name, vmId }: Omit<ChainEvent, "kind">, genesis: Uint8Array): void {
    const { height, timestamp } = this.#facts;
    const number = this.#subnet(subnetId).blockchainCount;
    this.#view.put(blockchains, { chainId }, { height, timestamp, subnetId, name, vmId, evmChainId: evmChainIdOf(genesis) });
    this.#view.put(blockchainCreations, { height, place: this.#chainCount++ }, { chainId });
    this.#view.put(subnetBlockchains, { subnetId, number }, { chainId });
    this.#updateSubnet(subnetId, { blockchainCount: number + 1 });
  }

  #subnet(subnetId: Id): SubnetInfo {
    const subnet = this.#view.get(subnets, { subnetId });
    if (subnet === undefined) throw new Error(`an event names subnet ${subnetId}, which was never created`);
    return subnet;
  }

  #genesisOf(chainId: Id): Uint8Array {
    return this.#facts.createdChains.find((created) => created.chainId === chainId)!.genesis;
  }
}
