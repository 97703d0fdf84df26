/** Derives the history of the X-chain from its vertices and blocks, and that of the C-chain from its atomic transactions. */

import { EMPTY_ID, type Id } from "../../../../src/base/bytes/id.ts";
import { utxoId } from "../../../../src/base/bytes/utxo-id.ts";
import { type AssetBlock, type AssetCodec, assetCodec } from "../../../../src/chains/asset/codec.ts";
import { fxOf } from "../../../../src/chains/asset/fx/registry.ts";
import type { SignedTx } from "../../../../src/chains/asset/tx/registry.ts";
import { emptyStopVertex, inDependencyOrder, parseVertex } from "../../../../src/chains/asset/vertex.ts";
import type { CChainBlock } from "../../../../src/chains/atomic/block.ts";
import type { CreateChainTx } from "../../../../src/chains/platform/tx/create-chain.ts";
import type { AnyOutput, Chain, HappenedTx, History, NewUtxo, Proposer, Vertex } from "./history.ts";

type Place = Pick<HappenedTx, "height" | "blockId" | "time">;

export class AssetHistory {
  readonly codec: AssetCodec;
  readonly #history: History;
  readonly #genesis: Uint8Array;

  constructor(history: History, { fxIds, genesisData }: CreateChainTx) {
    this.codec = assetCodec(fxIds);
    this.#history = history;
    this.#genesis = genesisData;
  }

  /** A chain that has no vertices is linear at once. */
  genesis({ hasVertices }: { hasVertices: boolean }): void {
    const { network, time } = this.#history;
    const stopVertexId = network.upgrades.cortinaXChainStopVertexId;
    if (!hasVertices) this.#linearize(stopVertexId === EMPTY_ID ? emptyStopVertex(network.xChainId).id : stopVertexId);
    const blockId = this.#history.blocks.find(({ chain }) => chain === "X")?.blockId;
    for (const { alias: _, ...fields } of this.codec.parseGenesis(this.#genesis)) {
      const tx = this.codec.makeTx({ kind: "CreateAssetTx", ...fields }, []);
      this.#apply(tx, { height: 0n, blockId, time });
    }
  }

  addBlock(block: AssetBlock, proposer: Proposer | undefined): void {
    const { id: blockId, height, time } = block;
    for (const tx of block.txs) this.#apply(tx, { height, blockId, time });
    this.#addBlock(block, proposer);
  }

  addVertex(bytes: Uint8Array, time: bigint): void {
    const history = this.#history;
    const { networkId, xChainId: chainId, txFee, createAssetTxFee, avaxAssetId: feeAssetId } = history.network;
    const vertex = parseVertex(bytes, { networkId, chain: 0, chainId, feeAssetId, txFee, createAssetTxFee, codec: this.codec });
    const { id: vertexId, parentIds, height, txs } = vertex;
    const happened: Vertex = { vertexId, parentIds, height, time, txIds: txs.map((tx) => tx.id), size: bytes.length };
    history.vertices.push(happened);
    // a transaction that stands in several vertices was executed with the first
    const isNew = (tx: SignedTx) => history.tx(tx.id) === undefined;
    for (const tx of inDependencyOrder(txs.filter(isNew))) this.#apply(tx, { height: 0n, blockId: undefined, time });
    for (const { id } of txs) history.tx(id)!.vertices.push(happened);
    if (vertex.isStop) this.#linearize(vertexId);
  }

  /** Block 0 is made here, not received. */
  #linearize(stopVertexId: Id): void {
    const time = this.#history.network.upgrades.times.cortina;
    this.#addBlock(this.codec.makeBlock({ parentId: stopVertexId, height: 0n, time, merkleRoot: EMPTY_ID, txs: [] }), undefined);
  }

  #addBlock({ id: blockId, parentId, height, time, txs, bytes, kind }: AssetBlock, proposer: Proposer | undefined): void {
    const txIds = txs.map(({ id }) => id);
    this.#history.blocks.push({ chain: "X", blockId, parentId, height, time, txIds, size: bytes.length, kind, proposer });
  }

  #apply(signed: SignedTx, place: Place): void {
    const { unsigned } = signed;
    const tx = this.#history.addTx({ chain: "X", txId: signed.id, type: unsigned.kind, tx: signed, ...place });
    const imported = unsigned.kind === "ImportTx" ? unsigned.importedInputs : [];
    const operations = unsigned.kind === "OperationTx" ? unsigned.operations : [];
    const inputs = [...unsigned.inputs, ...imported, ...operations.flatMap(({ inputIds }) => inputIds)];
    for (const [inputIndex, { txId, outputIndex }] of inputs.entries()) {
      this.#history.consume(utxoId(txId, outputIndex), { tx, inputIndex });
    }
    produce(this.#history, tx, unsigned.outputs);
    if (unsigned.kind === "ExportTx")
      produce(this.#history, tx, unsigned.exportedOutputs, this.#history.chainOf(unsigned.destinationChain));
    for (const { assetId, operation } of operations) {
      produce(
        this.#history,
        tx,
        fxOf(operation)
          .produces(operation)
          .map((output) => ({ assetId, output })),
      );
    }
    if (unsigned.kind === "CreateAssetTx") this.#createAsset(tx, unsigned);
  }

  #createAsset(tx: HappenedTx, unsigned: Extract<SignedTx["unsigned"], { kind: "CreateAssetTx" }>): void {
    const { name, symbol, denomination, initialStates } = unsigned;
    const outputs = initialStates.flatMap((state) => state.outputs.map((output) => ({ assetId: tx.txId, output })));
    produce(this.#history, tx, outputs);
    const kinds = outputs.map(({ output }) => output.kind);
    this.#history.assets.push({
      ...{ assetId: tx.txId, name, symbol, denomination, time: tx.time },
      isNft: kinds.some((kind) => kind.startsWith("nft.")),
      cap: kinds.some((kind) => kind.endsWith(".MintOutput")) ? "variable" : "fixed",
    });
  }
}

/** The outputs that come next in the transaction. */
function produce(
  history: History,
  tx: HappenedTx,
  outputs: readonly { readonly assetId: Id; readonly output: AnyOutput | { readonly kind: string } }[],
  consumedOn: Chain = tx.chain,
): void {
  const { txId, height, time, chain: createdOn } = tx;
  for (const { assetId, output } of outputs) {
    const utxo: NewUtxo = { txId, outputIndex: tx.produced.length, assetId, output: output as AnyOutput };
    tx.produced.push(history.addUtxo(utxo, { createdOn, consumedOn, height, time }));
  }
}

/** A block of the C-chain. */
export function addEvmBlock(history: History, block: CChainBlock, proposer: Proposer | undefined): void {
  const { id: blockId, parentId, height, timestamp: time, atomicTxs, bytes } = block;
  for (const atomic of atomicTxs) {
    const { unsigned } = atomic;
    const tx = history.addTx({ chain: "C", txId: atomic.id, type: unsigned.kind, tx: atomic, height, blockId, time });
    if (unsigned.kind === "ExportTx") produce(history, tx, unsigned.exportedOutputs, history.chainOf(unsigned.destinationChain));
    else {
      for (const [inputIndex, input] of unsigned.importedInputs.entries()) {
        history.consume(utxoId(input.txId, input.outputIndex), { tx, inputIndex });
      }
    }
  }
  const txIds = atomicTxs.map(({ id }) => id);
  history.blocks.push({ chain: "C", blockId, parentId, height, time, txIds, size: bytes.length, kind: "Standard", proposer });
}
