/** Refuses transactions that were signed for another chain, as a node does. The child would keep them without ever mining them. */
import { CodecError } from "../../primitives/codec/error.ts";
import { readRlp, rlpInteger, rlpItems } from "../../primitives/codec/rlp.ts";
import { EvmRequestError } from "./evm-error.ts";

const METHOD = "eth_sendRawTransaction";
const SERVER_ERROR = -32_000;
/** position of `v` among the items of a legacy transaction */
const V = 6;
/** With a chain ID, `v` is this or one more, and twice the chain ID (EIP-155). */
const FIRST_PROTECTED = 35n;

/** What is no transaction passes: the child says what is wrong with it. @param raw hex */
export function requireSignedFor(chainId: bigint, raw: string): void {
  const signedFor = chainOf(Buffer.from(raw.slice("0x".length), "hex"));
  if (signedFor !== undefined && signedFor !== chainId)
    throw new EvmRequestError(METHOD, { code: SERVER_ERROR, message: "invalid sender" });
}

/** Returns undefined for what names no chain: a transaction from before EIP-155, too. */
function chainOf(bytes: Buffer): bigint | undefined {
  try {
    // a typed transaction starts with its type byte, and its first item is the chain ID
    const isTyped = bytes.length > 0 && bytes[0]! < 0x80;
    const items = rlpItems(readRlp(isTyped ? bytes.subarray(1) : bytes));
    const item = items[isTyped ? 0 : V];
    if (item === undefined) return undefined;
    const value = rlpInteger(item, 32);
    if (isTyped) return value;
    return value < FIRST_PROTECTED ? undefined : (value - FIRST_PROTECTED) / 2n;
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}
