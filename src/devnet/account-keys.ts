/**
 * The keys that a devnet's own genesis funds: ewoq, then those of a mnemonic (BIP-39) at the paths that wallets of Ethereum use (BIP-32,
 * BIP-44). All are public.
 */
import { createHmac, pbkdf2Sync } from "node:crypto";
import { publicKeyOf } from "../base/signatures/secp256k1.ts";
import { type AccountOptions, DEFAULT_ACCOUNTS, DEFAULT_MNEMONIC } from "./account-options.ts";

export interface AccountKey {
  /** the name that developers use for the key, or `account 1` and so on */
  readonly name: string;
  readonly key: Buffer;
}

/** The key that all examples of Avalanche use, known as ewoq. */
export const EWOQ_KEY = Buffer.from("56289e99c94b6912bfc12adc093c9b51124f0dc54ac7a766b2bc5ccf558d8027", "hex");

const HARDENED = 2 ** 31;
const PARENT_PATH = [HARDENED + 44, HARDENED + 60, HARDENED, 0];
/** order of secp256k1 */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

export function accountKeys({ accounts = DEFAULT_ACCOUNTS, mnemonic = DEFAULT_MNEMONIC }: AccountOptions): AccountKey[] {
  const keys: AccountKey[] = [{ name: "ewoq", key: EWOQ_KEY }];
  if (accounts === 1) return keys;
  const parent = PARENT_PATH.reduce(child, master(mnemonic));
  for (let index = 1; index < accounts; index++) keys.push({ name: `account ${index}`, key: child(parent, index - 1).key });
  return keys;
}

interface Node {
  readonly key: Buffer;
  readonly chainCode: Buffer;
}

function master(mnemonic: string): Node {
  const seed = pbkdf2Sync(mnemonic.normalize("NFKD"), "mnemonic", 2048, 64, "sha512");
  return split(createHmac("sha512", "Bitcoin seed").update(seed).digest());
}

function child({ key, chainCode }: Node, index: number): Node {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(index);
  const data = index >= HARDENED ? Buffer.concat([Buffer.alloc(1), key, number]) : Buffer.concat([publicKeyOf(key), number]);
  const { key: tweak, chainCode: next } = split(createHmac("sha512", chainCode).update(data).digest());
  const sum = (BigInt(`0x${tweak.toString("hex")}`) + BigInt(`0x${key.toString("hex")}`)) % ORDER;
  // that a tweak is not below the order, or the sum is 0, has a probability of 2^-127
  return { key: Buffer.from(sum.toString(16).padStart(64, "0"), "hex"), chainCode: next };
}

function split(bytes: Buffer): Node {
  return { key: bytes.subarray(0, 32), chainCode: bytes.subarray(32) };
}
