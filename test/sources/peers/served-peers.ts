/** Peers of this process that serve what a store of a recording has. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatNodeId } from "../../../src/base/bytes/cb58.ts";
import { encodeHexPlain } from "../../../src/base/bytes/hex.ts";
import { EMPTY_ID, type Id, PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { vertexLinks } from "../../../src/chains/asset/vertex.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import type { NetworkInstance } from "../../../src/network/network.ts";
import { formatNetworkFile } from "../../../src/network/network-file.ts";
import type { PeerNetworkRules } from "../../../src/p2p/handshake.ts";
import { systemPeerClock } from "../../../src/p2p/peer-clock.ts";
import { DEFAULT_VERSIONS } from "../../../src/p2p/version.ts";
import type { PeerMessage } from "../../../src/p2p/wire/message-codec.ts";
import { PeerAnswers } from "../../../src/serve/peers/peer-answers.ts";
import { StoredState } from "../../../src/serve/peers/stored-state.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import type { Source } from "../../../src/sources/source.ts";
import type { StoreReader } from "../../../src/store/store.ts";
import { importUntil } from "../../conformance/checkpoints.ts";
import { type RecordingName, recordingFolder } from "../../conformance/recordings.ts";
import { openToRead } from "../../conformance/stores.ts";
import { startPeers, type TestPeers } from "../../p2p/peers.ts";
import { scratchDirectory } from "../../store/scratch.ts";

export const FROM_GENESIS = { heights: new Map<Id, bigint>(), vertices: new Map<Id, bigint>(), sharedMemoryOperations: 0n };
const PEERS = 3;

export interface ServedPeers {
  readonly archive: Source;
  readonly network: NetworkInstance;
  readonly peers: readonly TestPeers[];
  readonly rules: PeerNetworkRules;
  /** of the store that they serve */
  readonly directory: string;
  /** heights of the chains in it */
  readonly heights: ReadonlyMap<Id, bigint>;
  /** some containers of each chain, by its short name */
  readonly checkpoints: ReadonlyMap<string, readonly Id[]>;
  /** of `firn follow`, with the network and its bootstrappers */
  readonly flags: readonly string[];
  /** whatever peers were asked */
  readonly asked: PeerMessage[];
  close(): Promise<void>;
}

export async function servePeers(name: RecordingName): Promise<ServedPeers> {
  const directory = scratchDirectory();
  await importUntil(recordingFolder(name), directory, {}, "replay");
  const store = await openToRead(directory);
  const archive = await openArchive({ path: recordingFolder(name), instance: networkInstance });
  const network = await withStopVertex(archive);
  const answers = new PeerAnswers(store, network);
  const rules = { networkId: network.networkId, upgradeTime: 0n, versions: DEFAULT_VERSIONS };
  const asked: PeerMessage[] = [];
  const serve = (request: PeerMessage) => {
    asked.push(request);
    return answers.answer(request);
  };
  const peers = await Promise.all(Array.from({ length: PEERS }, () => startPeers(systemPeerClock, { rules, serve })));
  const beside = scratchDirectory();
  writeFileSync(join(beside, "network.json"), formatNetworkFile(network));
  writeFileSync(join(beside, "genesis-P.hex"), encodeHexPlain(network.genesisBytes));
  const ids = peers.map(({ identity }) => formatNodeId(identity.nodeId));
  const addresses = peers.map(({ port }) => `127.0.0.1:${port}`);
  const heights = await heightsOf(archive);
  const names = new Map([
    [PLATFORM_CHAIN_ID, "P"],
    [network.xChainId, "X"],
    [network.cChainId, "C"],
  ]);
  const checkpoints = new Map<string, readonly Id[]>();
  for (const [chainId, height] of heights) checkpoints.set(names.get(chainId) ?? "", await everyNth(store, chainId, height));
  return {
    ...{ archive, network, peers, rules, directory, asked, heights, checkpoints },
    flags: ["--network", join(beside, "network.json"), "--bootstrap-ids", ids.join(), "--bootstrap-ips", addresses.join()],
    async close() {
      await Promise.all(peers.map((peer) => peer.network.close()));
      await store.close();
    },
  };
}

const CHECKPOINTS = 8n;

async function everyNth(store: StoreReader, chainId: Id, last: bigint): Promise<readonly Id[]> {
  const state = new StoredState(store);
  const step = last / CHECKPOINTS + 1n;
  const ids: Id[] = [];
  for (let height = step; height <= last; height += step) ids.push((await state.containerAt(chainId, height))!);
  return ids;
}

async function heightsOf(source: Source): Promise<ReadonlyMap<Id, bigint>> {
  const heights = new Map<Id, bigint>();
  for await (const items of source.items(FROM_GENESIS))
    for (const item of items) if (item.kind === "block") heights.set(item.chainId, item.height);
  return heights;
}

/** A recording's own network names no stop vertex, as public ones do. */
async function withStopVertex({ network, vertices }: Source): Promise<NetworkInstance> {
  let cortinaXChainStopVertexId = EMPTY_ID;
  for await (const { bytes } of vertices?.() ?? []) {
    const { id, isStop } = vertexLinks(bytes);
    if (isStop) cortinaXChainStopVertexId = id;
  }
  return { ...network, upgrades: { ...network.upgrades, cortinaXChainStopVertexId } };
}

/** IDs of blocks, and the state of each chain. Lists over several chains are in the order in which blocks came, which is a hint. */
export function chainRows(rows: Map<string, string>): Map<string, string> {
  const tableOf = (key: string) => Number.parseInt(key.slice(0, 4), 16);
  return new Map([...rows].filter(([key]) => [2, 3].includes(tableOf(key)) || (tableOf(key) >= 100 && tableOf(key) < 200)));
}
