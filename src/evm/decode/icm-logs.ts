/**
 * Reads what messengers log: contracts with the interface of Avalanche's interchain messenger (TeleporterMessenger), which is at one address
 * on all chains. A log that does not have exactly the form of an event is no event.
 */
import { EMPTY_ID } from "../../base/bytes/id.ts";
import type { Address, EvmBlock, EvmLog } from "../../sources/evm/parser/block.ts";
import { readBytes, readPlace, readWord, WORD_BYTES } from "../abi.ts";
import { ICM_EVENTS, type IcmEvent, type IcmEventKind, type IcmMessage } from "../facts.ts";
import { addressOfWord, eventTopic, ZERO_ADDRESS } from "./token-logs.ts";

const FEE = "(address,uint256)";
const MESSAGE = "(uint256,address,bytes32,address,uint256,address[],(uint256,address)[],bytes)";

const TOPICS: Readonly<Record<IcmEventKind, string>> = {
  sent: eventTopic(`SendCrossChainMessage(bytes32,bytes32,${MESSAGE},${FEE})`),
  feeAdded: eventTopic(`AddFeeAmount(bytes32,${FEE})`),
  receiptReceived: eventTopic(`ReceiptReceived(bytes32,bytes32,address,${FEE})`),
  received: eventTopic(`ReceiveCrossChainMessage(bytes32,bytes32,address,address,${MESSAGE})`),
  executed: eventTopic("MessageExecuted(bytes32,bytes32)"),
  executionFailed: eventTopic(`MessageExecutionFailed(bytes32,bytes32,${MESSAGE})`),
};
const kindOfTopic = new Map(ICM_EVENTS.map((kind) => [TOPICS[kind], kind]));

/** The events of a block, in their order. Any contract can log them: whose events count, the index decides. */
export function icmEventsOf({ transactions }: EvmBlock): IcmEvent[] {
  const events: IcmEvent[] = [];
  for (const { index, logs } of transactions) {
    for (const log of logs) {
      const kind = kindOfTopic.get(log.topics[0]!);
      if (kind === undefined) continue;
      const event = readEvent(kind, log, index);
      if (event !== undefined) events.push(event);
    }
  }
  return events;
}

function readEvent(kind: IcmEventKind, log: EvmLog, index: number): IcmEvent | undefined {
  const topics = log.topics.slice(1);
  const data = Buffer.from(log.data.buffer, log.data.byteOffset, log.data.byteLength);
  const [messageId, peer = EMPTY_ID] = topics;
  if (messageId === undefined || topics.length !== TOPICS_AFTER_FIRST[kind]) return undefined;
  const none = { feeToken: ZERO_ADDRESS, fee: 0n, deliverer: ZERO_ADDRESS, rewardRedeemer: ZERO_ADDRESS, message: undefined };
  const event = { ...none, kind, index, messenger: log.address, messageId, peer };
  switch (kind) {
    case "sent": {
      const [fee, message] = [readFee(data, WORD_BYTES), readMessage(data, 0)];
      return fee && message && { ...event, ...fee, message };
    }
    case "feeAdded":
    case "receiptReceived": {
      const fee = readFee(data, 0);
      return fee && { ...event, ...fee };
    }
    case "received": {
      const [deliverer, rewardRedeemer, message] = [addressOfWord(topics[2]!), readAddress(data, 0), readMessage(data, WORD_BYTES)];
      if (deliverer === undefined || rewardRedeemer === undefined || message === undefined) return undefined;
      return { ...event, deliverer, rewardRedeemer, message };
    }
    default:
      return event;
  }
}

const TOPICS_AFTER_FIRST: Readonly<Record<IcmEventKind, number>> = {
  sent: 2,
  feeAdded: 1,
  receiptReceived: 3,
  received: 3,
  executed: 2,
  executionFailed: 2,
};

function readFee(data: Buffer, at: number): Pick<IcmEvent, "feeToken" | "fee"> | undefined {
  const [feeToken, fee] = [readAddress(data, at), readWord(data, at + WORD_BYTES)];
  return feeToken === undefined || fee === undefined ? undefined : { feeToken, fee };
}

/** Words of the struct before its dynamic members: nonce, sender, destination chain, destination, gas, relayers, receipts, data. */
const [NONCE, FROM, TO, RECEIPTS, DATA] = [0, 1, 3, 6, 7];

/** @param at where the offset of the struct is */
function readMessage(log: Buffer, at: number): IcmMessage | undefined {
  const base = readPlace(log, at, 0);
  if (base === undefined) return undefined;
  const place = (member: number) => base + member * WORD_BYTES;
  const nonce = readWord(log, place(NONCE));
  const [from, to] = [readAddress(log, place(FROM)), readAddress(log, place(TO))];
  const receipts = readReceipts(log, readPlace(log, place(RECEIPTS), base));
  const data = readBytes(log, place(DATA), base);
  if (nonce === undefined || from === undefined || to === undefined || receipts === undefined || data === undefined) return undefined;
  return { nonce, from, to, receipts, data };
}

function readReceipts(log: Buffer, at: number | undefined): IcmMessage["receipts"] | undefined {
  const count = at === undefined ? undefined : readWord(log, at);
  if (at === undefined || count === undefined || count > BigInt(log.length)) return undefined;
  const receipts: { nonce: bigint; relayer: Address }[] = [];
  for (let i = 0; i < Number(count); i++) {
    const place = at + (1 + 2 * i) * WORD_BYTES;
    const [nonce, relayer] = [readWord(log, place), readAddress(log, place + WORD_BYTES)];
    if (nonce === undefined || relayer === undefined) return undefined;
    receipts.push({ nonce, relayer });
  }
  return receipts;
}

function readAddress(data: Buffer, at: number): Address | undefined {
  return at + WORD_BYTES > data.length ? undefined : addressOfWord(data.toString("hex", at, at + WORD_BYTES));
}
