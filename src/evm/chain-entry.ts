/**
 * One entry of `chains` as the operator wrote it: only `rpc` must be there. Everything is checked here, so that a mistake is told at the start
 * and by its place. What is missing is completed from the chain itself (`src/ingest/evm/`).
 */
import { isAbsolute, resolve } from "node:path";
import { parseId } from "../primitives/cb58.ts";
import { JsonInput } from "../primitives/json-input.ts";
import type { EvmChainSettings, NativeToken, NftFetchSettings } from "./chain-settings.ts";

type Optional<T> = { readonly [N in keyof T]?: T[N] | undefined };

export interface EvmChainEntry extends Optional<Omit<EvmChainSettings, "rpc" | "nativeToken" | "files" | "nfts">> {
  readonly rpc: readonly string[];
  /** what `eth_chainId` must answer; undefined: whatever it does */
  readonly evmChainId?: bigint | undefined;
  readonly nativeToken: Optional<NativeToken>;
  readonly files: EvmChainSettings["files"];
  readonly nfts: Optional<NftFetchSettings>;
}

/** An entry of which only the URLs are known, as `--rpc` gives it. */
export function entryOf(rpc: readonly string[]): EvmChainEntry {
  return { rpc, nativeToken: {}, files: { tokenList: undefined, prices: undefined, abis: [] }, nfts: {} };
}

const MAX_REORG_DEPTH = 4096n;
const MAX_NFT_BYTES = 64n << 20n;
const MAX_NFT_TIMEOUT_MS = 600_000n;
const MAX_TEXT = 2048;

/** @param origin how the document is called in errors */
export function parseChainEntries(json: unknown, origin: string): readonly EvmChainEntry[] {
  const entries = new JsonInput(json, origin).list().map(readEntry);
  const seen = new Set<string>();
  for (const url of entries.flatMap(({ rpc }) => rpc)) {
    if (seen.has(url)) throw new JsonInput(url, origin).wrong("each URL in one chain only");
    seen.add(url);
  }
  return entries;
}

function readEntry(entry: JsonInput): EvmChainEntry {
  const members = new Members(entry, [
    ...["rpc", "evmChainId", "name", "description", "blockchainId", "subnetId", "vmId", "isTestnet", "nativeToken", "publicRpcUrl"],
    ...["publicWsUrl", "explorerUrl", "logoUri", "isPrivate", "startBlock", "maxReorgDepth", "multicall", "traces", "files", "nfts"],
  ]);
  return {
    rpc: rpcUrls(entry.member("rpc")),
    evmChainId: members.read("evmChainId", (value) => value.integer()),
    name: members.read("name", plainText),
    description: members.read("description", plainText),
    blockchainId: members.read("blockchainId", (value) => value.read(parseId, "a blockchain ID in cb58")),
    subnetId: members.read("subnetId", (value) => value.read(parseId, "a subnet ID in cb58")),
    vmId: members.read("vmId", (value) => value.read(parseId, "a VM ID in cb58")),
    isTestnet: members.read("isTestnet", flag),
    nativeToken: members.read("nativeToken", readNativeToken) ?? {},
    publicRpcUrl: members.read("publicRpcUrl", (value) => url(value, ["http:", "https:"])),
    publicWsUrl: members.read("publicWsUrl", (value) => url(value, ["ws:", "wss:"])),
    explorerUrl: members.read("explorerUrl", (value) => url(value, ["http:", "https:"])),
    logoUri: members.read("logoUri", plainText),
    isPrivate: members.read("isPrivate", flag),
    startBlock: members.read("startBlock", (value) => value.integer()),
    maxReorgDepth: members.read("maxReorgDepth", (value) => Number(value.integer(MAX_REORG_DEPTH))),
    multicall: members.read("multicall", address),
    traces: members.read("traces", flag),
    files: members.read("files", readFiles) ?? entryOf([]).files,
    nfts: members.read("nfts", readNfts) ?? {},
  };
}

function readNativeToken(token: JsonInput): Optional<NativeToken> {
  const members = new Members(token, ["name", "symbol", "decimals", "logoUri", "description"]);
  return {
    name: members.read("name", plainText),
    symbol: members.read("symbol", plainText),
    decimals: members.read("decimals", (value) => Number(value.integer(255n))),
    logoUri: members.read("logoUri", plainText),
    description: members.read("description", plainText),
  };
}

function readFiles(files: JsonInput): EvmChainSettings["files"] {
  const members = new Members(files, ["tokenList", "prices", "abis"]);
  return {
    tokenList: members.read("tokenList", file),
    prices: members.read("prices", file),
    abis: members.read("abis", (value) => value.list().map(file)) ?? [],
  };
}

function readNfts(nfts: JsonInput): Optional<NftFetchSettings> {
  const members = new Members(nfts, ["fetches", "ipfsGateway", "maxBytes", "timeoutMs"]);
  return {
    fetches: members.read("fetches", flag),
    ipfsGateway: members.read("ipfsGateway", (value) => url(value, ["http:", "https:"])),
    maxBytes: members.read("maxBytes", (value) => positive(value, MAX_NFT_BYTES)),
    timeoutMs: members.read("timeoutMs", (value) => positive(value, MAX_NFT_TIMEOUT_MS)),
  };
}

/** The members of one object: none but those that there are, each absent or right. */
class Members {
  readonly #object: JsonInput;

  constructor(object: JsonInput, names: readonly string[]) {
    this.#object = object;
    // also refuses what is no object
    object.optionalMember(names[0]!);
    const unknown = Object.keys(object.value as object).find((name) => !names.includes(name));
    if (unknown !== undefined) throw object.wrong(`only ${names.join(", ")} (${unknown} is unknown)`);
  }

  read<T>(name: string, read: (value: JsonInput) => T): T | undefined {
    const value = this.#object.optionalMember(name);
    return value === undefined ? undefined : read(value);
  }
}

function rpcUrls(value: JsonInput): readonly string[] {
  const urls = Array.isArray(value.value) ? value.list() : [value];
  if (urls.length === 0) throw value.wrong("at least one URL");
  return urls.map((each) => url(each, ["http:", "https:", "ws:", "wss:"]));
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

function flag(value: JsonInput): boolean {
  if (typeof value.value !== "boolean") throw value.wrong("true or false");
  return value.value;
}

function positive(value: JsonInput, most: bigint): number {
  const number = value.integer(most);
  if (number === 0n) throw value.wrong(`an integer from 1 to ${most}`);
  return Number(number);
}

function address(value: JsonInput): string {
  const text = value.text();
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw value.wrong("an address: 0x and 40 digits of hex");
  return text.slice(2).toLowerCase();
}

/** Relative to the working directory of the command; kept absolute, since other processes read it too. */
function file(value: JsonInput): string {
  const path = plainText(value);
  return isAbsolute(path) ? path : resolve(path);
}
