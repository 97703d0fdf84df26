/**
 * The one typed configuration. Each key is defined once: type, parser, help text; its flag and its environment variable follow from its
 * name (`httpPort`: `--http-port`, `FIRN_HTTP_PORT`). Weights rise: default, file (`--config`), environment, flag.
 */
import { readFileSync } from "node:fs";
import { NO_LIMITS } from "../data/access/tiers.ts";
import { defaultDataSettings } from "../data/context.ts";
import { type EvmChainEntry, entryOf } from "../evm/chain-entry.ts";
import { FirnError } from "../primitives/errors.ts";
import { type Kind, kebab, kinds } from "./config-kinds.ts";

interface Key<T> {
  readonly kind: Kind<T>;
  readonly help: string;
  readonly default: T;
}

function key<T>(kind: Kind<T>, fallback: T, help: string): Key<T> {
  return { kind, help, default: fallback };
}

export const configKeys = {
  dataDir: key(kinds.text("directory"), ".firn", "where the store and the node's keys are kept"),
  maxStoreBytes: key(kinds.optional(kinds.count("bytes")), undefined, "largest size of the store; by default the disk is the limit"),
  chains: key(
    kinds.chains,
    [] as readonly EvmChainEntry[],
    "EVM chains to index and serve, best written in the configuration file; each has at least rpc, the URLs of its nodes",
  ),
  rpc: key(kinds.optional(kinds.rpcUrls), undefined, "URLs of nodes of one EVM chain, best first: short for chains with this one"),
  until: key(kinds.heights, new Map<string, bigint>(), "stop after these heights, e.g. P=120,X=45,C=30"),
  level: key(
    kinds.oneOf("full", "replay"),
    "full",
    "rules that blocks are held against; replay skips signatures and what else the node skips for trusted blocks",
  ),
  batchBlocks: key(kinds.count("blocks"), 512, "most blocks in one commit while catching up"),
  httpHost: key(kinds.text("address"), "127.0.0.1", "address to listen on; 0.0.0.0 for all"),
  httpPort: key(kinds.port, 9650, "port to listen on; 0 for a free one"),
  httpAllowedHosts: key(kinds.list("hosts"), ["localhost"], 'host names that requests may be addressed to, "*" for all'),
  httpAllowedOrigins: key(
    kinds.list("origins"),
    ["*"] as readonly string[],
    'origins whose web pages may call this server, with one * as a wildcard each, "*" for all',
  ),
  workers: key(kinds.optional(kinds.count("n")), undefined, "processes that answer requests; by default as many as help on this machine"),
  time: key(kinds.optional(kinds.unixSeconds), undefined, "fixes the clock that answers depend on, Unix seconds"),
  public: key(kinds.flag, false, "closes methods that tell about this one node, as public servers do"),
  requireApiKey: key(kinds.flag, false, "the Data API answers only requests with an API key; make keys with: firn keys add"),
  rateLimits: key(
    kinds.rateLimits,
    NO_LIMITS,
    "what clients of the Data API may spend: off, hosted, or compute units per minute/day of tiers, e.g. unauthenticated=600/10000,free=6000",
  ),
  trustedProxies: key(
    kinds.networks,
    [] as readonly string[],
    "proxies whose X-Forwarded-For names the client of the Data API, e.g. 127.0.0.1,10.0.0.0/8; by default none",
  ),
  maxStaleness: key(
    kinds.optional(kinds.duration),
    undefined,
    "the Data API answers 503 for a chain whose index is further behind its source; by default it serves any age",
  ),
  dataPageUtxos: key(
    kinds.count("n"),
    defaultDataSettings.pageUtxos,
    "a page of transactions of the Data API ends with the one that reaches this number of UTXOs",
  ),
  dataRealTypeNames: key(
    kinds.flag,
    defaultDataSettings.hasRealTypeNames,
    "the Data API names types of transactions that its official SDKs do not know, instead of UNKNOWN",
  ),
  healthCheckFrequency: key(kinds.duration, 30_000, "how often health is checked"),
  blockTime: key(
    kinds.optional(kinds.duration),
    undefined,
    "a devnet makes a block of each chain at most this often, e.g. 2s; by default each transaction is accepted at once",
  ),
  upgrades: key(
    kinds.optional(kinds.text("plan")),
    undefined,
    "era that a devnet starts in, and when later upgrades come, e.g. etna or etna,fortuna=+10m,granite=2026-12-01T00:00:00Z; by default all are active",
  ),
  genesis: key(
    kinds.optional(kinds.text("file")),
    undefined,
    "genesis JSON of a devnet; by default the reference node's local network, 12345",
  ),
  networkFile: key(
    kinds.optional(kinds.text("file")),
    undefined,
    "network.json with a devnet's parameters; by default the one beside --genesis, else those of the local network",
  ),
  genesisTime: key(
    kinds.optional(kinds.moment),
    undefined,
    "when a devnet's genesis is; by default as the reference node has it on this day, or as the genesis file says",
  ),
  startTime: key(kinds.optional(kinds.moment), undefined, "what a devnet's clock shows at its first start; by default now"),
  evm: key(
    kinds.optional(kinds.text("file")),
    undefined,
    "binary of anvil that runs a devnet's C-chain; by default the one installed with Firn",
  ),
  url: key(kinds.url, "http://127.0.0.1:9650", "where the devnet answers that this command is for"),
  json: key(kinds.flag, false, "print JSON for machines, one object per line"),
  logLevel: key(kinds.oneOf("trace", "debug", "info", "warn", "error", "silent"), "info", "least important log lines that are written"),
} as const;

export type ConfigName = keyof typeof configKeys;
export type Config = { [N in ConfigName]: (typeof configKeys)[N] extends Key<infer T> ? T : never };

/** A value that cannot be used, and where it came from. */
export class ConfigError extends FirnError {}

export interface ConfigInput {
  /** by name, as the command line gives them */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** path of a JSON file */
  readonly file?: string | undefined;
  /** of the command, where they differ from everybody else's */
  readonly defaults?: Partial<Config> | undefined;
}

export function readConfig({ flags, environment, file, defaults = {} }: ConfigInput): Config {
  const fromFile = file === undefined ? {} : readConfigFile(file);
  const resolve = (name: ConfigName): unknown => {
    const { kind, default: fallback } = configKeys[name] as Key<unknown>;
    const variable = environmentName(name);
    const sources: [unknown, string][] = [
      [flags[name], `--${kebab(name)}`],
      [environment[variable], variable],
      [fromFile[name], `${name} in ${file}`],
    ];
    const given = sources.find(([value]) => value !== undefined);
    return given === undefined ? (defaults[name] ?? fallback) : parse(kind, given[0], given[1]);
  };
  return Object.fromEntries(configNames().map((name) => [name, resolve(name)])) as Config;
}

/** What `chains` and `rpc` say together. */
export function chainEntries({ chains, rpc }: Pick<Config, "chains" | "rpc">): readonly EvmChainEntry[] {
  if (rpc === undefined) return chains;
  if (chains.length === 0) return [entryOf(rpc)];
  throw new ConfigError("config", "rpc and chains are both given; use one: rpc is short for one chain with nothing else to say of it");
}

export function configNames(): ConfigName[] {
  return Object.keys(configKeys) as ConfigName[];
}

export function environmentName(name: string): string {
  return `FIRN_${kebab(name).replaceAll("-", "_").toUpperCase()}`;
}

function parse(kind: Kind<unknown>, value: unknown, origin: string): unknown {
  const parsed = parsedOrExplained(kind, value, origin);
  if (parsed !== undefined) return parsed;
  throw new ConfigError("config", `${origin} is ${JSON.stringify(value)}; use ${kind.expects}`, { origin, value });
}

function parsedOrExplained(kind: Kind<unknown>, value: unknown, origin: string): unknown {
  try {
    return kind.parse(value, origin);
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    throw new ConfigError("config", error.message, { origin, value }, { cause: error });
  }
}

function readConfigFile(file: string): Record<string, unknown> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new ConfigError("config", `${file} cannot be read as configuration: ${(error as Error).message}`, { file }, { cause: error });
  }
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new ConfigError("config", `${file} holds no JSON object; use e.g. { "httpPort": 9650 }`, { file });
  }
  const unknown = Object.keys(content).find((name) => !(name in configKeys));
  if (unknown !== undefined) {
    throw new ConfigError("config", `${file} has the unknown key ${unknown}; use ${configNames().join(", ")}`, { file, name: unknown });
  }
  return content as Record<string, unknown>;
}
