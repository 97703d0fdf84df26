/**
 * One entry of `chains` in the configuration; only `rpc` is required. Everything is checked here, so that Firn reports a mistake at the
 * start, with its place. Missing settings are completed from the chain itself (`src/evm/ingest/`).
 */
import { resolve } from "node:path";
import { parseId } from "../base/bytes/cb58.ts";
import { JsonInput } from "../base/json/json-input.ts";
import { type JsonSchema, type Member, member, object, objectSchema, readMembers } from "../base/json/json-members.ts";
import type { EvmChainSettings, NativeToken, NftFetchSettings } from "./chain-settings.ts";

type Optional<T> = { readonly [N in keyof T]?: T[N] | undefined };

export interface EvmChainEntry extends Optional<Omit<EvmChainSettings, "rpc" | "nativeToken" | "files" | "nfts">> {
  readonly rpc: readonly string[];
  /** expected answer of `eth_chainId`; undefined: any */
  readonly evmChainId?: bigint | undefined;
  readonly nativeToken: Optional<NativeToken>;
  readonly files: EvmChainSettings["files"];
  readonly nfts: Optional<NftFetchSettings>;
}

/** An entry that has only URLs, as given by `--rpc`. */
export function entryOf(rpc: readonly string[]): EvmChainEntry {
  return { rpc, nativeToken: {}, files: { tokenList: undefined, prices: undefined, names: undefined, abis: [] }, nfts: {} };
}

const MAX_REORG_DEPTH = 4096;
const MAX_NFT_BYTES = 64 << 20;
const MAX_NFT_TIMEOUT_MS = 600_000;
const MAX_TEXT = 2048;
const HTTP = ["http:", "https:"];
const WS = ["ws:", "wss:"];

const TEXT: JsonSchema = { type: "string", minLength: 1, maxLength: MAX_TEXT };
const ADDRESS: JsonSchema = { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" };
const FROM_ZERO: JsonSchema = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

const nativeToken = {
  name: text("Name of the coin."),
  symbol: text("Its symbol."),
  decimals: number(0, 255, "Its decimals.", 18),
  logoUri: text("URI of its logo."),
  description: text("What the coin is."),
};

const files = {
  tokenList: path("Token list (tokenlists.org): names, symbols and logos of tokens."),
  prices: path("Prices of whole tokens, by address or `native`."),
  names: path("Names of accounts and contracts, by address."),
  abis: member({ type: "array", items: TEXT, description: "ABIs or compiler artifacts: names of methods." }, (value, directory) =>
    value.list().map((item) => absolutePath(item, directory)),
  ),
};

const nfts = {
  fetches: flag("Fetch what token URIs name.", false),
  ipfsGateway: link(HTTP, "URL in front of a CID. Without it ipfs:// is not fetched."),
  maxBytes: number(1, MAX_NFT_BYTES, "Largest answer, in bytes.", 1 << 20),
  timeoutMs: number(1, MAX_NFT_TIMEOUT_MS, "Longest wait for an answer, in milliseconds.", 10_000),
};

const chain = {
  rpc: member({ ...oneOrMore(urlSchema([...HTTP, ...WS])), description: "URL or URLs of the chain's nodes, best first." }, rpcUrls),
  evmChainId: member({ ...FROM_ZERO, description: "A node of another chain is refused. Default: what the node says." }, (value) =>
    value.integer(),
  ),
  name: text("Name that clients show."),
  description: text("What the chain is."),
  blockchainId: cb58("blockchain"),
  subnetId: cb58("subnet"),
  vmId: cb58("VM"),
  isTestnet: flag("Whether it is a test network."),
  nativeToken: object("The chain's coin.", nativeToken),
  publicRpcUrl: link(HTTP, "URL that clients are told. Default: the first one of rpc, without password and query."),
  publicWsUrl: link(WS, "WebSocket URL that clients are told."),
  explorerUrl: link(HTTP, "URL of an explorer."),
  logoUri: text("URI of the chain's logo."),
  isPrivate: flag("Shown to clients.", false),
  startBlock: member({ ...FROM_ZERO, description: "First block to index.", default: 0 }, (value) => value.integer()),
  maxReorgDepth: number(
    0,
    MAX_REORG_DEPTH,
    "Blocks that may be replaced; 0: blocks are final. Default: 0 on Avalanche's chains, else 128.",
  ),
  multicall: member({ ...ADDRESS, description: "Contract that answers many calls in one. Default: Multicall3." }, address),
  traces: flag("Ask for call traces.", true),
  metrics: flag("Keep metrics by hour, day, week and month.", true),
  messengers: member(
    {
      type: "array",
      items: ADDRESS,
      description: "Contracts whose interchain messages are indexed. Default: TeleporterMessenger at its usual address.",
    },
    (value) => value.list().map(address),
  ),
  files: object("What the operator knows of tokens and contracts. Paths are relative to the file that names them.", files),
  nfts: object("How metadata of NFTs is fetched.", nfts),
};

export const chainEntriesSchema: JsonSchema = { type: "array", items: { ...objectSchema(chain), required: ["rpc"] } };

/**
 * @param origin name of the document in errors
 * @param directory to which paths in the document are relative
 */
export function parseChainEntries(json: unknown, origin: string, directory = process.cwd()): readonly EvmChainEntry[] {
  const entries = new JsonInput(json, origin).list().map((entry) => readEntry(entry, directory));
  const seen = new Set<string>();
  for (const url of entries.flatMap(({ rpc }) => rpc)) {
    if (seen.has(url)) throw new JsonInput(url, origin).wrong("each URL in one chain only");
    seen.add(url);
  }
  return entries;
}

function readEntry(entry: JsonInput, directory: string): EvmChainEntry {
  const { nativeToken = {}, nfts = {}, files, ...given } = readMembers(entry, chain, directory);
  const rpc = given.rpc ?? rpcUrls(entry.member("rpc"));
  return {
    ...given,
    rpc,
    nativeToken,
    nfts,
    files: { tokenList: files?.tokenList, prices: files?.prices, names: files?.names, abis: files?.abis ?? [] },
  };
}

function text(description: string): Member<string> {
  return member({ ...TEXT, description }, plainText);
}

function flag(description: string, byDefault?: boolean): Member<boolean> {
  return member({ type: "boolean", description, default: byDefault }, (value) => {
    if (typeof value.value !== "boolean") throw value.wrong("true or false");
    return value.value;
  });
}

function number(least: 0 | 1, most: number, description: string, byDefault?: number): Member<number> {
  return member({ type: "integer", minimum: least, maximum: most, description, default: byDefault }, (value) => {
    const read = Number(value.integer(BigInt(most)));
    if (read < least) throw value.wrong(`an integer from ${least} to ${most}`);
    return read;
  });
}

function path(description: string): Member<string> {
  return member({ ...TEXT, description }, absolutePath);
}

function link(protocols: readonly string[], description: string): Member<string> {
  return member({ ...urlSchema(protocols), description }, (value) => url(value, protocols));
}

function cb58(what: string): Member<string> {
  const description = `Its ${what} ID, if a P-chain created it. Default: what the node says.`;
  return member({ type: "string", pattern: "^[1-9A-HJ-NP-Za-km-z]+$", description }, (value) =>
    value.read(parseId, `a ${what} ID in cb58`),
  );
}

function urlSchema(protocols: readonly string[]): JsonSchema {
  return { ...TEXT, pattern: `^(${protocols.join("|")})//` };
}

function oneOrMore(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: "array", items: schema, minItems: 1 }] };
}

function rpcUrls(value: JsonInput): readonly string[] {
  const urls = Array.isArray(value.value) ? value.list() : [value];
  if (urls.length === 0) throw value.wrong("at least one URL");
  return urls.map((each) => url(each, [...HTTP, ...WS]));
}

function url(value: JsonInput, protocols: readonly string[]): string {
  const text = plainText(value);
  if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
  throw value.wrong(`a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`);
}

function plainText(value: JsonInput): string {
  const text = value.text();
  if (text === "" || text.length > MAX_TEXT) throw value.wrong(`a text of 1 to ${MAX_TEXT} characters`);
  return text;
}

function address(value: JsonInput): string {
  const text = value.text();
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw value.wrong("an address: 0x and 40 digits of hex");
  return text.slice(2).toLowerCase();
}

/** The path is made absolute, since other processes read it too. */
function absolutePath(value: JsonInput, directory: string): string {
  return resolve(directory, plainText(value));
}
