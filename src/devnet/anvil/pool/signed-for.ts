/** Refuses transactions that were signed for another chain or for every chain, as a node does. The child would take them. */
import { CodecError } from "../../../base/codec/error.ts";
import { readRlp, rlpInteger, rlpItems } from "../../../base/codec/rlp.ts";
import { EvmRequestError } from "../evm-error.ts";

const METHOD = "eth_sendRawTransaction";
const SERVER_ERROR = -32_000;
/** positions among the items of a legacy transaction */
const [NONCE, V, R, S] = [0, 6, 7, 8] as const;
/** With a chain ID, `v` is this or one more, and twice the chain ID (EIP-155). */
const FIRST_PROTECTED = 35n;

export interface SigningRules {
  /** of the EVM */
  readonly chainId: bigint;
  /** whether transactions without a chain ID are taken, whoever signed them; coreth's `allow-unprotected-txs` */
  readonly allowsUnprotected: boolean;
}

/** Bytes that are no transaction pass: the child says what is wrong with them. @param raw hex */
export function requireSignedFor({ chainId, allowsUnprotected }: SigningRules, raw: string): void {
  const bytes = Buffer.from(raw.slice("0x".length), "hex");
  const signedFor = chainOf(bytes);
  if (signedFor === undefined || signedFor === chainId) return;
  if (signedFor !== "every") throw refusal("invalid sender");
  if (!allowsUnprotected && !isKeyless(bytes)) throw refusal("only replay-protected (EIP-155) transactions allowed over RPC");
}

/** Returns undefined for what is no transaction; "every" for a transaction from before EIP-155, which names no chain. */
function chainOf(bytes: Buffer): bigint | "every" | undefined {
  try {
    // a typed transaction starts with its type byte, and its first item is the chain ID
    const isTyped = bytes.length > 0 && bytes[0]! < 0x80;
    const items = rlpItems(readRlp(isTyped ? bytes.subarray(1) : bytes));
    const item = items[isTyped ? 0 : V];
    if (item === undefined) return undefined;
    const value = rlpInteger(item, 32);
    if (isTyped) return value;
    return value < FIRST_PROTECTED ? "every" : (value - FIRST_PROTECTED) / 2n;
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}

/**
 * Whether a legacy transaction was made without a key, so that its contract gets the same address on every chain ("Nick's method"): the
 * node tells it by a signature whose halves are the same, of the sender's first transaction. The one that the node's configuration names
 * besides, the deployment of the registry of EIP-1820, is such a transaction.
 */
function isKeyless(bytes: Buffer): boolean {
  const items = rlpItems(readRlp(bytes));
  const [nonce, r, s] = [items[NONCE], items[R], items[S]];
  if (nonce === undefined || r === undefined || s === undefined) return false;
  return nonce.payload.length === 0 && r.payload.equals(s.payload);
}

function refusal(message: string): EvmRequestError {
  return new EvmRequestError(METHOD, { code: SERVER_ERROR, message });
}
