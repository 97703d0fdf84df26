/**
 * Signs transfers of AVAX on and between P, X and C, written byte by byte: fast, and independent of Firn's codecs. It asks the node for its
 * UTXOs each time, like a wallet without storage.
 */

import { formatAddress } from "../../../src/base/bytes/address.ts";
import { formatId, parseId } from "../../../src/base/bytes/cb58.ts";
import { keccak256, sha256, sha256Hex } from "../../../src/base/bytes/hash.ts";
import { encodeHexChecksummed, encodeHexPlain } from "../../../src/base/bytes/hex.ts";
import { type Id, PLATFORM_CHAIN_ID, type ShortId } from "../../../src/base/bytes/id.ts";
import { encodeRlpString } from "../../../src/base/codec/rlp.ts";
import { addressOf, evmAddressOf, signDigest } from "../../../src/base/signatures/secp256k1.ts";
import { call } from "../json-rpc.ts";

export type ChainName = "P" | "X" | "C";

/** What wallets must know of a network. */
export interface WalletNetwork {
  readonly networkId: number;
  readonly hrp: string;
  readonly evmChainId: number;
  /** cb58 */
  readonly blockchainIds: Readonly<Record<ChainName, string>>;
  /** cb58 */
  readonly avaxAssetId: string;
}

export interface Coin {
  /** transaction ID and output index */
  readonly reference: Buffer;
  readonly amount: bigint;
}

export interface Payment {
  readonly to: ShortId;
  readonly amount: bigint;
}

/** A request that issues a signed transaction. */
export interface SignedIssue {
  readonly chain: ChainName;
  readonly isEvm: boolean;
  /** cb58; of EVM transactions the hash */
  readonly txId: string;
  readonly path: string;
  readonly method: string;
  readonly params: unknown;
  /** without checksum */
  readonly bytes: Buffer;
}

/** nAVAX burned by every transaction: more than any rule asks for. */
export const FEE = 5_000_000n;
/** Type IDs of plain transfers, imports and exports. */
const TYPES = { P: { base: 34, import: 17, export: 18 }, X: { base: 0, import: 3, export: 4 }, C: { base: -1, import: 0, export: 1 } };
const PATHS = { P: "/ext/bc/P", X: "/ext/bc/X", C: "/ext/bc/C/avax" };
const SERVICES = { P: "platform", X: "avm", C: "avax" };
const TRANSFER_OUTPUT = 7;
const TRANSFER_INPUT = 5;
const CREDENTIAL = 9;
const AMOUNT_AT = 2 + 32 + 4 + 32 + 4;

export class PlainWallet {
  readonly address: ShortId;
  readonly evmAddress: string;
  readonly #network: WalletNetwork;
  readonly #key: Uint8Array;

  constructor(network: WalletNetwork, key: Uint8Array) {
    this.#network = network;
    this.#key = key;
    this.address = addressOf(key);
    this.evmAddress = evmAddressOf(key);
  }

  addressOn(chain: ChainName): string {
    return formatAddress(chain, this.#network.hrp, this.address);
  }

  /** @param source of what is on its way to the chain; by default what lies on the chain itself */
  async coins(url: string, chain: ChainName, source?: ChainName): Promise<Coin[]> {
    const params = { addresses: [this.addressOn(chain)], limit: 1024, encoding: "hexnc", ...(source && { sourceChain: source }) };
    const { result, error } = await call(url, { path: PATHS[chain], method: `${SERVICES[chain]}.getUTXOs`, params });
    if (error !== undefined) throw new Error(error.message);
    return (result as { utxos: string[] }).utxos.map((text) => {
      const bytes = Buffer.from(text.slice(2), "hex");
      return { reference: bytes.subarray(2, 38), amount: bytes.readBigUInt64BE(AMOUNT_AT) };
    });
  }

  /** Burns the fee; what is left goes back. Undefined if the coins do not suffice. */
  transfer(chain: "P" | "X", coins: readonly Coin[], payments: readonly Payment[]): SignedIssue | undefined {
    const outputs = this.#withChange(coins, payments);
    return outputs && this.#sign(chain, [this.#base(chain, TYPES[chain].base, coins, outputs)], coins.length);
  }

  export(chain: "P" | "X", destination: ChainName, coins: readonly Coin[], payment: Payment): SignedIssue | undefined {
    const change = this.#withChange(coins, [payment]);
    if (change === undefined) return undefined;
    const exported = list([this.#output(payment)]);
    const base = this.#base(chain, TYPES[chain].export, coins, change.slice(1));
    return this.#sign(chain, [base, this.#chainId(destination), exported], coins.length);
  }

  /** All coins, to this wallet. */
  import(chain: "P" | "X", source: ChainName, coins: readonly Coin[]): SignedIssue | undefined {
    const amount = sum(coins) - FEE;
    if (amount <= 0n) return undefined;
    const base = this.#base(chain, TYPES[chain].import, [], [{ to: this.address, amount }]);
    return this.#sign(chain, [base, this.#chainId(source), this.#inputs(coins)], coins.length);
  }

  importToEvm(source: "P" | "X", coins: readonly Coin[]): SignedIssue | undefined {
    const amount = sum(coins) - FEE;
    if (amount <= 0n) return undefined;
    const output = Buffer.concat([hex(this.evmAddress), u64(amount), this.#avax]);
    return this.#sign("C", [this.#head("C", TYPES.C.import), this.#chainId(source), this.#inputs(coins), list([output])], coins.length);
  }

  exportFromEvm(destination: "P" | "X", nonce: bigint, payment: Payment): SignedIssue {
    const input = Buffer.concat([hex(this.evmAddress), u64(payment.amount + FEE), this.#avax, u64(nonce)]);
    const exported = list([this.#output(payment)]);
    return this.#sign("C", [this.#head("C", TYPES.C.export), this.#chainId(destination), list([input]), exported], 1);
  }

  /** A plain transfer inside the EVM, as wallets signed them before fees had parts. */
  payInEvm(nonce: bigint, to: string, wei: bigint, gasPrice: bigint): SignedIssue {
    const chainId = BigInt(this.#network.evmChainId);
    const fields = [
      rlpNumber(nonce),
      rlpNumber(gasPrice),
      rlpNumber(21_000n),
      encodeRlpString(hex(to)),
      rlpNumber(wei),
      encodeRlpString(Buffer.alloc(0)),
    ];
    const unsigned = rlpList([...fields, rlpNumber(chainId), rlpNumber(0n), rlpNumber(0n)]);
    const signature = signDigest(keccak256(unsigned), this.#key);
    const part = (start: number) => BigInt(`0x${signature.toString("hex", start, start + 32)}`);
    const v = chainId * 2n + 35n + BigInt(signature[64]!);
    const bytes = rlpList([...fields, rlpNumber(v), rlpNumber(part(0)), rlpNumber(part(32))]);
    const txId = encodeHexPlain(keccak256(bytes));
    const params = [encodeHexPlain(bytes)];
    return { chain: "C", isEvm: true, txId, path: "/ext/bc/C/rpc", method: "eth_sendRawTransaction", params, bytes };
  }

  get #avax(): Buffer {
    return hex(parseId(this.#network.avaxAssetId));
  }

  #chainId(chain: ChainName): Buffer {
    return hex(chain === "P" ? PLATFORM_CHAIN_ID : parseId(this.#network.blockchainIds[chain]));
  }

  #withChange(coins: readonly Coin[], payments: readonly Payment[]): Payment[] | undefined {
    const change = sum(coins) - sum(payments) - FEE;
    if (change < 0n) return undefined;
    return change === 0n ? [...payments] : [...payments, { to: this.address, amount: change }];
  }

  #head(chain: ChainName, typeId: number): Buffer {
    return Buffer.concat([Buffer.alloc(2), u32(typeId), u32(this.#network.networkId), this.#chainId(chain)]);
  }

  #base(chain: "P" | "X", typeId: number, coins: readonly Coin[], outputs: readonly Payment[]): Buffer {
    const sorted = outputs.map((output) => this.#output(output)).sort(Buffer.compare);
    return Buffer.concat([this.#head(chain, typeId), list(sorted), this.#inputs(coins), u32(0)]);
  }

  #output({ to, amount }: Payment): Buffer {
    return Buffer.concat([this.#avax, u32(TRANSFER_OUTPUT), u64(amount), u64(0n), u32(1), u32(1), hex(to)]);
  }

  #inputs(coins: readonly Coin[]): Buffer {
    const sorted = coins.toSorted((a, b) => Buffer.compare(a.reference, b.reference));
    return list(
      sorted.map(({ reference, amount }) => Buffer.concat([reference, this.#avax, u32(TRANSFER_INPUT), u64(amount), u32(1), u32(0)])),
    );
  }

  /** Every input is this wallet's, so all credentials are alike. */
  #sign(chain: ChainName, parts: readonly Buffer[], inputs: number): SignedIssue {
    const unsigned = Buffer.concat(parts);
    const credential = Buffer.concat([u32(CREDENTIAL), u32(1), signDigest(sha256(unsigned), this.#key)]);
    const bytes = Buffer.concat([unsigned, list(new Array<Buffer>(inputs).fill(credential))]);
    return {
      chain,
      isEvm: false,
      txId: formatId(sha256Hex(bytes)),
      path: PATHS[chain],
      method: `${SERVICES[chain]}.issueTx`,
      params: { tx: encodeHexChecksummed(bytes), encoding: "hex" },
      bytes,
    };
  }
}

export function coinsOf(txId: Id, outputs: readonly Payment[]): Coin[] {
  return outputs.map(({ amount }, index) => ({ reference: Buffer.concat([hex(txId), u32(index)]), amount }));
}

function sum(items: readonly { readonly amount: bigint }[]): bigint {
  return items.reduce((total, { amount }) => total + amount, 0n);
}

function hex(text: string): Buffer {
  return Buffer.from(text, "hex");
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

function list(items: readonly Buffer[]): Buffer {
  return Buffer.concat([u32(items.length), ...items]);
}

function rlpNumber(value: bigint): Buffer {
  const digits = value === 0n ? "" : value.toString(16);
  return encodeRlpString(hex(digits.length % 2 === 1 ? `0${digits}` : digits));
}

/** A list is prefixed as a string is, 0x40 higher. */
function rlpList(items: readonly Buffer[]): Buffer {
  const payload = Buffer.concat(items);
  if (payload.length < 56) return Buffer.concat([Uint8Array.of(0xc0 + payload.length), payload]);
  const length = hex(payload.length > 255 ? payload.length.toString(16).padStart(4, "0") : payload.length.toString(16));
  return Buffer.concat([Uint8Array.of(0xf7 + length.length), length, payload]);
}
