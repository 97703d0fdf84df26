/**
 * The typed configuration. Each key is defined once, with its type, parser and help text; flag and environment variable follow from its
 * name (`httpPort`: `--http-port`, `FIRN_HTTP_PORT`). A flag overrides the environment, which overrides the file (`--config`). Relative
 * paths in a file start at the folder of that file, all others at the working directory.
 */
import { dirname, resolve as resolvePath } from "node:path";
import { NO_LIMITS } from "../api/access/tiers.ts";
import { defaultDataSettings, WEBHOOK_TARGETS } from "../api/data/context.ts";
import { FirnError } from "../base/errors/errors.ts";
import { readWholeFile } from "../base/files/read-file.ts";
import { withoutCredentials } from "../base/json/credentials.ts";
import { DEFAULT_LIMITS } from "../base/limits.ts";
import { didYouMean } from "../base/text/near-name.ts";
import { DEFAULT_ACCOUNTS, MOST_ACCOUNTS } from "../devnet/account-options.ts";
import { type EvmChainEntry, entryOf } from "../evm/chain-entry.ts";
import { type Kind, kebab, kinds } from "./config-kinds.ts";

interface Key<T> {
  readonly kind: Kind<T>;
  readonly help: string;
  readonly default: T;
}

function key<T>(kind: Kind<T>, fallback: T, help: string): Key<T> {
  return { kind, help, default: fallback };
}

/** More than the largest machines have processors; each worker is a process of about 100 MB. */
const MAX_WORKERS = 1024;

export const configKeys = {
  dataDir: key(kinds.path("directory"), ".firn", "directory of the store and the node's keys"),
  store: key(
    kinds.optional(kinds.postgresUrl),
    undefined,
    "database of the store, such as postgres://firn@db.example.org/firn, with PGPASSWORD or storePasswordFile; default: the store is a file in dataDir",
  ),
  storeReplica: key(
    kinds.postgresUrls,
    [] as readonly string[],
    "standbys of the store's database, which are read in its place; one that lags more than maxStaleness is left out",
  ),
  storePasswordFile: key(
    kinds.optional(kinds.path("file")),
    undefined,
    "file whose first line is the password of the store's database and its replicas",
  ),
  maxStoreBytes: key(
    kinds.optional(kinds.count("bytes")),
    undefined,
    "largest size of the store, in bytes; default: no limit but the disk",
  ),
  chains: key(
    kinds.chains,
    [] as readonly EvmChainEntry[],
    "EVM chains to index and serve; write them in the configuration file. Each needs at least rpc, the URLs of its nodes",
  ),
  rpc: key(
    kinds.optional(kinds.rpcUrls),
    undefined,
    "URLs of the nodes of one EVM chain, best first; use it instead of chains for a single chain",
  ),
  network: key(
    kinds.optional(kinds.text("name")),
    undefined,
    "primary network to follow: mainnet, fuji, local, or the path of a network.json; default: the one that the store holds",
  ),
  upstream: key(
    kinds.optional(kinds.nodeUrls),
    undefined,
    "URLs of nodes of the network, best first; firn follow and firn ingest read below /ext/bc and /ext/index what they have, and issued transactions go to them",
  ),
  bootstrapIds: key(
    kinds.list("ids"),
    [] as readonly string[],
    "node IDs of the peers to meet first; default: those built into the reference node",
  ),
  bootstrapIps: key(
    kinds.list("addresses"),
    [] as readonly string[],
    "their addresses in the same order, e.g. 203.0.113.7:9651,[2001:db8::7]:9651",
  ),
  leastVersion: key(kinds.text("version"), "1.15.0", "oldest version of a peer that is taken; it rises with the upgrades of a network"),
  withPeers: key(
    kinds.flag,
    false,
    "follow peers of the network beside the nodes of upstream: whoever has a block first gives it, and the other one's must be the same",
  ),
  servePeers: key(
    kinds.optional(kinds.text("address")),
    undefined,
    "address and port at which peers may connect, who then get the blocks of this store, e.g. 0.0.0.0:9651; default: none may",
  ),
  until: key(kinds.heights, new Map<string, bigint>(), "stop after these heights, e.g. P=120,X=45,C=30"),
  level: key(
    kinds.oneOf("full", "replay"),
    "full",
    "how much of a block to verify; full: everything; replay: skips signatures and whatever the node skips for trusted blocks",
  ),
  batchBlocks: key(kinds.count("blocks"), 512, "largest number of blocks in one commit while catching up"),
  readThreads: key(
    kinds.optional(kinds.threads),
    undefined,
    "worker threads for parsing the answers of EVM chains' nodes while catching up, and as many for verifying signatures at level full; 0: none; default: one less than this machine has processors, 1 to 8",
  ),
  httpHost: key(kinds.text("address"), "127.0.0.1", "address to listen on; 0.0.0.0: all addresses"),
  httpPort: key(kinds.port, 9650, "port to listen on; 0: any free port"),
  httpAllowedHosts: key(
    kinds.list("hosts"),
    ["localhost"],
    'host names that requests may use; *.example.org: all names below it, "single-label": all names without a dot, "*": all names',
  ),
  httpAllowedOrigins: key(
    kinds.optional(kinds.list("origins")),
    undefined,
    'origins whose web pages may call this server; each may have one * as a wildcard, "*": all; default: all may read, only pages of this server, of this machine and wallets may change something',
  ),
  workers: key(
    kinds.optional(kinds.count("n", MAX_WORKERS)),
    undefined,
    "processes that answer requests; default: as many as this machine can use",
  ),
  time: key(kinds.optional(kinds.unixSeconds), undefined, "fixed time for answers that depend on the clock, in Unix seconds"),
  public: key(kinds.flag, false, "closes the methods and paths that describe this one node, as public servers do"),
  explorer: key(kinds.flagOn, true, "serve the explorer to browsers at /; false: answer as a node does there"),
  requireApiKey: key(
    kinds.keyScope,
    "none",
    "answers only requests with an API key; true or data: for the Data API, all: below /ext too. Create keys with: firn keys add",
  ),
  rateLimits: key(
    kinds.rateLimits,
    NO_LIMITS,
    "compute units that clients may spend; off, hosted, or units per minute/day for each tier, e.g. unauthenticated=600/10000,free=6000",
  ),
  rateLimitScope: key(
    kinds.oneOf("data", "all"),
    "data",
    "which requests cost compute units; data: the Data API, all: below /ext too, from the same budget. docs/methods.md has the prices",
  ),
  limits: key(kinds.limits, DEFAULT_LIMITS, "limits of requests, connections and the process"),
  trustedProxies: key(
    kinds.networks,
    [] as readonly string[],
    "proxies whose X-Forwarded-For names the client, e.g. 127.0.0.1,10.0.0.0/8; default: none",
  ),
  maxStaleness: key(
    kinds.optional(kinds.duration),
    undefined,
    "the Data API answers 503 for a chain whose index is further behind its source than this, and a replica of the store that lags more is not read; default: no limit",
  ),
  dataPageUtxos: key(
    kinds.count("n"),
    defaultDataSettings.pageUtxos,
    "a page of transactions in the Data API ends when its transactions have this number of UTXOs",
  ),
  dataRealTypeNames: key(
    kinds.flag,
    defaultDataSettings.hasRealTypeNames,
    "the Data API returns the real names of transaction types that the official SDKs do not know, instead of UNKNOWN",
  ),
  acceptBuilds: key(
    kinds.flag,
    false,
    "keep build files of contracts that anybody sends to the Data API, if the contract's code proves their sources; a devnet keeps all with the contract's code",
  ),
  signatureAggregator: key(
    kinds.optional(kinds.url),
    undefined,
    "signature aggregator that the Data API asks to have warp messages signed, e.g. http://127.0.0.1:8080; a devnet's own validators sign",
  ),
  webhookTargets: key(
    kinds.oneOf(...WEBHOOK_TARGETS),
    "public",
    "where webhooks may post messages to: only to public addresses, to all (also to private ones and to this machine), or none: there are no webhooks",
  ),
  healthCheckFrequency: key(kinds.duration, 30_000, "time between two passes of the health checks"),
  blockTime: key(
    kinds.optional(kinds.duration),
    undefined,
    "time between two blocks of a devnet's chain, e.g. 2s; default: each transaction is accepted at once",
  ),
  upgrades: key(
    kinds.optional(kinds.text("plan")),
    undefined,
    "upgrade that a devnet starts in, and when later ones activate, e.g. etna or etna,fortuna=+10m,granite=2026-12-01T00:00:00Z; default: all are active",
  ),
  genesis: key(
    kinds.optional(kinds.path("file")),
    undefined,
    "genesis JSON of a devnet, or of the network to follow (path or URL); default: that of the public network, or of the reference node's local network, 12345",
  ),
  networkFile: key(
    kinds.optional(kinds.path("file")),
    undefined,
    "network.json with a devnet's parameters; default: the file beside --genesis, else the parameters of the local network",
  ),
  genesisTime: key(
    kinds.optional(kinds.moment),
    undefined,
    "time of a devnet's genesis; default: the reference node's for today, or the time in the genesis file",
  ),
  startTime: key(kinds.optional(kinds.moment), undefined, "time of a devnet's clock at its first start; default: now"),
  accounts: key(
    kinds.optional(kinds.count("n", MOST_ACCOUNTS)),
    undefined,
    `number of accounts that a devnet's genesis funds on P, X and C, ewoq included; default: ${DEFAULT_ACCOUNTS}`,
  ),
  mnemonic: key(
    kinds.optional(kinds.text("words")),
    undefined,
    "words from which the keys of a devnet's accounts follow, but for ewoq's (BIP-39, m/44'/60'/0'/0/i); default: test test … junk, as of other development nodes",
  ),
  cChainId: key(kinds.optional(kinds.count("n")), undefined, "chain ID of a devnet's C-chain; default: 43112"),
  evm: key(
    kinds.optional(kinds.orOff(kinds.path("file"))),
    undefined,
    "anvil binary that runs a devnet's C-chain; default: the one installed with Firn; false: run no C-chain",
  ),
  allowUnprotectedTxs: key(
    kinds.flag,
    false,
    "take transactions of a devnet's C-chain that name no chain; default: refuse them, as a node does",
  ),
  settlement: key(
    kinds.flag,
    false,
    "have safe and finalized mean the last settled block of a devnet's C-chain, as on the C-chain; default: the newest block",
  ),
  minGasPrice: key(
    kinds.optional(kinds.count("wei")),
    undefined,
    "minimum gas price of a devnet's C-chain: a new network begins with it, the blocks of another one move towards it, as with a node's min-price-target; default: they do not",
  ),
  relayer: key(kinds.flagOn, true, "deliver warp messages between the messengers of a devnet's EVM chains; false: leave that to others"),
  apiKey: key(kinds.optional(kinds.text("key")), undefined, "API key, for a devnet that requires one; it needs the privilege write"),
  url: key(kinds.url, "http://127.0.0.1:9650", "URL of the devnet to command"),
  json: key(kinds.flag, false, "print JSON, one object per line"),
  logLevel: key(kinds.oneOf("trace", "debug", "info", "warn", "error", "silent"), "info", "lowest level of log lines to write"),
} as const;

export type ConfigName = keyof typeof configKeys;
export type Config = { [N in ConfigName]: (typeof configKeys)[N] extends Key<infer T> ? T : never };

/** A value is invalid; the message says where it came from. */
export class ConfigError extends FirnError {}

export interface ConfigInput {
  /** by name, from the command line */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** path of a JSON file */
  readonly file?: string | undefined;
  /** the command's own defaults */
  readonly defaults?: Partial<Config> | undefined;
}

export function readConfig({ flags, environment, file, defaults = {} }: ConfigInput): Config {
  const fromFile = file === undefined ? {} : readConfigFile(file);
  const resolve = (name: ConfigName): unknown => {
    const { kind, default: fallback } = configKeys[name] as Key<unknown>;
    const variable = environmentName(name);
    const sources: [unknown, string, (string | undefined)?][] = [
      [flags[name], `--${kebab(name)}`],
      [environment[variable], variable],
      [fromFile[name], `${name} in ${file}`, file && dirname(resolvePath(file))],
    ];
    const given = sources.find(([value]) => value !== undefined);
    return given === undefined ? (defaults[name] ?? fallback) : parse(kind, ...given);
  };
  return Object.fromEntries(configNames().map((name) => [name, resolve(name)])) as Config;
}

/** The chains that `chains` or `rpc` configure. */
export function chainEntries({ chains, rpc }: Pick<Config, "chains" | "rpc">): readonly EvmChainEntry[] {
  if (rpc === undefined) return chains;
  if (chains.length === 0) return [entryOf(rpc)];
  throw new ConfigError(
    "config",
    "rpc and chains are both given; use one: rpc for a single chain without other settings, chains otherwise",
  );
}

export function configNames(): ConfigName[] {
  return Object.keys(configKeys) as ConfigName[];
}

export function environmentName(name: string): string {
  return `FIRN_${kebab(name).replaceAll("-", "_").toUpperCase()}`;
}

/** of Firn's own tests */
const TEST_VARIABLE = /^FIRN_(TEST_|(GENESIS_FILES|PROGRAM|CHROMIUM|POSTGRES|CITUS)$)/;

/** A sentence for each variable that looks like a setting and is none. They do not stop a process: orchestrators make such variables, too. */
export function unreadVariables(environment: ConfigInput["environment"]): string[] {
  const known = ["FIRN_CONFIG", ...configNames().map(environmentName)];
  const unread = Object.keys(environment).filter((name) => name.startsWith("FIRN_") && !known.includes(name) && !TEST_VARIABLE.test(name));
  return unread.map((name) => `the environment variable ${name} is no setting and is ignored${didYouMean(name, known)}`);
}

function parse(kind: Kind<unknown>, value: unknown, origin: string, directory?: string): unknown {
  const parsed = parsedOrExplained(kind, value, origin, directory);
  if (parsed !== undefined) return parsed;
  const shown = withoutCredentials(JSON.stringify(value));
  throw new ConfigError("config", `${origin} is ${shown}; use ${kind.expects}`, { origin, value: shown });
}

function parsedOrExplained(kind: Kind<unknown>, value: unknown, origin: string, directory?: string): unknown {
  try {
    return kind.parse(value, origin, directory);
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    throw new ConfigError("config", error.message, { origin, value }, { cause: error });
  }
}

const MAX_FILE_BYTES = 1 << 20;
/** names the schema (`docs/config.schema.json`) for editors */
export const SCHEMA_KEY = "$schema";

function readConfigFile(file: string): Record<string, unknown> {
  let content: unknown;
  try {
    content = JSON.parse(readWholeFile(file, MAX_FILE_BYTES).toString());
  } catch (error) {
    throw new ConfigError("config", `${file} cannot be read as configuration: ${(error as Error).message}`, { file }, { cause: error });
  }
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new ConfigError("config", `${file} is not a JSON object; use e.g. { "httpPort": 9650 }`, { file });
  }
  const unknown = Object.keys(content).find((name) => !Object.hasOwn(configKeys, name) && name !== SCHEMA_KEY);
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, configNames()) || `; docs/configuration.md lists all keys`;
    throw new ConfigError("config", `${file} has the unknown key ${unknown}${hint}`, { file, name: unknown });
  }
  return content as Record<string, unknown>;
}
