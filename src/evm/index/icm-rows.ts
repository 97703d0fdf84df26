/** Rows of interchain messages: each event of a messenger changes the row of its message on this chain. */
import type { Id } from "../../base/bytes/id.ts";
import type { TableKey } from "../../base/table/table.ts";
import { type RowKey, rowKey } from "../../base/table/view.ts";
import { countedSeconds, INTERVALS, intervalStart } from "../../base/time/intervals.ts";
import type { IcmEvent } from "../facts.ts";
import type { BlockWriter } from "./block-writer.ts";
import {
  evmIcmCounts,
  evmIcmLists,
  evmIcmMessages,
  evmIcmRanges,
  evmIcmReceived,
  evmIcmSent,
  evmIcmSentCounts,
  evmIcmTransactions,
  icmList,
  OUTCOME_EXECUTED,
  OUTCOME_FAILED,
  OUTCOME_NONE,
} from "./icm-tables.ts";

interface IcmBlock {
  readonly chain: number;
  readonly height: bigint;
  /** Unix seconds */
  readonly timestamp: bigint;
  readonly icm: readonly IcmEvent[];
}

/** Whether the event is of a message that the chain sent. */
function isOfSource({ kind }: IcmEvent): boolean {
  return kind === "sent" || kind === "feeAdded" || kind === "receiptReceived";
}

/** Keys that `writeIcm` reads. */
export function icmKeys({ chain, timestamp, icm }: IcmBlock): RowKey[] {
  return [
    rowKey(evmIcmRanges, { chain }),
    ...icm.map((event) => rowKey(isOfSource(event) ? evmIcmSent : evmIcmReceived, { chain, messageId: event.messageId })),
    ...icm.flatMap((event) =>
      countKeys(chain, timestamp, event).flatMap(({ ofPeer, ofSent }) => [
        rowKey(evmIcmCounts, ofPeer),
        ...(ofSent === undefined ? [] : [rowKey(evmIcmSentCounts, ofSent)]),
      ]),
    ),
  ];
}

interface CountKeys {
  readonly ofPeer: TableKey<typeof evmIcmCounts>;
  /** undefined: the message was received */
  readonly ofSent: TableKey<typeof evmIcmSentCounts> | undefined;
}

function countKeys(chain: number, timestamp: bigint, { kind, peer }: IcmEvent): CountKeys[] {
  if (kind !== "sent" && kind !== "received") return [];
  const seconds = countedSeconds(timestamp);
  const isSent = kind === "sent";
  return INTERVALS.map((_, interval) => {
    const start = BigInt(intervalStart(interval, seconds));
    return { ofPeer: { chain, interval, isSent, start, peer }, ofSent: isSent ? { chain, interval, start } : undefined };
  });
}

export function writeIcm(writer: BlockWriter, block: IcmBlock): void {
  const { chain, height, icm } = block;
  const transactions = { sent: new Set<number>(), received: new Set<number>() };
  const { sent, received } = transactions;
  for (const event of icm) {
    const { kind, index, messageId, peer } = event;
    if (isOfSource(event) ? !writeSent(writer, block, event) : !writeReceived(writer, block, event)) continue;
    if (kind !== "sent" && kind !== "received") continue;
    const isFirst = !sent.has(index) && !received.has(index);
    if (isFirst) writer.add(evmIcmTransactions, { chain, height, index }, { messageId, isSent: kind === "sent", peer });
    transactions[kind].add(index);
    for (const { ofPeer, ofSent } of countKeys(chain, block.timestamp, event)) {
      const before = writer.read(evmIcmCounts, ofPeer);
      writer.change(evmIcmCounts, ofPeer, before, { messages: (before?.messages ?? 0n) + 1n });
      if (ofSent === undefined) continue;
      const sentBefore = writer.read(evmIcmSentCounts, ofSent);
      writer.change(evmIcmSentCounts, ofSent, sentBefore, { messages: (sentBefore?.messages ?? 0n) + 1n });
    }
  }
  const before = writer.read(evmIcmRanges, { chain });
  const known = before?.last === height - 1n ? before : { first: height, sendingTransactions: 0n, receivingTransactions: 0n };
  writer.change(evmIcmRanges, { chain }, before, {
    first: known.first,
    last: height,
    sendingTransactions: known.sendingTransactions + BigInt(sent.size),
    receivingTransactions: known.receivingTransactions + BigInt(received.size),
  });
}

/** @returns whether the event says something new of a message */
function writeSent(writer: BlockWriter, block: IcmBlock, event: IcmEvent): boolean {
  const { chain, height, timestamp } = block;
  const { kind, index, messenger, messageId, peer, feeToken, fee } = event;
  const key = { chain, messageId };
  const before = writer.read(evmIcmSent, key);
  if (kind !== "sent") {
    if (before === undefined) return false;
    const changed = kind === "feeAdded" ? { feeToken, fee } : { hasReceipt: true };
    writer.change(evmIcmSent, key, before, { ...before, ...changed });
    return true;
  }
  if (before !== undefined) {
    writer.change(evmIcmSent, key, before, { ...before, retries: before.retries + 1 });
    return false;
  }
  const place = { height, index, timestamp, messenger };
  writer.change(evmIcmSent, key, before, { ...place, destination: peer, feeToken, fee, retries: 0, hasReceipt: false });
  writeContent(writer, block, event, "sent");
  return true;
}

/** @returns whether the event says something new of a message */
function writeReceived(writer: BlockWriter, block: IcmBlock, event: IcmEvent): boolean {
  const { chain, height, timestamp } = block;
  const { kind, index, messenger, messageId, peer, deliverer, rewardRedeemer } = event;
  const key = { chain, messageId };
  const before = writer.read(evmIcmReceived, key);
  if (kind !== "received") {
    if (before === undefined) return false;
    writer.change(evmIcmReceived, key, before, { ...before, outcome: kind === "executed" ? OUTCOME_EXECUTED : OUTCOME_FAILED });
    return true;
  }
  if (before !== undefined) return false;
  const place = { height, index, timestamp, messenger };
  writer.change(evmIcmReceived, key, before, { ...place, source: peer, deliverer, rewardRedeemer, outcome: OUTCOME_NONE });
  writeContent(writer, block, event, "received");
  return true;
}

const LISTS = {
  sent: { all: "sent", peer: "sentToChain", from: "sentBy", to: "sentTo" },
  received: { all: "received", peer: "receivedFromChain", from: "receivedBy", to: "receivedTo" },
} as const;

/** The content of a message whose side the chain did not know, and its lists. */
function writeContent(writer: BlockWriter, { chain, timestamp }: IcmBlock, event: IcmEvent, side: keyof typeof LISTS): void {
  const { messageId, peer, message } = event;
  if (message === undefined) return;
  const { from, to } = message;
  writer.add(evmIcmMessages, { chain, isSent: side === "sent", messageId }, message);
  const { all, peer: ofPeer, from: by, to: forAddress } = LISTS[side];
  const lists = new Set<Id>([icmList(all), icmList(ofPeer, peer), icmList(by, from), icmList(forAddress, to)]);
  for (const list of lists) writer.add(evmIcmLists, { chain, list, timestamp, messageId }, {});
}
