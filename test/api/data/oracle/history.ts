/**
 * The whole history of the P-, X- and C-chain of a recording as plain lists, in order. The Data API's answers are recomputed from these
 * with loops over all items: without an index, a store, or keys. Times are Unix seconds, amounts base units.
 */

import type { Id, NodeId, ShortId } from "../../../../src/base/bytes/id.ts";
import { utxoId } from "../../../../src/base/bytes/utxo-id.ts";
import { type Codec, encodeVersioned } from "../../../../src/base/codec/codec.ts";
import type { SignedTx as AssetTx } from "../../../../src/chains/asset/tx/registry.ts";
import type { AtomicTx } from "../../../../src/chains/atomic/tx.ts";
import type { OutputOwners } from "../../../../src/chains/platform/owner.ts";
import type { SignedTx as PlatformTx } from "../../../../src/chains/platform/tx/registry.ts";
import type { TransformSubnetTx } from "../../../../src/chains/platform/tx/transform-subnet.ts";
import type { NetworkInstance } from "../../../../src/network/network.ts";

export type Chain = "P" | "X" | "C";
export type RewardType = "VALIDATOR" | "DELEGATOR" | "VALIDATOR_FEE";

export interface Spent {
  readonly tx: HappenedTx;
  /** among all inputs of the transaction */
  readonly inputIndex: number;
}

export interface Utxo {
  readonly utxoId: Id;
  readonly txId: Id;
  readonly outputIndex: number;
  readonly assetId: Id;
  /** 1 for an NFT, 0 for other outputs that are a right or a thing */
  readonly amount: bigint;
  /** with codec version */
  readonly bytes: Uint8Array;
  /** the codec's name of the output: "TransferOutput", "LockOut", "secp256k1.MintOutput", "nft.TransferOutput" … */
  readonly kind: string;
  readonly addresses: readonly ShortId[];
  readonly threshold: number;
  readonly locktime: bigint;
  readonly stakeableLocktime: bigint | undefined;
  readonly nft: { readonly groupId: number; readonly payload?: Uint8Array } | undefined;
  readonly createdOn: Chain;
  readonly consumedOn: Chain;
  readonly height: bigint;
  readonly time: bigint;
  readonly reward: RewardType | undefined;
  /** whose stake it is or was */
  staker?: Staker;
  spent?: Spent;
}

export interface HappenedTx {
  readonly chain: Chain;
  readonly txId: Id;
  readonly type: string;
  readonly tx: PlatformTx | AssetTx | AtomicTx;
  /** of the block that holds it */
  readonly height: bigint;
  /** undefined for transactions of a vertex and of X's genesis before it */
  readonly blockId: Id | undefined;
  readonly vertices: Vertex[];
  readonly time: bigint;
  readonly consumed: Utxo[];
  /** by index: own, exported and staked outputs, refunds */
  readonly produced: Utxo[];
  /** a reward transaction's payments */
  readonly paid: Utxo[];
  /** the staker that it made, or whose period it ended */
  staker?: Staker;
  readonly l1: L1Change[];
}

/** What a transaction did to an L1 validator: the state after it. */
export interface L1Change {
  readonly validator: L1Validator;
  readonly weight: bigint;
  readonly balance: bigint;
  readonly change: bigint;
}

export interface Block {
  readonly chain: Chain;
  readonly height: bigint;
  readonly blockId: Id;
  readonly parentId: Id;
  readonly kind: string;
  readonly time: bigint;
  readonly txIds: readonly Id[];
  readonly size: number;
  /** undefined for a block that is in no wrapper */
  readonly proposer: Proposer | undefined;
  /** P only: after the block */
  readonly accruedFees?: bigint;
  readonly activeL1Validators?: number;
  readonly supply?: bigint;
}

/** What a wrapper says; an option names its parent only. */
export interface Proposer {
  readonly containerId: Id;
  readonly parentId: Id;
  readonly nodeId: NodeId | undefined;
  readonly pChainHeight: bigint | undefined;
  readonly time: bigint | undefined;
}

export interface Vertex {
  readonly vertexId: Id;
  readonly parentIds: readonly Id[];
  readonly height: bigint;
  readonly time: bigint;
  readonly txIds: readonly Id[];
  readonly size: number;
}

export interface Staker {
  /** the staking transaction */
  readonly tx: HappenedTx;
  readonly role: "validator" | "delegator";
  readonly isPermissioned: boolean;
  readonly isAutoRenewed: boolean;
  readonly nodeId: NodeId;
  readonly subnetId: Id;
  weight: bigint;
  start: bigint;
  end: bigint;
  potentialReward: bigint;
  /** part of delegators' rewards that the validator takes, millionths */
  readonly shares: number | undefined;
  readonly rewardsOwner: OutputOwners | undefined;
  /** a validator's, of its delegators' fees */
  readonly feesOwner: OutputOwners | undefined;
  readonly signer: { readonly publicKey: string; readonly proofOfPossession: Uint8Array } | undefined;
  status: "pending" | "active" | "completed" | "removed";
  /** when it came into the current set */
  activeFrom?: bigint;
  leftAt?: bigint;
  /** it left, and its reward was not granted */
  isForfeited?: boolean;
  /** the reward transaction, or the one that removed it */
  leftBy?: HappenedTx;
  /** of a validator: fees of its delegators that wait for the end of its period */
  owedFees: bigint;
  /** of a delegator: whom it delegates to */
  validator?: Staker;
  /** of an auto-renewed validator: what its next period will be like, and what it restaked */
  renewal: { nextPeriod: bigint; restakedShares: number; validation: bigint; fees: bigint };
  /** what was paid, in order */
  readonly rewards: Reward[];
}

/** `start`: block time of the staking transaction, or of the cycle that ended. */
export interface Reward {
  readonly type: RewardType;
  readonly weight: bigint;
  readonly start: bigint;
  readonly end: bigint;
  readonly utxo: Utxo;
  /** the transaction that paid it */
  readonly tx: HappenedTx;
  readonly staker: Staker;
}

export interface Subnet {
  readonly subnetId: Id;
  readonly height: bigint;
  readonly time: bigint;
  owner: OutputOwners;
  conversion?: { readonly tx: HappenedTx; readonly managerChainId: Id; readonly managerAddress: Uint8Array };
}

export interface Blockchain {
  readonly chainId: Id;
  readonly subnetId: Id;
  readonly name: string;
  readonly vmId: Id;
  readonly genesis: Uint8Array;
  readonly height: bigint;
  readonly time: bigint;
}

export interface L1Validator {
  readonly validationId: Id;
  readonly subnetId: Id;
  readonly nodeId: NodeId;
  readonly publicKey: string;
  readonly startTime: bigint;
  readonly remainingBalanceOwner: { readonly threshold: number; readonly addresses: readonly ShortId[] };
  readonly deactivationOwner: { readonly threshold: number; readonly addresses: readonly ShortId[] };
  /** 0: removed */
  weight: bigint;
  /** what the accrued fees will be when its balance is used up; 0: it is inactive */
  endAccumulatedFee: bigint;
}

export interface Asset {
  readonly assetId: Id;
  readonly name: string;
  readonly symbol: string;
  readonly denomination: number;
  readonly isNft: boolean;
  readonly cap: "fixed" | "variable";
  readonly time: bigint;
}

/** An output as any of the chains' codecs gives it. */
export interface AnyOutput {
  readonly kind: string;
  readonly amount?: bigint;
  readonly locktime: bigint;
  readonly threshold?: number;
  readonly addresses?: readonly ShortId[];
  readonly output?: AnyOutput;
  readonly groupId?: number;
  readonly payload?: Uint8Array;
}

export interface NewUtxo {
  readonly txId: Id;
  readonly outputIndex: number;
  readonly assetId: Id;
  readonly output: AnyOutput;
}

export class History {
  readonly network: NetworkInstance;
  readonly utxos: Utxo[] = [];
  /** those of them that are rewards */
  readonly rewards: Utxo[] = [];
  readonly txs: HappenedTx[] = [];
  readonly blocks: Block[] = [];
  readonly vertices: Vertex[] = [];
  readonly stakers: Staker[] = [];
  readonly subnets: Subnet[] = [];
  readonly blockchains: Blockchain[] = [];
  readonly l1Validators: L1Validator[] = [];
  readonly assets: Asset[] = [];
  /** of P: Unix seconds, fees accrued for one L1 validator, supplies by subnet, height */
  time = 0n;
  accruedFees = 0n;
  readonly supplies = new Map<Id, bigint>();
  height = 0n;
  /** elastic subnets' rules */
  readonly transformations = new Map<Id, TransformSubnetTx>();
  /** how each chain writes its UTXOs */
  readonly utxoCodecs: Record<Chain, Codec<NewUtxo>>;
  /** inputs of other chains that were consumed before their output was seen */
  readonly #early = new Map<Id, Spent>();

  constructor(network: NetworkInstance, utxoCodecs: Record<Chain, Codec<NewUtxo>>) {
    this.network = network;
    this.utxoCodecs = utxoCodecs;
  }

  utxo(id: Id): Utxo | undefined {
    return this.utxos.find((utxo) => utxo.utxoId === id);
  }

  tx(txId: Id): HappenedTx | undefined {
    return this.txs.find((tx) => tx.txId === txId);
  }

  chainOf(chainId: Id): Chain {
    const { xChainId, cChainId } = this.network;
    return chainId === xChainId ? "X" : chainId === cChainId ? "C" : "P";
  }

  addTx(fields: Pick<HappenedTx, "chain" | "txId" | "type" | "tx" | "height" | "blockId" | "time">): HappenedTx {
    const tx = { ...fields, vertices: [], consumed: [], produced: [], paid: [], l1: [] };
    this.txs.push(tx);
    return tx;
  }

  addUtxo(
    { txId, outputIndex, assetId, output }: NewUtxo,
    place: Pick<Utxo, "createdOn" | "consumedOn" | "height" | "time"> & { reward?: RewardType },
  ): Utxo {
    const inner = output.kind === "LockOut" ? output.output! : output;
    const utxo: Utxo = {
      ...{ reward: undefined, ...place },
      utxoId: utxoId(txId, outputIndex),
      ...{ txId, outputIndex, assetId, kind: output.kind },
      amount: inner.amount ?? (output.kind === "nft.TransferOutput" ? 1n : 0n),
      bytes: encodeVersioned(this.utxoCodecs[place.createdOn], { txId, outputIndex, assetId, output }),
      addresses: inner.addresses!,
      threshold: inner.threshold!,
      locktime: inner.locktime,
      stakeableLocktime: output.kind === "LockOut" ? output.locktime : undefined,
      nft: inner.groupId === undefined ? undefined : { groupId: inner.groupId, ...(inner.payload && { payload: inner.payload }) },
    };
    this.utxos.push(utxo);
    if (utxo.reward !== undefined) this.rewards.push(utxo);
    const spent = this.#early.get(utxo.utxoId);
    if (spent !== undefined) this.#spend(utxo, spent);
    return utxo;
  }

  /** Consumes an output, which may become known later. */
  consume(id: Id, spent: Spent): void {
    const utxo = this.utxo(id);
    if (utxo === undefined) this.#early.set(id, spent);
    else this.#spend(utxo, spent);
  }

  #spend(utxo: Utxo, spent: Spent): void {
    utxo.spent = spent;
    spent.tx.consumed.push(utxo);
    spent.tx.consumed.sort((a, b) => a.spent!.inputIndex - b.spent!.inputIndex);
  }
}
