/**
 * What this node tells peers of a network (p2p.md 10 and 17), from the store: accepted blocks and vertices, and which ones they are. It takes no
 * part in consensus: it prefers what it has accepted. Each answer costs as many rows as it has containers.
 */
import { EMPTY_ID, type Id, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import type { Row } from "../../base/table/table.ts";
import { assetVertices } from "../../chains/asset/tables.ts";
import { vertexLinks } from "../../chains/asset/vertex.ts";
import { blocks, containerHeights } from "../../index/tables.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { PeerMessage, SentMessage } from "../../p2p/wire/message-codec.ts";
import type { StoreReader } from "../../store/store.ts";

/** as the reference node's answers have */
const MAX_ANCESTORS = 2000;
const MAX_ANCESTORS_BYTES = 1_677_721;
const CONTAINER_OVERHEAD = 4;
/** IDs of one question; each costs a row */
const MAX_ASKED = 2048;
const ROWS_PER_SCAN = 64;
const DAG_ENGINE = 1;
/** number of the X-chain among asset chains */
const X_CHAIN = 0;

interface Accepted {
  readonly containerId: Uint8Array;
  readonly height: bigint;
}

export class PeerAnswers {
  readonly #reader: StoreReader;
  readonly #network: NetworkInstance;
  readonly #chains: ReadonlySet<Id>;

  constructor(reader: StoreReader, network: NetworkInstance) {
    this.#reader = reader;
    this.#network = network;
    this.#chains = new Set([PLATFORM_CHAIN_ID, network.xChainId, network.cChainId]);
  }

  /** undefined: nothing is answered */
  async answer(request: PeerMessage): Promise<SentMessage | undefined> {
    if (!("chainId" in request.value)) return undefined;
    const { chainId: chain } = request.value;
    const chainId = Buffer.from(chain).toString("hex");
    if (!this.#chains.has(chainId)) return undefined;
    switch (request.case) {
      case "getAcceptedFrontier": {
        const last = await this.#last(chainId);
        return last && { case: "acceptedFrontier", value: { ...matching(request.value), containerId: last.containerId } };
      }
      case "getAccepted":
        return {
          case: "accepted",
          value: { ...matching(request.value), containerIds: await this.#known(chainId, request.value.containerIds) },
        };
      case "getAncestors": {
        const { containerId, engine } = request.value;
        const containers = engine === DAG_ENGINE ? await this.#vertices(chainId, containerId) : await this.#ancestors(chainId, containerId);
        return containers && { case: "ancestors", value: { ...matching(request.value), containers } };
      }
      case "get": {
        const [container] = await this.#ancestors(chainId, request.value.containerId, 1);
        return container && { case: "put", value: { ...matching(request.value), container } };
      }
      case "pullQuery":
      case "pushQuery":
        return this.#chits(chainId, request.value);
      default:
        return undefined;
    }
  }

  async #last(chainId: Id): Promise<Accepted | undefined> {
    const [row] = await this.#reader.scan(blocks, { prefix: { chainId }, reverse: true, limit: 1 });
    if (row === undefined || row.value.containerId === EMPTY_ID) return undefined;
    return { containerId: Buffer.from(row.value.containerId, "hex"), height: row.key.height };
  }

  async #known(chainId: Id, asked: readonly Uint8Array[]): Promise<Uint8Array[]> {
    const some = asked.slice(0, MAX_ASKED);
    const rows = await this.#reader.getMany(
      containerHeights,
      some.map((bytes) => ({ chainId, containerId: idOf(bytes) })),
    );
    return some.filter((bytes, i) => rows[i] !== undefined && idOf(bytes) !== EMPTY_ID);
  }

  /** The container and those before it, the newest first; none if it is not known. */
  async #ancestors(chainId: Id, containerId: Uint8Array, most = MAX_ANCESTORS): Promise<Uint8Array[]> {
    const id = idOf(containerId);
    const known = id === EMPTY_ID ? undefined : await this.#reader.get(containerHeights, { chainId, containerId: id });
    const found: Uint8Array[] = [];
    let bytes = 0;
    for (let height = known?.height; height !== undefined; ) {
      const limit = Math.min(ROWS_PER_SCAN, most - found.length);
      const rows: Row<typeof blocks>[] = await this.#reader.scan(blocks, { prefix: { chainId }, from: { height }, reverse: true, limit });
      for (const { value } of rows) {
        const container = Buffer.concat([value.head, value.bytes, value.tail]);
        bytes += container.length + CONTAINER_OVERHEAD;
        // the one that is asked for is always given
        if (value.containerId === EMPTY_ID || (found.length > 0 && bytes > MAX_ANCESTORS_BYTES)) return found;
        found.push(container);
      }
      const lowest = rows.at(-1)?.key.height ?? 0n;
      if (rows.length < limit || lowest === 0n || found.length >= most) return found;
      height = lowest - 1n;
    }
    return found;
  }

  /** The vertex and its ancestors, breadth first; undefined if it is not known. */
  async #vertices(chainId: Id, vertexId: Uint8Array): Promise<Uint8Array[] | undefined> {
    if (chainId !== this.#network.xChainId) return undefined;
    const found: Uint8Array[] = [];
    let bytes = 0;
    const named = new Set([idOf(vertexId)]);
    for (const id of named) {
      const vertex = await this.#reader.get(assetVertices, { chain: X_CHAIN, vertexId: id });
      bytes += (vertex?.bytes.length ?? 0) + CONTAINER_OVERHEAD;
      if (vertex === undefined || (found.length > 0 && bytes > MAX_ANCESTORS_BYTES)) break;
      found.push(vertex.bytes);
      if (found.length === MAX_ANCESTORS) break;
      for (const parentId of vertexLinks(vertex.bytes).parentIds) named.add(parentId);
    }
    return found.length === 0 ? undefined : found;
  }

  async #chits(chainId: Id, request: Numbered & { readonly requestedHeight: bigint }): Promise<SentMessage | undefined> {
    const last = await this.#last(chainId);
    if (last === undefined) return undefined;
    const { requestedHeight: height } = request;
    const row = height < last.height ? await this.#reader.get(blocks, { chainId, height }) : undefined;
    const atHeight = row === undefined || row.containerId === EMPTY_ID ? last.containerId : Buffer.from(row.containerId, "hex");
    return {
      case: "chits",
      value: {
        ...matching(request),
        preferredId: last.containerId,
        acceptedId: last.containerId,
        preferredIdAtHeight: atHeight,
        acceptedHeight: last.height,
      },
    };
  }
}

interface Numbered {
  readonly chainId: Uint8Array;
  readonly requestId: number;
}

function matching({ chainId, requestId }: Numbered): Numbered {
  return { chainId, requestId };
}

/** EMPTY_ID if it is none */
function idOf(bytes: Uint8Array): Id {
  return bytes.length === 32 ? Buffer.from(bytes).toString("hex") : EMPTY_ID;
}
