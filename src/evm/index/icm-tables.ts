/**
 * Tables of interchain messages (ICM) as one EVM chain knows them: those that its messengers sent, and those that they received.
 * Table IDs 361–368. `chain` is the chain of the row; a reader joins both sides. A message has the same ID on both.
 */
import { bool, fixedHex, list, struct, u8, u32, u64 } from "../../base/codec/codec.ts";
import { integer256, packedBytes, varint, varint64 } from "../../base/codec/varint.ts";
import { id, shortId, table } from "../../base/table/table.ts";

/** The blocks whose messages are indexed, without a gap. Absent: none. Behind the chain: a version of Firn without messages went on. */
export const evmIcmRanges = table({
  id: 361,
  name: "evm_icm_ranges",
  key: { chain: u32 },
  value: {
    first: u64,
    last: u64,
    /** transactions that sent messages, and that received some */
    sendingTransactions: varint64,
    receivingTransactions: varint64,
  },
});

/** Contents of messages, which never change. A chain may send messages to itself, and then has both sides. */
export const evmIcmMessages = table({
  id: 362,
  name: "evm_icm_messages",
  key: { chain: u32, isSent: bool, messageId: id },
  value: {
    nonce: integer256,
    from: shortId,
    to: shortId,
    /** for messages of the other direction */
    receipts: list(struct({ nonce: integer256, relayer: shortId })),
    data: packedBytes,
  },
});

/** Messages that the chain sent, by the transaction that did it first. */
export const evmIcmSent = table({
  id: 363,
  name: "evm_icm_sent",
  key: { chain: u32, messageId: id },
  value: {
    height: u64,
    index: u32,
    /** Unix seconds */
    timestamp: u64,
    messenger: shortId,
    /** blockchain ID of the destination */
    destination: id,
    feeToken: shortId,
    /** base units of the token, with what was added later */
    fee: integer256,
    /** how often it was sent again */
    retries: varint,
    /** whether a receipt of its delivery came back */
    hasReceipt: bool,
  },
});

/** The first message that a transaction sent or received. */
export const evmIcmTransactions = table({
  id: 367,
  name: "evm_icm_transactions",
  key: { chain: u32, height: u64, index: u32 },
  value: {
    messageId: id,
    isSent: bool,
    /** blockchain ID of the other side */
    peer: id,
  },
});

/** Values of `outcome`: the call of the destination is under way, succeeded, or failed and may be tried again. */
export const [OUTCOME_NONE, OUTCOME_EXECUTED, OUTCOME_FAILED] = [0, 1, 2] as const;

/** Messages that the chain received. */
export const evmIcmReceived = table({
  id: 364,
  name: "evm_icm_received",
  key: { chain: u32, messageId: id },
  value: {
    height: u64,
    index: u32,
    /** Unix seconds */
    timestamp: u64,
    messenger: shortId,
    /** blockchain ID of the source */
    source: id,
    deliverer: shortId,
    rewardRedeemer: shortId,
    outcome: u8,
  },
});

/** Kinds of lists (`icmList`). */
export const ICM_LISTS = {
  sent: 0,
  sentToChain: 1,
  sentBy: 2,
  sentTo: 3,
  received: 4,
  receivedFromChain: 5,
  receivedBy: 6,
  receivedTo: 7,
} as const;
export type IcmListKind = keyof typeof ICM_LISTS;

/** Lists of messages by the time of the block (Unix seconds) in which they were sent or received. */
export const evmIcmLists = table({
  id: 365,
  name: "evm_icm_lists",
  /** `list`: u8 kind, then a blockchain ID, an address behind zeros, or zeros */
  key: { chain: u32, list: fixedHex(33), timestamp: u64, messageId: id },
  value: {},
});

/** @param party blockchain ID or address; by default none */
export function icmList(kind: IcmListKind, party = ""): string {
  return `0${ICM_LISTS[kind]}${party.padStart(64, "0")}`;
}

/**
 * Numbers of messages that the chain sent in an interval, to any chain: anybody can send messages to chains that do not exist, of which there
 * is no end.
 */
export const evmIcmSentCounts = table({
  id: 368,
  name: "evm_icm_sent_counts",
  key: { chain: u32, interval: u8, start: u64 },
  value: { messages: varint64 },
});

/** Numbers of messages to and from another chain in an interval (`INTERVALS`), which begins at `start` (Unix seconds). */
export const evmIcmCounts = table({
  id: 366,
  name: "evm_icm_counts",
  key: { chain: u32, interval: u8, isSent: bool, start: u64, peer: id },
  value: { messages: varint64 },
});
