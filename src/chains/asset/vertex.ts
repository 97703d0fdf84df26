/** Vertices: containers of transactions in the DAG that asset chains were before Cortina (chain-formats 5.7). */

import { sha256Hex } from "../../base/bytes/hash.ts";
import type { Id } from "../../base/bytes/id.ts";
import { bytes, decodeVersioned, encodeVersioned, list, struct, u32, u64 } from "../../base/codec/codec.ts";
import { CodecError } from "../../base/codec/error.ts";
import { RuleError } from "../../network/execution.ts";
import type { CodedRules } from "./codec.ts";
import { id } from "./fields.ts";
import { ascend } from "./fx/fx.ts";
import type { SignedTx } from "./tx/registry.ts";
import { spentHere } from "./tx/value.ts";
import { verifySyntax } from "./tx/verify.ts";

export interface Vertex {
  readonly kind: "Vertex";
  readonly id: Id;
  readonly bytes: Uint8Array;
  readonly chainId: Id;
  readonly height: bigint;
  readonly parentIds: readonly Id[];
  /** empty in the stop vertex */
  readonly txs: readonly SignedTx[];
  /** the last vertex of the DAG; the linear chain follows */
  readonly isStop: boolean;
}

const VERTEX_VERSION = 0;
const STOP_VERTEX_VERSION = 1;
const MAX_VERTEX_BYTES = 1024 * 1024;
const MAX_PARENTS = 128;
const MAX_TXS = 128;

const vertexBody = struct({ chainId: id, height: u64, epoch: u32, parentIds: list(id), txs: list(bytes) });
const stopVertexBody = struct({ chainId: id, height: u64, parentIds: list(id) });

/** Decodes a vertex and makes all checks that need no state, including the syntax of its transactions. */
export function parseVertex(input: Uint8Array, rules: CodedRules): Vertex {
  if (input.length > MAX_VERTEX_BYTES) throw new CodecError("oversize", 0, { length: input.length, limit: MAX_VERTEX_BYTES });
  const { isStop, ...body } = decodeBody(input);
  if (body.chainId !== rules.chainId) throw new RuleError("vertex-chain", "wrong ChainID in vertex");
  verifyBody(body, isStop);
  const txs = body.txs.map((tx) => parseVertexTx(tx, rules));
  const { chainId, height, parentIds } = body;
  return { kind: "Vertex", id: sha256Hex(input), bytes: input, chainId, height, parentIds, txs, isStop };
}

/** The contents of an accepted vertex, without parsing its transactions. */
export function vertexContents(input: Uint8Array): Pick<Vertex, "height" | "parentIds"> & { readonly txIds: readonly Id[] } {
  const { height, parentIds, txs } = decodeBody(input);
  return { height, parentIds, txIds: txs.map(sha256Hex) };
}

/** What binds a vertex to others, without reading its transactions. Throws a CodecError if the bytes are no vertex. */
export function vertexLinks(input: Uint8Array): Pick<Vertex, "id" | "height" | "parentIds" | "isStop"> {
  if (input.length > MAX_VERTEX_BYTES) throw new CodecError("oversize", 0, { length: input.length, limit: MAX_VERTEX_BYTES });
  const { height, parentIds, isStop } = decodeBody(input);
  return { id: sha256Hex(input), height, parentIds, isStop };
}

/** The stop vertex of a chain whose DAG is empty. */
export function emptyStopVertex(chainId: Id): Vertex {
  const body = { chainId, height: 0n, parentIds: [] };
  const encoded = encodeVersioned(stopVertexBody, body, STOP_VERTEX_VERSION);
  return { kind: "Vertex", id: sha256Hex(encoded), bytes: encoded, ...body, txs: [], isStop: true };
}

/** Orders the transactions so that each comes after those of the vertex whose outputs it spends. */
export function inDependencyOrder(txs: readonly SignedTx[]): SignedTx[] {
  const pending = new Map(txs.map((tx) => [tx.id, tx]));
  const ordered: SignedTx[] = [];
  const place = (tx: SignedTx): void => {
    if (!pending.delete(tx.id)) return;
    // imported inputs are not dependencies, because they come from another chain
    for (const { txId } of spentHere(tx.unsigned)) {
      const dependency = pending.get(txId);
      if (dependency !== undefined) place(dependency);
    }
    ordered.push(tx);
  };
  for (const tx of txs) place(tx);
  return ordered;
}

function decodeBody(input: Uint8Array) {
  const isStop = input.length >= 2 && input[0] === 0 && input[1] === STOP_VERTEX_VERSION;
  const body = isStop
    ? { ...decodeVersioned(stopVertexBody, input, { version: STOP_VERTEX_VERSION }), epoch: 0, txs: [] }
    : decodeVersioned(vertexBody, input, { version: VERTEX_VERSION });
  return { ...body, isStop };
}

function verifyBody({ epoch, parentIds, txs }: { epoch: number; parentIds: Id[]; txs: Uint8Array[] }, isStop: boolean): void {
  if (epoch !== 0) throw new RuleError("vertex-epoch", "invalid epoch");
  if (parentIds.length > MAX_PARENTS) throw new RuleError("vertex-parents", `vertex contains more than ${MAX_PARENTS} parentIDs`);
  if (!isStop && txs.length === 0) throw new RuleError("vertex-empty", "vertex contains no operations");
  if (txs.length > MAX_TXS) throw new RuleError("vertex-txs", `vertex contains more than ${MAX_TXS} transactions`);
  if (!ascend(parentIds)) throw new RuleError("vertex-parents", "vertex contains non-sorted or duplicated parentIDs");
  if (!ascend(txs.map(sha256Hex))) throw new RuleError("vertex-txs", "vertex contains non-sorted or duplicated transactions");
}

function parseVertexTx(bytes: Uint8Array, rules: CodedRules): SignedTx {
  const tx = rules.codec.parseTx(bytes);
  verifySyntax(tx, rules);
  return tx;
}
