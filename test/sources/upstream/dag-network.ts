/**
 * The network of `p-eras-old` and `x-dag`, whose X-chain began as a DAG, in one folder as a recording of it would be, with its stop vertex as
 * a constant, as public networks have it.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatId, parseId } from "../../../src/base/bytes/cb58.ts";
import { sha256Hex } from "../../../src/base/bytes/hash.ts";
import type { Id } from "../../../src/base/bytes/id.ts";
import { vertexLinks } from "../../../src/chains/asset/vertex.ts";
import { bytesOf, readJson, readLines, readText } from "../../conformance/json-lines.ts";
import { recordingFolder } from "../../conformance/recordings.ts";

export interface DagNetworkOptions {
  /**
   * Without the vertex that imports what P exports, with the first P blocks only: as far as neither waits for exports that were not recorded, so
   * that it can be executed at level `full`. The stop vertex and the blocks after it are made for it.
   */
  readonly isShort?: boolean;
  /** and the vertices in the opposite order, each the parent of the next: their transactions spend what comes in later ones */
  readonly isReversed?: boolean;
}

export interface VertexLine {
  readonly id: string;
  readonly bytes: string;
}

/** the next one exports, and is followed by one that imports */
const SHORT_VERTICES = 12;
/** the last P block that needs nothing of X */
const LAST_ALONE = 5;
/** of a vertex: behind codec version, chain, height and epoch */
const PARENTS_AT = 2 + 32 + 8 + 4;
/** of an X block: behind codec version and type */
const PARENT_AT = 6;
const HEIGHT_AT = PARENT_AT + 32;
const NO_TX = Buffer.alloc(4);

/** Writes it into the folder, and returns the folder. */
export function dagNetwork(folder: string, { isShort = false, isReversed = false }: DagNetworkOptions = {}): string {
  const [platform, asset] = [recordingFolder("p-eras-old"), recordingFolder("x-dag")];
  const recorded = [...readLines<VertexLine>(asset, "vertices.jsonl")];
  const short = recorded.slice(0, SHORT_VERTICES);
  const vertices = isShort ? stopped(isReversed ? reversed(short) : short) : recorded;
  const network = readJson<{ upgrades: object }>(asset, "network.json");
  const upgrades = { ...network.upgrades, cortinaXChainStopVertexID: vertices.at(-1)!.id };
  const blocks = [...readLines<BlockLine>(platform, "blocks/P.jsonl")].filter(({ height }) => !isShort || height <= LAST_ALONE);
  const linear = [...readLines<BlockLine>(asset, "blocks.jsonl")];
  mkdirSync(join(folder, "blocks"), { recursive: true });
  const files = {
    "network.json": JSON.stringify({ ...network, upgrades }),
    "upgrades.json": JSON.stringify(upgrades),
    "genesis.json": readText(asset, "genesis.json"),
    "genesis-P.hex": readText(asset, "genesis-P.hex"),
    "vertices.jsonl": lines(vertices),
    "blocks/P.jsonl": lines(blocks),
    "blocks/X.jsonl": lines(isShort ? onVertex(linear, vertices.at(-1)!, recorded[SHORT_VERTICES]!) : linear),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

interface BlockLine {
  readonly height: number;
  readonly id: string;
  readonly bytes: string;
}

/** Block 0 on the stop vertex, and block 1 with the transaction of a vertex that was left out. A bare block has no signature. */
function onVertex(blocks: readonly BlockLine[], { id }: VertexLine, { bytes: vertex }: VertexLine): BlockLine[] {
  const head = bytesOf(blocks[0]!.bytes);
  let parentId: Id = parseId(id);
  return [NO_TX, onlyTx(bytesOf(vertex))].map((txs, height) => {
    const bytes = Buffer.concat([head.subarray(0, -NO_TX.length), txs]);
    bytes.write(parentId, PARENT_AT, "hex");
    bytes.writeBigUInt64BE(BigInt(height), HEIGHT_AT);
    parentId = sha256Hex(bytes);
    return { ...blocks[height]!, id: formatId(parentId), bytes: `0x${bytes.toString("hex")}` };
  });
}

/** Of a vertex with one parent: a list of one, whose item a block has without length and codec version. */
function onlyTx(vertex: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0, 0, 0, 1]), vertex.subarray(2 + 32 + 8 + 4 + 4 + 32 + 4 + 4 + 2)]);
}

export function lines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

function reversed(vertices: readonly VertexLine[]): VertexLine[] {
  const made: VertexLine[] = [];
  for (const { bytes: hex } of [...vertices].reverse()) {
    const before = bytesOf(hex);
    const parents = Buffer.alloc(made.length === 0 ? 4 : 4 + 32);
    if (made.length > 0) {
      parents.writeUInt32BE(1);
      parents.write(parseId(made.at(-1)!.id), 4, "hex");
    }
    const txs = before.subarray(PARENTS_AT + 4 + 32 * before.readUInt32BE(PARENTS_AT));
    const bytes = Buffer.concat([before.subarray(0, PARENTS_AT), parents, txs]);
    made.push({ id: formatId(sha256Hex(bytes)), bytes: `0x${bytes.toString("hex")}` });
  }
  return made;
}

/** With a stop vertex on those that are nobody's parents. A vertex has no signature. */
function stopped(vertices: readonly VertexLine[]): VertexLine[] {
  const links = vertices.map(({ bytes }) => vertexLinks(bytesOf(bytes)));
  const parents = new Set(links.flatMap(({ parentIds }) => parentIds));
  const leaves = links.map(({ id }) => id).filter((id) => !parents.has(id));
  const stop = stopVertex(bytesOf(vertices[0]!.bytes).subarray(2, 34), leaves, 9n);
  return [...vertices, { id: formatId(sha256Hex(stop)), bytes: `0x${stop.toString("hex")}` }];
}

/** Its layout is that of chain-formats 5.7. */
export function stopVertex(chainId: Uint8Array, parentIds: readonly Id[], height: bigint): Buffer {
  const head = Buffer.alloc(12);
  head.writeBigUInt64BE(height);
  head.writeUInt32BE(parentIds.length, 8);
  return Buffer.concat([Buffer.from([0, 1]), chainId, head, ...[...parentIds].sort().map((id) => Buffer.from(id, "hex"))]);
}
