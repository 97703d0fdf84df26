/**
 * Determines the network to follow: mainnet or fuji with built-in parameters, the local network with the upgrades that its nodes report, or
 * a custom network from its `network.json`. An upstream's report of its network must match.
 */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { formatId } from "../../base/bytes/cb58.ts";
import { sha256Hex } from "../../base/bytes/hash.ts";
import { decodeHex } from "../../base/bytes/hex.ts";
import type { Id } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { readWholeFile } from "../../base/files/read-file.ts";
import { buildGenesis } from "../../chains/platform/genesis/genesis-config.ts";
import type { GenesisConfig } from "../../network/genesis-file.ts";
import { LOCAL_EPOCH, localGenesis, localStartTime, RESTART_PERIOD } from "../../network/local-genesis.ts";
import type { Network, NetworkInstance } from "../../network/network.ts";
import { formatNetworkFile, parseNetworkFile, parseUpgradesFile } from "../../network/network-file.ts";
import { fuji, LOCAL_ID, localNetwork, mainnet, publicGenesis } from "../../network/presets.ts";
import type { NodeNetwork } from "../../sources/nodes/node-network.ts";
import { networkInstance } from "../network-instance.ts";

// Reads the genesis that a user names: a file of the reference node's form, the genesis bytes as hex, or either of them at a URL.

/** Mainnet's file has 3.5 MB. */
const MAX_BYTES = 64 << 20;
const TIMEOUT_MS = 60_000;

/** Returns the text of a genesis file, or the genesis bytes. `place` is a path, or an http(s) URL. */
async function readGenesis(place: string, signal: AbortSignal): Promise<Uint8Array | string> {
  const text = (/^https?:\/\//.test(place) ? await download(place, signal) : readWholeFile(place, MAX_BYTES)).toString().trim();
  if (text.startsWith("{")) return text;
  try {
    return decodeHex(text.startsWith("0x") ? text : `0x${text}`, { checksum: false });
  } catch (error) {
    const sentence = `${place} is not a genesis; give the JSON file of the reference node's repository, or the genesis bytes as hex`;
    throw new FirnError("genesis", sentence, { place }, { cause: error });
  }
}

async function download(url: string, signal: AbortSignal): Promise<Buffer> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    return await bounded(response);
  } catch (error) {
    const reason = (error as { cause?: Error }).cause?.message ?? (error as Error).message;
    const sentence = `the genesis cannot be read from ${url}: ${reason}; download the file by other means, and name it with --genesis <file>`;
    throw new FirnError("genesis-download", sentence, { url }, { cause: error });
  }
}

async function bounded({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES >> 20} MiB`);
  }
  return Buffer.concat(chunks);
}

export interface FollowedNetworkOptions {
  /** `mainnet`, `fuji`, `local`, or the path of a `network.json` */
  readonly name: string;
  /** path or URL; by default the public network's, the local network's, or the one beside `network.json` */
  readonly genesis?: string | undefined;
  /** called only if no other input determines the network */
  readonly upstreams: () => Promise<NodeNetwork>;
  /** called only if the genesis is none of those that the local network ever had; the bytes, or undefined if no upstream tells */
  readonly upstreamGenesis: () => Promise<Uint8Array | undefined>;
  /** the wall clock, Unix seconds */
  readonly now: bigint;
  readonly signal: AbortSignal;
}

export interface FollowedNetwork {
  readonly network: NetworkInstance;
  /** `network.json` as stored */
  readonly networkFile: Uint8Array;
}

const PRESETS = { mainnet, fuji } as const;
const MAX_NETWORK_FILE_BYTES = 1 << 20;

/** @param known genesis of an existing store */
export async function followedNetwork(options: FollowedNetworkOptions, known?: Uint8Array): Promise<FollowedNetwork> {
  const { name } = options;
  if (name === "mainnet" || name === "fuji") {
    const expected = publicGenesis(PRESETS[name].networkId)!;
    const genesis = known ?? (await readGenesis(options.genesis ?? expected.url, options.signal));
    return withGenesis(PRESETS[name], genesis, expected.genesisId);
  }
  if (name === "local") return localOf(options, known);
  const network = readNetworkFile(name);
  return withGenesis(
    network,
    known ?? (await readGenesis(genesisBeside(options), options.signal)),
    publicGenesis(network.networkId)?.genesisId,
  );
}

/** The parameters of `mainnet`, `fuji`, `local`, or of a `network.json` by its path. Throws a FirnError. */
export function networkNamed(name: string): Network {
  if (name === "mainnet" || name === "fuji") return PRESETS[name];
  return name === "local" ? localNetwork() : readNetworkFile(name);
}

/**
 * The network whose peers are asked, which do not tell its genesis: that of `local` is the reference node's for today, unless one is named.
 * @param known genesis of an existing store
 */
export async function networkOfPeers(
  options: Pick<FollowedNetworkOptions, "name" | "genesis" | "now" | "signal">,
  known?: Uint8Array,
): Promise<FollowedNetwork> {
  const { name, genesis, now, signal } = options;
  const nobody = () => Promise.reject(new Error("peers do not tell the parameters of their network"));
  if (name !== "local") return followedNetwork({ ...options, upstreams: nobody, upstreamGenesis: nobody }, known);
  if (known !== undefined) return withGenesis(localNetwork(), known);
  const bytes = genesis === undefined ? buildGenesis(localGenesis({ startTime: localStartTime(now) })) : await readGenesis(genesis, signal);
  return withGenesis(localNetwork(), bytes);
}

function withGenesis(network: Network, genesis: Uint8Array | string, expected?: Id): FollowedNetwork {
  const instance = networkInstance(network, genesis);
  if (expected !== undefined && instance.genesisId !== expected) {
    const ids = `${formatId(instance.genesisId)}, not ${formatId(expected)}`;
    throw new FirnError(
      "genesis",
      `the genesis is not that of ${network.name}: its ID is ${ids}; give the file of the reference node's repository`,
    );
  }
  return { network: instance, networkFile: Buffer.from(formatNetworkFile(network)) };
}

/**
 * The reference node moves the genesis of `local` with the date; its nodes report which one is theirs, and their upgrades. A devnet has its
 * own, and tells it.
 */
async function localOf(options: FollowedNetworkOptions, known: Uint8Array | undefined): Promise<FollowedNetwork> {
  const { networkId, upgrades, genesisId } = await options.upstreams();
  if (networkId !== LOCAL_ID) {
    throw new FirnError(
      "follow-network",
      `the upstream is of network ${networkId}, not of the local network ${LOCAL_ID}; use another --network`,
    );
  }
  const network: Network = { ...localNetwork(), upgrades: parseUpgradesFile(upgrades, "info.upgrades") };
  if (known !== undefined) return withGenesis(network, known, genesisId);
  if (options.genesis !== undefined) return withGenesis(network, await readGenesis(options.genesis, options.signal), genesisId);
  const isIt = (bytes: Uint8Array | undefined) => bytes !== undefined && sha256Hex(bytes) === genesisId;
  const genesis = localGeneses(options.now).find(isIt) ?? [await options.upstreamGenesis()].find(isIt);
  if (genesis !== undefined) return withGenesis(network, genesis);
  throw new FirnError(
    "follow-network",
    `the upstream's genesis ${formatId(genesisId)} is none that the local network ever had; name its file with --genesis <file>`,
    { genesisId: formatId(genesisId) },
  );
}

function localGeneses(now: bigint): Buffer[] {
  const newest = localStartTime(now);
  const starts = Array.from({ length: Number((newest - LOCAL_EPOCH) / RESTART_PERIOD) + 1 }, (_, i) => newest - BigInt(i) * RESTART_PERIOD);
  return starts.map((startTime): GenesisConfig => localGenesis({ startTime })).map(buildGenesis);
}

function readNetworkFile(path: string): Network {
  let json: unknown;
  try {
    json = JSON.parse(readWholeFile(path, MAX_NETWORK_FILE_BYTES).toString());
  } catch (error) {
    const sentence = `--network ${path}: ${(error as Error).message}; use mainnet, fuji, local, or the path of a network.json`;
    throw new FirnError("follow-network", sentence, { path }, { cause: error });
  }
  return parseNetworkFile(json, path);
}

/** The genesis file beside `network.json`, as in recordings. */
function genesisBeside({ name, genesis }: FollowedNetworkOptions): string {
  if (genesis !== undefined) return genesis;
  const beside = ["genesis.json", "genesis-P.hex"].map((file) => join(dirname(name), file)).find((path) => existsSync(path));
  if (beside !== undefined) return beside;
  throw new FirnError("follow-network", `there is no genesis.json beside ${name}; name the genesis with --genesis <file>`, { name });
}
