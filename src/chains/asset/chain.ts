/**
 * An asset chain: the X-chain, or any other blockchain with the same VM (chain-rules 15, chain-formats 5). Verifies and executes vertices
 * and linear blocks over a view. Synchronous, without I/O: the rows that `keysRead` names are fetched beforehand. A block, vertex or
 * transaction that is refused leaves the view unchanged.
 */

import { formatAddress } from "../../base/bytes/address.ts";
import { formatId } from "../../base/bytes/cb58.ts";
import { sha256 } from "../../base/bytes/hash.ts";
import { EMPTY_ID, type Id } from "../../base/bytes/id.ts";
import type { JsonContext } from "../../base/codec/codec.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { sizeInBlock } from "../../base/table/table.ts";
import { NotPrefetchedError, type RowKey, type View } from "../../base/table/view.ts";
import { type ExecutionContext, executeBlock, RuleError } from "../../network/execution.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { SharedMemory } from "../shared-memory/shared-memory.ts";
import { verifyBlockForm, verifyBlockPlace } from "./block-rules.ts";
import { type AssetBlock, type AssetCodec, assetCodec, type CodedRules } from "./codec.ts";
import { DeferredTxs } from "./deferred-txs.ts";
import type { AssetFacts, AssetTxFacts } from "./facts.ts";
import { AssetState, genesisScalars, PHASE_DAG, PHASE_LINEAR, type Scalars, txKey, vertexKey } from "./state.ts";
import { verifySameSubnet } from "./subnet.ts";
import { assetAliases, assetChainState, assetChains, assetDeferredTxs } from "./tables.ts";
import type { Effects, TxContext } from "./tx/define.ts";
import { executeTx, keysRead } from "./tx/effects.ts";
import type { SignedTx } from "./tx/registry.ts";
import { spentHere } from "./tx/value.ts";
import { verifySemantics, verifySyntax } from "./tx/verify.ts";
import { emptyStopVertex, inDependencyOrder, parseVertex, type Vertex } from "./vertex.ts";

/** Identifies an asset chain: number 0 is the X-chain; others are numbered in order of creation. */
export interface AssetInstance {
  readonly chain: number;
  readonly chainId: Id;
  /** as listed in its CreateChainTx */
  readonly fxIds: readonly Id[];
  /** prefix of its addresses; by default the chain's ID */
  readonly alias?: string;
}

/** The mempool's size limit, which applies to issued transactions. */
const MAX_ISSUED_TX_BYTES = 64 * 1024;

export class AssetChain {
  static readonly residentTables = [assetChains, assetChainState, assetAliases, assetDeferredTxs] as const;

  readonly instance: AssetInstance;
  readonly codec: AssetCodec;
  /** Formats addresses with the chain's prefix. */
  readonly jsonContext: JsonContext;
  readonly #network: NetworkInstance;
  readonly #view: View;
  readonly #state: AssetState;
  readonly #deferred: DeferredTxs;
  readonly #sharedMemory: SharedMemory;
  #rules: CodedRules | undefined;

  constructor(network: NetworkInstance, view: View, instance: AssetInstance) {
    this.instance = instance;
    this.codec = assetCodec(instance.fxIds);
    const prefix = instance.alias ?? formatId(instance.chainId);
    this.jsonContext = { address: (address) => formatAddress(prefix, network.hrp, address) };
    this.#network = network;
    this.#view = view;
    this.#state = new AssetState(view, instance.chain, this.codec);
    this.#deferred = new DeferredTxs(view, instance.chain, this.codec);
    this.#sharedMemory = new SharedMemory(view);
  }

  /** The last accepted block of a linear chain, on which the next one is built. */
  get tip(): Pick<Scalars, "height" | "lastAccepted" | "timestamp"> {
    return this.#state.scalars;
  }

  /** Height of the last accepted block; undefined while the chain is a DAG. */
  get height(): bigint | undefined {
    const { phase, height } = this.#state.scalars;
    return phase === PHASE_LINEAR ? height : undefined;
  }

  /**
   * Writes the genesis state: assets with their aliases and UTXOs. The chain becomes linear at once, with block 0 on the network's stop
   * vertex or on that of an empty DAG. If its vertices will be executed (`startsAsDag`), it becomes linear with the stop vertex.
   */
  genesis(genesisBytes: Uint8Array, { startsAsDag = false } = {}): AssetFacts {
    const { chain, chainId, fxIds } = this.instance;
    const genesisAssets = this.codec.parseGenesis(genesisBytes).map(({ alias, ...fields }) => {
      if (fields.outputs.length > 0) throw new FirnError("genesis-outputs", "genesis creates assets that have no state", { alias });
      return { alias, tx: this.codec.makeTx({ kind: "CreateAssetTx", ...fields }, []) };
    });
    this.#view.put(assetChains, { chain }, { chainId, fxIds: [...fxIds] });
    this.#view.put(assetChainState, { chain }, genesisScalars(genesisAssets[0]?.tx.id ?? this.#network.avaxAssetId));
    const genesisTxs = genesisAssets.map(({ alias, tx }, i) => {
      this.#view.put(assetAliases, { chain, alias }, { assetId: tx.id });
      this.#state.addTx(tx, { height: 0n, index: 0n });
      // at genesis there is nothing to consume, whatever inputs the asset names
      const effects = executeTx({ ...tx, unsigned: { ...tx.unsigned, inputs: [] } }, this.#state);
      return { txId: tx.id, index: BigInt(i), tx, ...effects };
    });
    const block = startsAsDag ? undefined : this.#linearize(this.#stopVertexId());
    const timestamp = block && this.#state.scalars.timestamp;
    return { ...this.#facts([], { genesisTxs, timestamp }), ...(block && { block }) };
  }

  parse(bytes: Uint8Array): AssetBlock {
    return this.codec.parseBlock(bytes);
  }

  parseVertex(bytes: Uint8Array): Vertex {
    return parseVertex(bytes, this.rules);
  }

  /** The rows that verification and execution will read. */
  keysRead(item: AssetBlock | Vertex | SignedTx): RowKey[] {
    const { chain } = this.instance;
    if (!("kind" in item)) return keysRead(item, this.rules);
    const txs = item.kind === "Vertex" ? [...item.txs, ...this.#deferred.releasable(item.txs)] : item.txs;
    const keys = txs.flatMap((tx) => this.keysRead(tx));
    if (item.kind === "Vertex") {
      for (const { id, unsigned } of txs) keys.push(txKey(chain, id), ...spentHere(unsigned).map(({ txId }) => txKey(chain, txId)));
      for (const vertexId of [item.id, ...item.parentIds]) keys.push(vertexKey(chain, vertexId));
    }
    return keys;
  }

  execute(block: AssetBlock, context: ExecutionContext): AssetFacts {
    return executeBlock(block.id, this.#view, () => {
      const before = this.#state.scalars;
      if (before.phase !== PHASE_LINEAR) throw new RuleError("not-linear", "the chain is a DAG: its stop vertex has not been accepted");
      verifyBlockForm(block, context.clock);
      for (const tx of block.txs) this.#verifySyntax(tx);
      verifyBlockPlace(block, before);
      this.#state.begin(before.vertexCount + block.height);
      const imported = new Set<Id>();
      // a block ends with its transactions
      let offset = block.bytes.length - block.txs.reduce((sum, { bytes }) => sum + sizeInBlock(bytes), 0);
      const txs = block.txs.map((tx, i) => {
        const index = before.txCount + BigInt(i);
        const effects = this.#executeBlockTx(tx, context, imported);
        this.#state.addTx(tx, { height: block.height, index, offset });
        offset += sizeInBlock(tx.bytes);
        return { txId: tx.id, index, tx, ...effects };
      });
      for (const effects of txs) this.#applyToSharedMemory(effects);
      const { id: lastAccepted, height, time: timestamp } = block;
      this.#state.update({ lastAccepted, height, timestamp, txCount: before.txCount + BigInt(txs.length) });
      return { ...this.#facts(txs, { timestamp }), block: { blockId: block.id, parentId: block.parentId, height, bytes: block.bytes } };
    });
  }

  /** Executes the transactions of a vertex that were not executed before, and those that waited for them. The stop vertex makes the chain linear. */
  executeVertex(input: Uint8Array | Vertex, context: ExecutionContext): AssetFacts {
    const vertex = input instanceof Uint8Array ? this.parseVertex(input) : input;
    return executeBlock(vertex.id, this.#view, () => {
      const before = this.#state.scalars;
      this.#verifyVertexPlace(vertex, before.phase);
      this.#state.begin(before.vertexCount + 1n);
      const pending = inDependencyOrder(vertex.txs.filter((tx) => !this.#state.hasTx(tx.id)));
      const txs: AssetTxFacts[] = [];
      this.#deferred.execute(
        pending,
        (txId) => this.#state.hasTx(txId),
        (tx) => {
          const index = before.txCount + BigInt(txs.length);
          this.#verifySemantics(tx, context);
          const effects = executeTx(tx, this.#state);
          this.#state.addTx(tx, { height: 0n, index });
          this.#applyToSharedMemory(effects);
          txs.push({ txId: tx.id, index, tx, ...effects });
        },
      );
      const sequence = before.vertexCount;
      this.#state.addVertex(vertex.id, { sequence, bytes: vertex.bytes });
      this.#state.update({ vertexCount: sequence + 1n, txCount: before.txCount + BigInt(txs.length) });
      if (vertex.isStop) this.#deferred.requireNone();
      const block = vertex.isStop ? this.#linearize(vertex.id) : undefined;
      return { ...this.#facts(txs), vertex: { vertexId: vertex.id, sequence }, ...(block && { block }) };
    });
  }

  /** Verifies each transaction of a vertex as if it were accepted now, without changing state. */
  verifyVertex(input: Uint8Array | Vertex, context: ExecutionContext): void {
    const vertex = input instanceof Uint8Array ? this.parseVertex(input) : input;
    for (const tx of vertex.txs) {
      if (this.#state.hasTx(tx.id)) throw new RuleError("not-processing", "transaction is not processing: Accepted");
      this.#verifySemantics(tx, context);
    }
  }

  /** Verifies an issued transaction; refusals carry the node's text. */
  verifyTx(input: Uint8Array | SignedTx, context: ExecutionContext): SignedTx {
    const tx = input instanceof Uint8Array ? this.codec.parseTx(input) : input;
    verifySyntax(tx, this.rules);
    this.#verifySemantics(tx, context);
    if (tx.bytes.length > MAX_ISSUED_TX_BYTES) {
      throw new RuleError("tx-size", `tx too large: ${formatId(tx.id)} size (${tx.bytes.length}) > max size (${MAX_ISSUED_TX_BYTES})`);
    }
    return tx;
  }

  /** Applies a valid transaction to the chain's own rows, outside any block. The caller rolls it back. */
  executeAlone(tx: SignedTx): void {
    executeTx(tx, this.#state);
    this.#state.addTx(tx, { height: 0n, index: 0n });
  }

  txJson(tx: SignedTx): string {
    return this.codec.txJson(tx, this.jsonContext);
  }

  blockJson(block: AssetBlock): string {
    return this.codec.blockJson(block, this.jsonContext);
  }

  /** Available once genesis is applied. */
  get rules(): CodedRules {
    this.#rules ??= {
      networkId: this.#network.networkId,
      chain: this.instance.chain,
      chainId: this.instance.chainId,
      feeAssetId: this.#state.scalars.feeAssetId,
      txFee: this.#network.txFee,
      createAssetTxFee: this.#network.createAssetTxFee,
      codec: this.codec,
    };
    return this.#rules;
  }

  #verifySyntax(tx: SignedTx): void {
    try {
      verifySyntax(tx, this.rules);
    } catch (error) {
      throw ofTx(error, tx, "failed to syntactically verify tx");
    }
  }

  #executeBlockTx(tx: SignedTx, context: ExecutionContext, imported: Set<Id>): Effects {
    try {
      this.#verifySemantics(tx, context);
    } catch (error) {
      throw ofTx(error, tx, "failed to semantically verify tx");
    }
    const effects = executeTx(tx, this.#state);
    for (const { keys } of effects.imported) {
      if (keys.some((key) => imported.has(key))) throw new RuleError("conflict", "block contains conflicting transactions");
      for (const key of keys) imported.add(key);
    }
    return effects;
  }

  #verifySemantics(tx: SignedTx, { level, clock }: ExecutionContext): void {
    let digest: Uint8Array | undefined;
    const context: TxContext = {
      rules: this.rules,
      state: this.#state,
      sharedMemory: this.#sharedMemory,
      level,
      clock,
      digest() {
        digest ??= sha256(tx.unsignedBytes);
        return digest;
      },
      verifySameSubnet: (peerId) => verifySameSubnet(peerId, this.instance.chainId, this.#view, this.#network),
    };
    verifySemantics(tx, context);
  }

  #verifyVertexPlace(vertex: Vertex, phase: number): void {
    if (phase !== PHASE_DAG) throw new RuleError("not-dag", "the chain is linear: no vertex can follow its stop vertex");
    if (this.#state.hasVertex(vertex.id)) throw new RuleError("vertex-known", "the vertex has been accepted before");
    const missing = vertex.parentIds.find((parentId) => !this.#state.hasVertex(parentId));
    if (missing !== undefined) throw new RuleError("vertex-parent", `parent ${formatId(missing)} of the vertex has not been accepted`);
    const expected = this.#network.upgrades.cortinaXChainStopVertexId;
    if (vertex.isStop && this.#isXChain && expected !== EMPTY_ID && vertex.id !== expected) {
      throw new RuleError("stop-vertex", `the stop vertex of this network is ${formatId(expected)}, not ${formatId(vertex.id)}`);
    }
  }

  get #isXChain(): boolean {
    return this.instance.chainId === this.#network.xChainId;
  }

  #stopVertexId(): Id {
    const known = this.#isXChain ? this.#network.upgrades.cortinaXChainStopVertexId : EMPTY_ID;
    return known === EMPTY_ID ? emptyStopVertex(this.instance.chainId).id : known;
  }

  /** Makes block 0, which is not received but follows from the stop vertex (chain-rules 15.3). */
  #linearize(stopVertexId: Id): NonNullable<AssetFacts["block"]> {
    const time = this.#network.upgrades.times.cortina;
    const block = this.codec.makeBlock({ parentId: stopVertexId, height: 0n, time, merkleRoot: EMPTY_ID, txs: [] });
    this.#state.update({ phase: PHASE_LINEAR, height: 0n, lastAccepted: block.id, timestamp: time });
    return { blockId: block.id, parentId: block.parentId, height: 0n, bytes: block.bytes };
  }

  #applyToSharedMemory({ imported, exported }: Pick<AssetTxFacts, "imported" | "exported">): void {
    const { chainId } = this.instance;
    for (const { source, keys } of imported) this.#sharedMemory.remove(chainId, source, keys);
    for (const { destination, elements } of exported) this.#sharedMemory.put(chainId, destination, elements);
  }

  #facts(
    txs: readonly AssetTxFacts[],
    { genesisTxs = [], timestamp }: Partial<Pick<AssetFacts, "genesisTxs" | "timestamp">> = {},
  ): AssetFacts {
    const { chain, chainId } = this.instance;
    const all = genesisTxs.length > 0 ? genesisTxs : txs;
    const produced = all.flatMap((tx) => tx.produced);
    const consumed = all.flatMap((tx) => tx.consumed);
    return { chain, chainId, txs, genesisTxs, timestamp, produced, consumed };
  }
}

/** Adds to a block's refusal which transaction caused it, with the node's text. */
function ofTx(error: unknown, tx: SignedTx, text: string): unknown {
  if (!(error instanceof FirnError) || error instanceof NotPrefetchedError) return error;
  const refusal = new RuleError(error.code, `${text} ${formatId(tx.id)}: ${error.message}`, error.facts, { cause: error });
  refusal.txId = tx.id;
  return refusal;
}
