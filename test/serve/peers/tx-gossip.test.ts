/** Transactions that are told to validators, and given to those who pull. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { afterEach, describe, expect, test } from "vitest";
import type { NodeId } from "../../../src/base/bytes/id.ts";
import { BloomFilter } from "../../../src/p2p/bloom-filter.ts";
import type { MessageOf, SentMessage } from "../../../src/p2p/wire/message-codec.ts";
import { type GossipedTx, TxGossip } from "../../../src/serve/peers/tx-gossip.ts";
import { ManualClock } from "../../p2p/peers.ts";

const X = "aa".repeat(32);
const C = "cc".repeat(32);
const txOf = (n: number, chainId = X, length = 100): GossipedTx => ({
  chainId,
  txId: `${n}`.padStart(64, "0"),
  bytes: new Uint8Array(length).fill(n),
});

const open: TxGossip[] = [];
afterEach(() => {
  for (const gossip of open.splice(0)) gossip.close();
});

function gossipTo(validators: readonly NodeId[], { connected = validators, accepted = new Set<string>() } = {}) {
  const sent: { readonly to: NodeId; readonly message: SentMessage }[] = [];
  const peers = {
    isConnected: (nodeId: NodeId) => connected.includes(nodeId),
    send(to: NodeId, message: SentMessage) {
      sent.push({ to, message });
      return true;
    },
  };
  const clock = new ManualClock();
  const gossip = new TxGossip({
    clock,
    peers,
    cChainId: C,
    validators: async () => validators,
    isAccepted: async ({ txId }) => accepted.has(txId),
  });
  open.push(gossip);
  return { gossip, sent, accepted, clock };
}

/** The transactions of a message of gossip. */
function txsIn(bytes: Uint8Array): string[] {
  const reader = new BinaryReader(bytes);
  const found: string[] = [];
  while (reader.pos < reader.len) {
    expect(reader.tag()).toEqual([1, WireType.LengthDelimited]);
    found.push(Buffer.from(reader.bytes()).toString("hex"));
  }
  return found;
}

function pull(handler: number, known: readonly GossipedTx[] = []): Uint8Array {
  const filter = BloomFilter.for(known.length);
  for (const { txId } of known) filter.add(Buffer.from(txId, "hex"));
  const writer = new BinaryWriter()
    .tag(2, WireType.LengthDelimited)
    .bytes(filter.salt)
    .tag(3, WireType.LengthDelimited)
    .bytes(filter.bytes);
  return Buffer.concat([Buffer.of(handler), writer.finish()]);
}

const given = (answer: SentMessage | undefined) => txsIn((answer!.value as MessageOf<"appResponse">).appBytes);
const hex = ({ bytes }: GossipedTx) => Buffer.from(bytes).toString("hex");

describe("an issued transaction", () => {
  test("is told to connected validators, those of C's atomic ones by another handler", async () => {
    const { gossip, sent } = gossipTo(["a", "b", "c"], { connected: ["a", "c"] });
    expect(await gossip.push(txOf(1))).toBe(2);
    expect(await gossip.push(txOf(2, C))).toBe(2);
    const [first, , third] = sent.map(({ to, message }) => ({ to, ...(message.value as MessageOf<"appGossip">) }));
    expect([first!.to, first!.appBytes[0], third!.appBytes[0]]).toEqual(["a", 0, 1]);
    expect(txsIn(first!.appBytes.subarray(1))).toEqual([hex(txOf(1))]);
    expect(gossip.has(txOf(1).txId)).toBe(true);
  });

  test("that nobody could be told is not kept", async () => {
    const { gossip } = gossipTo(["a"], { connected: [] });
    expect(await gossip.push(txOf(1))).toBe(0);
    expect(gossip.size).toBe(0);
  });

  test("is told to at most 100 validators, and again until a block has it", async () => {
    const validators = Array.from({ length: 150 }, (_, n) => `${n}`);
    const { gossip, sent, accepted, clock } = gossipTo(validators);
    const told = async (seconds: number) => {
      const before = sent.length;
      for (let ms = 0; ms < seconds * 1000; ms += 500) {
        clock.move(500);
        await nextTurn();
      }
      return sent.length - before;
    };
    expect(await gossip.push(txOf(1))).toBe(100);
    // after 1, 2, 4 and 8 s, and from half a minute on ten of them
    expect([await told(0.5), await told(0.5), await told(1.5), await told(0.5), await told(4)]).toEqual([0, 100, 0, 100, 100]);
    expect(await told(120)).toBe(100 + 4 * 10);
    accepted.add(txOf(1).txId);
    expect([await told(30), gossip.size]).toEqual([0, 0]);
  });

  test("is forgotten after ten minutes", async () => {
    const { gossip, clock } = gossipTo(["a"]);
    await gossip.push(txOf(1));
    for (let minute = 0; minute < 10; minute++) {
      expect(gossip.size).toBe(1);
      clock.move(60_000);
      await nextTurn();
    }
    clock.move(30_000);
    await nextTurn();
    expect(gossip.size).toBe(0);
  });

  test("is kept with 511 others: the oldest is forgotten", async () => {
    const { gossip } = gossipTo(["a"]);
    for (let n = 0; n <= 512; n++) await gossip.push(txOf(n));
    expect([gossip.size, gossip.has(txOf(0).txId), gossip.has(txOf(512).txId)]).toEqual([512, false, true]);
  });
});

describe("who pulls", () => {
  test("gets what it lacks of the chain, up to the size of an answer", async () => {
    const { gossip } = gossipTo(["a"]);
    for (const tx of [txOf(1), txOf(2), txOf(3, C)]) await gossip.push(tx);
    const ask = (chain: string, request: Uint8Array) => gossip.answer(Buffer.from(chain, "hex"), 9, request);
    expect(given(ask(X, pull(0)))).toEqual([hex(txOf(1)), hex(txOf(2))]);
    expect(given(ask(X, pull(0, [txOf(1)])))).toEqual([hex(txOf(2))]);
    expect(given(ask(C, pull(1)))).toEqual([hex(txOf(3))]);
    for (let n = 10; n < 20; n++) await gossip.push(txOf(n, X, 5_000));
    expect(given(ask(X, pull(0))).length).toBeLessThan(8);
  });

  test("for something else, or wrongly, gets nothing", () => {
    const { gossip } = gossipTo(["a"]);
    for (const request of [Buffer.of(), Buffer.of(2, 1), Buffer.of(0), Buffer.of(0, 0x12, 0xff), Buffer.of(0, 0x1a, 1, 0), Buffer.of(0, 7)])
      expect(gossip.answer(Buffer.from(X, "hex"), 9, request)).toBeUndefined();
  });
});
