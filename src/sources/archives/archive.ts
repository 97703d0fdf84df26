/**
 * A recording of a network as a source: streams the block files of its chains, merged by time of acceptance. The recorder defines the
 * formats; the files that exist show what was recorded.
 */

import { existsSync, realpathSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { createGunzip } from "node:zlib";
import { parseId } from "../../base/bytes/cb58.ts";
import { decodeHex } from "../../base/bytes/hex.ts";
import { EMPTY_ID, type Id, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import type { Network, NetworkInstance } from "../../network/network.ts";
import { parseNetworkFile } from "../../network/network-file.ts";
import type { Source, SourceItem } from "../source.ts";
import { inOrder, parseBlockFile } from "./block-files.ts";
import { ChainFiles } from "./chain-files.ts";
import {
  type ArchiveFolder,
  brotliDecoder,
  decompressed,
  type Line,
  ofUsableWindow,
  readFileChunks,
  readWhole,
  splitLines,
} from "./folder.ts";
import { mergeByTime } from "./merge.ts";
import { PackedFolder } from "./packed-folder.ts";
import { readSharedMemory } from "./shared-memory-file.ts";

/** A recording has files only at its top level and in this folder. */
const BLOCKS = "blocks";

/** A recording in a directory. Its files may be compressed (`.gz`, `.br`); links that lead outside of the directory are refused. */
class DirectoryFolder implements ArchiveFolder {
  readonly read = { bytes: 0, of: 0 };
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async list(): Promise<readonly string[]> {
    const names = await readdir(this.#path);
    const inBlocks = names.includes(BLOCKS) ? await readdir(join(this.#path, BLOCKS)) : [];
    return [...names, ...inBlocks.map((name) => `${BLOCKS}/${name}`)].map((name) => name.replace(/\.(gz|br)$/, ""));
  }

  lines(name: string): AsyncIterable<Line> {
    const suffix = ["", ".gz", ".br"].find((candidate) => existsSync(join(this.#path, name + candidate))) ?? "";
    const path = this.#ownFile(name + suffix);
    const file = readFileChunks(path, this.read);
    if (suffix === ".gz") return splitLines(decompressed(file, createGunzip(), path), name);
    return splitLines(suffix === ".br" ? decompressed(ofUsableWindow(file, path), brotliDecoder(), path) : file, name);
  }

  /** Errors quote the content of files, so a link would let a recording expose any file of this machine. */
  #ownFile(name: string): string {
    const path = join(this.#path, name);
    if (realpathSync(path).startsWith(realpathSync(this.#path) + sep)) return path;
    throw new FirnError("archive-link", `${path} is a link out of the recording; put the file itself there`, { path });
  }
}

interface ArchiveOptions {
  /** a folder or a packed file */
  path: string;
  /** adds the IDs derived from genesis to the parameters. `genesis` is its bytes, or the text of the node's genesis file */
  instance: (network: Network, genesis: Uint8Array | string) => NetworkInstance;
  /** heights to stop after, by short name: `{ P: 120n }`; other chains are delivered to their end */
  until?: ReadonlyMap<string, bigint>;
}

const VERTICES = "vertices.jsonl";
/** linear blocks in a recording of the X-chain alone */
const X_BLOCKS = "blocks.jsonl";
const NETWORK_MEMBERS = ["networkID", "hrp", "upgrades", "parameters"];
const RUN_ITEMS = 2048;
const RUN_BYTES = 16 * 1024 * 1024;

export async function openArchive({ path, instance, until = new Map() }: ArchiveOptions): Promise<Source> {
  const folder = openFolder(path);
  const names = await folder.list();
  const networkFile = await readNetwork(folder, path);
  const parameters = parseNetworkFile(JSON.parse(networkFile.toString()));
  const network = await readGenesis(folder, path, (genesis) => instance(parameters, genesis));
  const chains = chainFiles(names, network, until);
  for (const name of until.keys()) {
    if (!chains.some((chain) => chain.name === name)) {
      throw new FirnError(
        "until",
        `--until names ${name}, but the recording has blocks of ${chains.map((chain) => chain.name).join(", ")}`,
      );
    }
  }
  const sharedMemory = names.includes("sharedmemory.jsonl") ? await readSharedMemory(folder, chains, network) : undefined;
  const known = new Set([PLATFORM_CHAIN_ID, network.xChainId, network.cChainId]);
  return {
    network,
    networkFile,
    otherChains: chains.map(({ chainId }) => chainId).filter((chainId) => !known.has(chainId)),
    // a public network's X-chain begins with them, whether this archive has them or not
    hasVertices: names.includes(VERTICES) || network.upgrades.cortinaXChainStopVertexId !== EMPTY_ID,
    vertices: names.includes(VERTICES) ? () => chains.find(({ chainId }) => chainId === network.xChainId)!.vertices(folder) : undefined,
    get fractionRead() {
      return folder.read.of === 0 ? 0 : folder.read.bytes / folder.read.of;
    },
    items: (from) => runs(mergeByTime(chains.map((chain) => chain.items(folder, from, until.get(chain.name), sharedMemory)))),
  };
}

function openFolder(path: string): ArchiveFolder {
  if (!existsSync(path))
    throw new FirnError("archive-missing", `${path} does not exist; give a folder with network.json and blocks/`, { path });
  return statSync(path).isDirectory() ? new DirectoryFolder(path) : new PackedFolder(path);
}

/** Reads only what execution needs; a recording's file contains more, such as keys. */
async function readNetwork(folder: ArchiveFolder, path: string): Promise<Buffer> {
  const text = await readWhole(folder, "network.json");
  if (text === undefined) throw new FirnError("archive-missing", `${path} has no network.json; is it a recording?`, { path });
  const whole = inFile("network.json", () => JSON.parse(text)) as Record<string, unknown> | null;
  return Buffer.from(JSON.stringify(Object.fromEntries(NETWORK_MEMBERS.map((name) => [name, whole?.[name]]))));
}

/** The genesis bytes are preferred to the JSON file that they were made from, because they cannot be misread. */
async function readGenesis(folder: ArchiveFolder, path: string, instance: (genesis: Uint8Array | string) => NetworkInstance) {
  const hex = await readWhole(folder, "genesis-P.hex");
  if (hex !== undefined) return inFile("genesis-P.hex", () => instance(decodeHex(withPrefix(hex.trim()), { checksum: false })));
  const json = await readWhole(folder, "genesis.json");
  if (json !== undefined) return instance(json);
  throw new FirnError("archive-missing", `${path} has no P-chain genesis; it needs genesis-P.hex or genesis.json`, { path });
}

/** Adds the file's name to any error. */
function inFile<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new FirnError("archive-file", `${name}: ${error.message}`, { name }, { cause: error });
  }
}

function chainFiles(names: readonly string[], network: NetworkInstance, until: ReadonlyMap<string, bigint>): ChainFiles[] {
  const ids: Record<string, Id> = { P: PLATFORM_CHAIN_ID, X: network.xChainId, C: network.cChainId };
  const cortina = network.upgrades.times.cortina;
  const vertexFiles = names.includes(VERTICES) ? [VERTICES] : [];
  const files = names.flatMap((name) => {
    const file = parseBlockFile(name);
    // an archive that is still fetched may have gaps above
    const isBehind = file?.range !== undefined && file.range.from > (until.get(file.chain) ?? file.range.from);
    return file === undefined || isBehind ? [] : [file];
  });
  const found = [...new Set(files.map(({ chain }) => chain))].map((name) => {
    const blockFiles = inOrder(files.filter(({ chain }) => chain === name));
    const chainId = ids[name] ?? inFile(blockFiles[0]!.file, () => parseId(name));
    return new ChainFiles({ name, chainId, blockFiles, vertexFiles: name === "X" ? vertexFiles : [], cortina });
  });
  if (names.includes(X_BLOCKS) || (vertexFiles.length > 0 && !found.some(({ name }) => name === "X"))) {
    const blockFiles = names.includes(X_BLOCKS) ? [{ file: X_BLOCKS, chain: "X", range: undefined }] : [];
    found.push(new ChainFiles({ name: "X", chainId: network.xChainId, blockFiles, vertexFiles, cortina }));
  }
  // at equal times, a chain that others import from comes first
  const order = ["P", "X", "C"];
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return found.sort((a, b) => rank(a.name) - rank(b.name));
}

/** Items read before a damaged place are delivered before the error is thrown. */
async function* runs(items: AsyncIterable<SourceItem>): AsyncGenerator<SourceItem[]> {
  let run: SourceItem[] = [];
  let bytes = 0;
  let failure: unknown;
  try {
    for await (const item of items) {
      run.push(item);
      bytes += item.kind === "block" ? item.container.length : 0;
      if (run.length < RUN_ITEMS && bytes < RUN_BYTES) continue;
      yield run;
      run = [];
      bytes = 0;
    }
  } catch (error) {
    failure = error;
  }
  if (run.length > 0) yield run;
  if (failure !== undefined) throw failure;
}

function withPrefix(hex: string): string {
  return hex.startsWith("0x") ? hex : `0x${hex}`;
}
