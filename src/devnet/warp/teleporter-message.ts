/** What a relayer reads of a TeleporterMessage (the interface of Avalanche's interchain messenger), in Solidity's ABI. */
import type { Id, ShortId } from "../../base/bytes/id.ts";

export interface TeleporterMessage {
  readonly destinationChainId: Id;
  /** gas for what the message does at its destination */
  readonly requiredGas: bigint;
}

const WORD = 32;
/** nonce, origin, destination chain, destination, gas; then the offsets of relayers, receipts and message */
const HEAD_WORDS = 8;
const DESTINATION = 2;
const REQUIRED_GAS = 4;
/** `receiveCrossChainMessage(uint32,address)` */
const RECEIVE = "ccb5f809";

/** Returns undefined for bytes that are no such message. */
export function readTeleporterMessage(bytes: Uint8Array): TeleporterMessage | undefined {
  const words = Buffer.from(bytes);
  const isStruct = words.length >= (1 + HEAD_WORDS) * WORD && BigInt(`0x${words.toString("hex", 0, WORD)}`) === BigInt(WORD);
  if (!isStruct) return undefined;
  const word = (index: number) => words.toString("hex", (1 + index) * WORD, (2 + index) * WORD);
  return { destinationChainId: word(DESTINATION), requiredGas: BigInt(`0x${word(REQUIRED_GAS)}`) };
}

/** The call that delivers the first message of a transaction. @param relayer who gets the reward */
export function receivingCall(relayer: ShortId): string {
  return `0x${RECEIVE}${"0".repeat(64)}${relayer.padStart(64, "0")}`;
}
