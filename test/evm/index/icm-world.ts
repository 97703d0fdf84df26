/**
 * Chains whose messengers send each other messages, as random actions make them, and what is known of each message. The events are encoded
 * by viem. The last chain is not indexed: only its messages to the others, and theirs to it, are seen.
 */
import fc from "fast-check";
import { encodeAbiParameters, encodeEventTopics, type Hex, parseAbi } from "viem";
import { sha256Hex } from "../../../src/base/bytes/hash.ts";
import type { Address, EvmBlock, EvmLog, EvmTransaction } from "../../../src/sources/evm/parser/block.ts";
import { makeBlock, PEOPLE } from "../decode/intents.ts";

export const MESSENGER: Address = "253b2784c75e510dd0ff1da844684a1ac0aa5fcf";
export const FEE_TOKEN: Address = "20".repeat(20);
/** Blockchain IDs. The last one is not indexed. */
export const CHAIN_IDS = ["c1", "c2", "c3"].map((byte) => byte.repeat(32));
const UNSEEN = CHAIN_IDS.length - 1;

export const messengerAbi = parseAbi([
  "struct Receipt { uint256 receivedMessageNonce; address relayerRewardAddress; }",
  "struct TeleporterMessage { uint256 messageNonce; address originSenderAddress; bytes32 destinationBlockchainID; address destinationAddress; uint256 requiredGasLimit; address[] allowedRelayerAddresses; Receipt[] receipts; bytes message; }",
  "struct TeleporterFeeInfo { address feeTokenAddress; uint256 amount; }",
  "event SendCrossChainMessage(bytes32 indexed messageID, bytes32 indexed destinationBlockchainID, TeleporterMessage message, TeleporterFeeInfo feeInfo)",
  "event AddFeeAmount(bytes32 indexed messageID, TeleporterFeeInfo updatedFeeInfo)",
  "event MessageExecutionFailed(bytes32 indexed messageID, bytes32 indexed sourceBlockchainID, TeleporterMessage message)",
  "event MessageExecuted(bytes32 indexed messageID, bytes32 indexed sourceBlockchainID)",
  "event ReceiveCrossChainMessage(bytes32 indexed messageID, bytes32 indexed sourceBlockchainID, address indexed deliverer, address rewardRedeemer, TeleporterMessage message)",
  "event ReceiptReceived(bytes32 indexed messageID, bytes32 indexed destinationBlockchainID, address indexed relayerRewardAddress, TeleporterFeeInfo feeInfo)",
]);

const hex = (digits: string): Hex => `0x${digits}`;

/** A log with an event of a messenger. Members of `args` that are not indexed are its data. */
export function eventLog(eventName: string, args: Readonly<Record<string, unknown>>, address = MESSENGER): Omit<EvmLog, "index"> {
  const event = messengerAbi.find((item) => item.type === "event" && item.name === eventName)!;
  const topics = encodeEventTopics({ abi: [event], eventName, args } as unknown as Parameters<typeof encodeEventTopics>[0]);
  const inputs = event.inputs.filter((input) => !("indexed" in input && input.indexed));
  const data = encodeAbiParameters(
    inputs,
    inputs.map(({ name }) => args[name!]),
  );
  return { address, topics: topics.map((topic) => (topic as Hex).slice(2)), data: Buffer.from(data.slice(2), "hex") };
}

export interface KnownSide {
  readonly chain: number;
  readonly txHash: string;
  /** Unix seconds */
  readonly timestamp: bigint;
}

export interface KnownMessage {
  readonly messageId: string;
  /** indexes of chains */
  readonly source: number;
  readonly destination: number;
  readonly nonce: bigint;
  readonly from: Address;
  readonly to: Address;
  readonly data: Buffer;
  readonly receipts: readonly { nonce: bigint; relayer: Address }[];
  fee: bigint;
  /** undefined: its chain is not indexed */
  sent: KnownSide | undefined;
  received: (KnownSide & { deliverer: Address; redeemer: Address }) | undefined;
  isDelivered: boolean;
  isExecuted: boolean;
  hasReceipt: boolean;
}

export interface IcmWorld {
  /** blocks of the chains that are indexed */
  readonly chains: readonly EvmBlock[][];
  readonly messages: readonly KnownMessage[];
}

const action = fc.record({
  kind: fc.constantFrom("send", "send", "send", "deliver", "deliver", "again", "addFee", "tryAgain", "receipt", "foreign"),
  chain: fc.nat(UNSEEN),
  other: fc.nat(UNSEEN),
  pick: fc.nat(),
  from: fc.constantFrom(...PEOPLE.slice(0, 2)),
  to: fc.constantFrom(...PEOPLE.slice(1, 3)),
  isSuccess: fc.boolean(),
  length: fc.constantFrom(0, 1, 33, 5000),
  fee: fc.constantFrom(0n, 7n, 1n << 200n),
  receipts: fc.nat(2),
  /** seconds */
  step: fc.constantFrom(0, 0, 0, 1, 3600, 86_400, 40 * 86_400),
  isSameTransaction: fc.boolean(),
});
export type IcmAction = typeof action extends fc.Arbitrary<infer A> ? A : never;

const START = 1_700_000_000n;

export const icmWorld: fc.Arbitrary<IcmWorld> = fc.array(action, { minLength: 1, maxLength: 40, size: "max" }).map(worldOf);

class ChainUnderWay {
  readonly blocks: EvmBlock[] = [makeBlock(0n, [])];
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  /** @param isSame in the newest transaction, if it is of this time */
  add(log: Omit<EvmLog, "index">, timestamp: bigint, isSame: boolean): EvmTransaction {
    const tip = this.blocks.at(-1)!;
    if (isSame && tip.timestamp === timestamp && tip.height > 0n) {
      const transaction = tip.transactions.at(-1)!;
      (transaction.logs as EvmLog[]).push({ ...log, index: transaction.logs.length });
      return transaction;
    }
    const branch = `${this.#name} ${timestamp}`;
    const intended = { from: PEOPLE[3]!, to: MESSENGER, isSuccess: true, inputLength: 4, intents: [] };
    const block = makeBlock(tip.height + 1n, [intended], { branch, parentHash: tip.hash });
    const [transaction] = block.transactions;
    this.blocks.push({ ...block, timestamp, transactions: [{ ...transaction!, logs: [{ ...log, index: 0 }] }] });
    return this.blocks.at(-1)!.transactions[0]!;
  }
}

function structOf({ nonce, from, to, data, receipts, destination }: KnownMessage) {
  return {
    messageNonce: nonce,
    originSenderAddress: hex(from),
    destinationBlockchainID: hex(CHAIN_IDS[destination]!),
    destinationAddress: hex(to),
    requiredGasLimit: 100_000n,
    allowedRelayerAddresses: [hex(PEOPLE[0]!)],
    receipts: receipts.map((receipt) => ({ receivedMessageNonce: receipt.nonce, relayerRewardAddress: hex(receipt.relayer) })),
    message: hex(data.toString("hex")),
  };
}

export function worldOf(actions: readonly IcmAction[]): IcmWorld {
  const chains = CHAIN_IDS.slice(0, UNSEEN).map((id) => new ChainUnderWay(id));
  const messages: KnownMessage[] = [];
  let timestamp = START;
  for (const each of actions) {
    timestamp += BigInt(each.step);
    const log = (chain: number, eventName: string, args: object, address = MESSENGER): KnownSide | undefined => {
      if (chain === UNSEEN) return undefined;
      const made = eventLog(eventName, { ...args }, address);
      const transaction = chains[chain]!.add(made, timestamp, each.isSameTransaction);
      return { chain, txHash: transaction.hash, timestamp };
    };
    act(each, messages, log);
  }
  return { chains: chains.map(({ blocks }) => blocks), messages };
}

type Log = (chain: number, eventName: string, args: object, address?: Address) => KnownSide | undefined;

function act(each: IcmAction, messages: KnownMessage[], log: Log): void {
  const { kind, pick } = each;
  const pickOf = (eligible: readonly KnownMessage[]) => eligible[pick % eligible.length];
  const feeInfo = (amount: bigint) => ({ feeTokenAddress: hex(FEE_TOKEN), amount });
  if (kind === "send" || kind === "foreign") {
    const message = newMessage(each, messages.length);
    const args = { messageID: hex(message.messageId), destinationBlockchainID: hex(CHAIN_IDS[message.destination]!) };
    // anybody can deploy a contract with the same events
    if (kind === "foreign")
      return void log(each.chain, "SendCrossChainMessage", { ...args, message: structOf(message), feeInfo: feeInfo(1n) }, PEOPLE[0]!);
    messages.push(message);
    message.sent = log(each.chain, "SendCrossChainMessage", { ...args, message: structOf(message), feeInfo: feeInfo(message.fee) });
    return;
  }
  const message = pickOf(messages.filter(eligibleFor(kind)));
  if (message === undefined) return;
  const { source, destination } = message;
  const ofSource = { messageID: hex(message.messageId), destinationBlockchainID: hex(CHAIN_IDS[destination]!) };
  const ofDestination = { messageID: hex(message.messageId), sourceBlockchainID: hex(CHAIN_IDS[source]!) };
  switch (kind) {
    case "again":
      return void log(source, "SendCrossChainMessage", { ...ofSource, message: structOf(message), feeInfo: feeInfo(message.fee) });
    case "addFee":
      message.fee += 5n;
      return void log(source, "AddFeeAmount", { ...ofSource, updatedFeeInfo: feeInfo(message.fee) });
    case "receipt":
      message.hasReceipt = source !== UNSEEN;
      return void log(source, "ReceiptReceived", { ...ofSource, relayerRewardAddress: hex(each.to), feeInfo: feeInfo(message.fee) });
    case "deliver": {
      const [deliverer, redeemer] = [each.from, each.to];
      const args = { ...ofDestination, deliverer: hex(deliverer), rewardRedeemer: hex(redeemer), message: structOf(message) };
      const side = log(destination, "ReceiveCrossChainMessage", args);
      message.received = side && { ...side, deliverer, redeemer };
      message.isDelivered = true;
      break;
    }
  }
  message.isExecuted = each.isSuccess;
  if (each.isSuccess) log(destination, "MessageExecuted", ofDestination);
  else log(destination, "MessageExecutionFailed", { ...ofDestination, message: structOf(message) });
}

function eligibleFor(kind: IcmAction["kind"]): (message: KnownMessage) => boolean {
  if (kind === "deliver") return ({ isDelivered }) => !isDelivered;
  if (kind === "tryAgain") return ({ isDelivered, isExecuted }) => isDelivered && !isExecuted;
  if (kind === "receipt") return ({ isDelivered }) => isDelivered;
  return () => true;
}

function newMessage({ chain, other, from, to, length, fee, receipts }: IcmAction, count: number): KnownMessage {
  const messageId = sha256Hex(Buffer.from(`message ${chain} ${other} ${count}`));
  return {
    ...{ messageId, source: chain, destination: other, nonce: BigInt(count), from, to, fee },
    data: Buffer.alloc(length, count + 1),
    receipts: Array.from({ length: receipts }, (_, i) => ({ nonce: BigInt(i), relayer: PEOPLE[i]! })),
    ...{ sent: undefined, received: undefined, isDelivered: false, isExecuted: false, hasReceipt: false },
  };
}
