/** Reads the X-chain's vertices from a node's Index API (`/ext/index/X/vtx`), where they are in the order in which that node accepted them. */
import { sha256Hex } from "../../base/bytes/hash.ts";
import type { Id } from "../../base/bytes/id.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { Upstreams } from "../upstream/upstream-rpc.ts";
import { arrayOf, BadAnswerError, bytesOf, idOf, numberOf, objectOf, readAnswer, resultOf } from "./chain-reader.ts";

const PATH = "/ext/index/X/vtx";
const NOTHING_THERE = /no containers have been accepted/;

export interface IndexedVertex {
  readonly index: bigint;
  readonly id: Id;
  readonly bytes: Uint8Array;
}

export class VertexReader {
  readonly #rpc: Upstreams;

  constructor(rpc: Upstreams) {
    this.#rpc = rpc;
  }

  /** The vertex that the node accepted last; undefined: it has no index, or no vertices in it. */
  async last(upstream: number, signal: AbortSignal): Promise<IndexedVertex | undefined> {
    try {
      const result = await this.#ask(upstream, "index.getLastAccepted", {}, signal);
      return readAnswer(upstream, "the answer of index.getLastAccepted", () => vertexOf(result));
    } catch (error) {
      if (error instanceof UpstreamError && (error.isFinal || NOTHING_THERE.test(error.message))) return undefined;
      throw error;
    }
  }

  /** Vertices from an index on: all that were asked for, or fewer if their answer would be too large. */
  async range(upstream: number, from: bigint, count: number, signal: AbortSignal): Promise<readonly IndexedVertex[]> {
    try {
      const result = await this.#ask(upstream, "index.getContainerRange", { startIndex: Number(from), numToFetch: count }, signal);
      return readAnswer(upstream, `the answer of index.getContainerRange from vertex ${from} on`, () => {
        const vertices = arrayOf(objectOf(result, "it").containers, "containers").map(vertexOf);
        if (vertices.length !== count || vertices.some(({ index }, i) => index !== from + BigInt(i))) {
          throw new BadAnswerError(upstream, `it gives other vertices than the ${count} from index ${from} on`);
        }
        return vertices;
      });
    } catch (error) {
      if (!(error instanceof UpstreamError) || error.failure !== "too-large" || count === 1) throw error;
      const half = Math.ceil(count / 2);
      return this.range(upstream, from + BigInt(count - half), half, signal);
    }
  }

  async #ask(upstream: number, method: string, params: object, signal: AbortSignal): Promise<unknown> {
    const call = { method, params: { ...params, encoding: "hex" }, path: PATH };
    const rank = (other: number) => (other === upstream ? 0 : undefined);
    const [outcome] = await this.#rpc.requestAll([call], { rank, signal, attempts: 2 });
    return resultOf(outcome!).result;
  }
}

function vertexOf(value: unknown): IndexedVertex {
  const members = objectOf(value, "a container");
  const index = numberOf(members.index, "index");
  const bytes = bytesOf(members.bytes, `bytes of vertex ${index}`);
  const id = sha256Hex(bytes);
  if (idOf(members.id, `id of vertex ${index}`) !== id) throw new RangeError(`vertex ${index} has another ID than its bytes`);
  return { index, id, bytes };
}
