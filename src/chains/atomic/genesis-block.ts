/**
 * Makes block 0 of the C-chain from the network's genesis, because no source has it. A public network's block 0 differs from a devnet's,
 * since their EVMs differ, and a genesis may have unknown settings. The results are therefore candidates; whatever knows the hash of block
 * 0, such as block 1, decides which one is right.
 */

import { keccak256 } from "../../base/bytes/hash.ts";
import { encodeRlpInteger, encodeRlpList, encodeRlpString } from "../../base/codec/rlp.ts";
import { isActive, type NetworkInstance } from "../../network/network.ts";
import { type CChainBlock, encodeCChainBlock, parseCChainBlock } from "./block.ts";
import { EMPTY_TRIE_ROOT, type TrieEntry, trieRoot } from "./trie-root.ts";

/** gas limit of a devnet's blocks, as on the C-chain since Cortina */
export const DEVELOPMENT_GAS_LIMIT = 15_000_000n;

/** Quantities are hex or decimal text. */
interface GenesisAccount {
  readonly balance?: string;
  readonly nonce?: string;
  readonly code?: string;
  readonly storage?: Readonly<Record<string, string>>;
}

interface Genesis {
  readonly nonce?: string;
  readonly timestamp?: string;
  readonly extraData?: string;
  readonly gasLimit?: string;
  readonly difficulty?: string;
  readonly mixHash?: string;
  readonly coinbase?: string;
  readonly baseFeePerGas?: string | null;
  readonly alloc?: Readonly<Record<string, GenesisAccount>>;
}

const NO_BYTES = new Uint8Array();
const ZERO_HASH = encodeRlpString(new Uint8Array(32));
const ZERO_ADDRESS = new Uint8Array(20);
const BLOOM = encodeRlpString(new Uint8Array(256));
const NO_UNCLES = encodeRlpString(keccak256(encodeRlpList([])));
const ZERO = encodeRlpInteger(0n);
const GWEI = 1_000_000_000n;
const FIRST_BASE_FEE = 225n * GWEI;
const FIRST_MIN_DELAY_EXCESS = 7_970_124n;
/** target and price exponents, and what the previous block settled */
const HELICON_FIELDS = 6;
/** the warp precompile has an account from Durango on */
const WARP_ADDRESS = "0200000000000000000000000000000000000005";
const WARP_ACCOUNT: GenesisAccount = { nonce: "1", code: "0x01" };

/** @param genesis bytes of the chain's CreateChainTx; if they are not the genesis of an EVM, there are no candidates. Yields between accounts */
export function* genesisBlocks(genesis: Uint8Array, network: NetworkInstance): Generator<undefined, CChainBlock[]> {
  try {
    const json = JSON.parse(Buffer.from(genesis).toString("utf8")) as Genesis;
    return [yield* avalancheHeader(json, network), developmentHeader(json, network)].map((header) => {
      const bytes = encodeCChainBlock({ header, transactions: [], extraData: NO_BYTES });
      return parseCChainBlock(bytes, network.upgrades.times.apricotPhase5);
    });
  } catch {
    return []; // anybody can put anything into a genesis
  }
}

function* avalancheHeader(json: Genesis, network: NetworkInstance): Generator<undefined, Buffer> {
  const { nonce, timestamp, extraData = "", gasLimit, difficulty, mixHash, coinbase, baseFeePerGas } = json;
  const time = quantity(timestamp);
  const active = (upgrade: Parameters<typeof isActive>[1]) => isActive(network, upgrade, time);
  const accounts = { ...json.alloc, ...(active("durango") && { [WARP_ADDRESS]: WARP_ACCOUNT }) };
  const entries: TrieEntry[] = [];
  for (const [address, account] of Object.entries(accounts)) entries.push(yield* accountEntry(address, account));
  const fields = commonFields({
    root: yield* trieRoot(entries),
    gasLimit: quantity(gasLimit),
    time,
    miner: coinbase === undefined ? ZERO_ADDRESS : fromHex(coinbase),
    difficulty: quantity(difficulty),
    extraData: fromHex(extraData),
    mixHash: mixHash === undefined ? ZERO_HASH : encodeRlpString(fromHex(mixHash)),
    nonce: quantity(nonce),
  });
  // the hash of the extra data, which genesis lacks
  fields.push(ZERO_HASH);
  if (active("apricotPhase3")) fields.push(encodeRlpInteger(baseFeePerGas ? quantity(baseFeePerGas) : FIRST_BASE_FEE));
  // gas used by extra data, gas cost of the block, blob gas and its excess, beacon root
  if (active("etna")) fields.push(ZERO, ZERO, ZERO, ZERO, ZERO_HASH);
  if (active("granite")) fields.push(encodeRlpInteger(time * 1000n), encodeRlpInteger(FIRST_MIN_DELAY_EXCESS));
  if (active("helicon")) fields.push(...Array<Buffer>(HELICON_FIELDS).fill(ZERO));
  return encodeRlpList(fields);
}

/**
 * The header of a devnet's block 0. Its EVM, anvil, takes time and accounts from the genesis, but leaves the accounts out of the block's
 * state root. It writes blob gas and excess blob gas in every era.
 */
function developmentHeader({ timestamp }: Genesis, network: NetworkInstance): Buffer {
  const time = quantity(timestamp);
  const nothing = { miner: ZERO_ADDRESS, difficulty: 0n, extraData: NO_BYTES, mixHash: ZERO_HASH, nonce: 0n };
  const fields = commonFields({ root: EMPTY_TRIE_ROOT, gasLimit: DEVELOPMENT_GAS_LIMIT, time, ...nothing });
  fields.push(encodeRlpInteger(GWEI));
  if (isActive(network, "durango", time)) fields.push(encodeRlpString(EMPTY_TRIE_ROOT));
  fields.push(ZERO, ZERO);
  if (isActive(network, "etna", time)) fields.push(ZERO_HASH);
  return encodeRlpList(fields);
}

interface CommonFields {
  readonly root: Uint8Array;
  readonly gasLimit: bigint;
  /** Unix seconds */
  readonly time: bigint;
  readonly miner: Uint8Array;
  readonly difficulty: bigint;
  readonly extraData: Uint8Array;
  /** encoded */
  readonly mixHash: Buffer;
  readonly nonce: bigint;
}

/** The fields of Ethereum's original headers. */
function commonFields({ root, gasLimit, time, miner, difficulty, extraData, mixHash, nonce }: CommonFields): Buffer[] {
  const [number, gasUsed] = [ZERO, ZERO];
  const noTransactions = encodeRlpString(EMPTY_TRIE_ROOT);
  return [
    ...[ZERO_HASH, NO_UNCLES, encodeRlpString(miner), encodeRlpString(root), noTransactions, noTransactions, BLOOM],
    ...[encodeRlpInteger(difficulty), number, encodeRlpInteger(gasLimit), gasUsed, encodeRlpInteger(time)],
    ...[encodeRlpString(extraData), mixHash, encodeRlpString(fromHex(nonce.toString(16).padStart(16, "0")))],
  ];
}

function* accountEntry(address: string, { balance, nonce, code = "", storage = {} }: GenesisAccount): Generator<undefined, TrieEntry> {
  yield;
  const isMultiCoin = ZERO;
  const value = encodeRlpList([
    encodeRlpInteger(quantity(nonce)),
    encodeRlpInteger(quantity(balance)),
    encodeRlpString(yield* trieRoot(Object.entries(storage).flatMap(storageEntry))),
    encodeRlpString(keccak256(fromHex(code))),
    isMultiCoin,
  ]);
  return { key: keccak256(fromHex(address)).toString("hex"), value };
}

/** Slots whose first byte is odd hold balances of other assets. A slot with value zero does not exist. */
function storageEntry([slot, content]: [string, string]): TrieEntry[] {
  const value = quantity(content);
  const key = fromHex(slot);
  key[0]! &= 0xfe;
  return value === 0n ? [] : [{ key: keccak256(key).toString("hex"), value: encodeRlpInteger(value) }];
}

function quantity(text = "0"): bigint {
  return BigInt(text);
}

function fromHex(text: string): Buffer {
  return Buffer.from(text.replace(/^0x/, ""), "hex");
}
