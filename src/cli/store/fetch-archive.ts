/** Fetches the blocks of a network from its peers into an archive, for `firn archive fetch`. */
import { pino } from "pino";
import { formatId } from "../../base/bytes/cb58.ts";
import { encodeHexPlain } from "../../base/bytes/hex.ts";
import { EMPTY_ID, type Id, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { pause } from "../../base/work/pause.ts";
import { networkOfPeers } from "../../ingest/following/followed-network.ts";
import { checkpointsOf } from "../../network/checkpoints.ts";
import { acceptedFrontier, type Voters } from "../../p2p/accepted-frontier.ts";
import { PeerNetwork } from "../../p2p/peer-network.ts";
import { COMPRESSED, GrowingArchive } from "../../sources/archives/growing-archive.ts";
import { headReader } from "../../sources/nodes/chain-reader.ts";
import { ContainerWalk } from "../../sources/peers/container-walk.ts";
import { anchorsOf, ChainFetch } from "../../sources/peers/fetch-chain.ts";
import { PeerVertices } from "../../sources/peers/peer-vertices.ts";
import { beaconsOf, type PeerFlags, passingIdentity, requireNetworkName, rulesOf, waitOf } from "../peer-flags.ts";

interface FetchArchiveOptions extends PeerFlags {
  /** mainnet, fuji, local, or the path of a network.json */
  readonly network: string | undefined;
  readonly genesis: string | undefined;
  /** seconds */
  readonly wait: string | undefined;
  /** short names of chains, apart by commas; undefined: P, X and C */
  readonly only?: string | undefined;
  readonly folder: string;
  readonly signal: AbortSignal;
  /** default 10,000 */
  readonly segmentBlocks?: number;
  /** milliseconds until a peer that failed is asked again; default 1,000 */
  readonly firstRestMs?: number;
  /** of a chain, as PeerSource takes them */
  readonly checkpoints?: (chain: string) => readonly Id[];
  readonly onSegment: (file: string, blocks: number) => void;
  /** called before the vertices of the X-chain are fetched, which takes long */
  readonly onVertices: () => void;
}

const LOOK_EVERY_MS = 50;
const VERTICES = `vertices.jsonl${COMPRESSED}`;
const SILENT = pino({ level: "silent" });

/** Resolves to the number of blocks that were written. */
export async function fetchArchive(options: FetchArchiveOptions): Promise<number> {
  const { signal, folder, genesis, segmentBlocks, firstRestMs } = options;
  const now = BigInt(Date.now());
  const { network, networkFile } = await networkOfPeers({ name: requireNetworkName(options.network), genesis, now: now / 1000n, signal });
  const { checkpoints = (chain) => checkpointsOf(network.networkId, chain) } = options;
  const beacons = beaconsOf(options, network.networkId);
  const waitMs = waitOf(options.wait);
  const wanted = chainsOf(options.only);
  const archive = new GrowingArchive(folder);
  await archive.identify("genesis-P.hex", `${encodeHexPlain(network.genesisBytes)}\n`);
  await archive.identify("network.json", `${Buffer.from(networkFile).toString()}\n`);
  const peers = new PeerNetwork({ identity: passingIdentity(), rules: rulesOf(network, options), beacons });
  const voters: Voters = new Map(beacons.map(({ nodeId }) => [nodeId, 1n]));
  let total = 0;
  try {
    await enoughPeers(peers, voters, waitMs, signal);
    const known: [string, Id][] = [
      ["P", PLATFORM_CHAIN_ID],
      ["X", network.xChainId],
      ["C", network.cChainId],
    ];
    const chains = known.filter(([name]) => wanted.has(name));
    if (wanted.has("X") && network.upgrades.cortinaXChainStopVertexId !== EMPTY_ID && !archive.has(VERTICES)) {
      options.onVertices();
      await fetchVertices(new PeerVertices({ network, peers, directory: folder, log: SILENT, firstRestMs }), archive, signal);
    }
    for (const [chain, chainId] of chains) {
      if (signal.aborted) break;
      const tip = (await acceptedFrontier(peers, chainId, voters)).at(-1);
      if (tip === undefined) throw noTip(chain, network.name);
      const walk = new ContainerWalk({
        peers,
        chainId,
        readHead: headReader(chainId, network),
        signal,
        ...(firstRestMs && { firstRestMs }),
      });
      const onSegment = (file: string, blocks: number) => {
        total += blocks;
        options.onSegment(file, blocks);
      };
      const height = await walk.heightOfTip(tip.containerId);
      // block 0 follows from the genesis: a chain that has no other has nothing to fetch
      if (height === undefined) continue;
      const anchors = await anchorsOf(walk, checkpoints(chain), 0n, { containerId: tip.containerId, height });
      const walks = () => peers.peers.length;
      const times = { now: now * 1_000_000n, ...(segmentBlocks && { segmentBlocks }) };
      const fetch = new ChainFetch({ walk, archive, chain, anchors, signal, walks, onSegment, ...times });
      await fetch.reached(anchors.at(-1)!).finally(() => fetch.close());
    }
    return total;
  } finally {
    await peers.close();
  }
}

function chainsOf(only = "P,X,C"): ReadonlySet<string> {
  const names = only.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !["P", "X", "C"].includes(name));
  if (unknown !== undefined) throw new FirnError("config", `--only has ${unknown || "no chain"}; use P, X and C, such as P,X`);
  return new Set(names);
}

/** All of them are one file of the archive, parents before children. They are kept beside it until all are there. */
async function fetchVertices(vertices: PeerVertices, archive: GrowingArchive, signal: AbortSignal): Promise<void> {
  try {
    await vertices.prepare(0n, signal);
    if (!signal.aborted) await archive.add(VERTICES, linesOf(vertices, signal));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await vertices.close();
  }
  if (!signal.aborted) await vertices.clear();
}

async function* linesOf(vertices: PeerVertices, signal: AbortSignal): AsyncGenerator<string> {
  for await (const run of vertices.items(0n, signal)) {
    for (const { id, bytes } of run) yield `${JSON.stringify({ id: formatId(id!), bytes: encodeHexPlain(bytes) })}\n`;
  }
  // a file that is cut short must not be named
  if (signal.aborted) throw new FirnError("upstream-aborted", "the fetching of vertices was stopped");
}

/** As a node does: three quarters of them, or, after a while, as many as there are. */
async function enoughPeers(peers: PeerNetwork, voters: Voters, waitMs: number, signal: AbortSignal): Promise<void> {
  for (let waited = 0; waited < waitMs && !signal.aborted; waited += LOOK_EVERY_MS) {
    if (4 * [...voters.keys()].filter((nodeId) => peers.isConnected(nodeId)).length >= 3 * voters.size) return;
    await pause(LOOK_EVERY_MS, signal);
  }
}

function noTip(chain: string, network: string): FirnError {
  const sentence = `there is no block of the ${chain}-chain that the majority of the bootstrappers of ${network} says it has accepted; firn peers says which of them answer`;
  return new FirnError("peers", sentence, { chain });
}
