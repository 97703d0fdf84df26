/** What a follower remembers of transactions that it passed on, and how often it asks its nodes. */
import { expect, test } from "vitest";
import { KeptFacts } from "../../src/live-node/kept-facts.ts";
import { statusOf } from "../../src/live-node/node-calls.ts";
import { SentTxs } from "../../src/live-node/sent-txs.ts";
import { failureOf } from "../../src/upstream/failure-of.ts";

const HOUR_MS = 3_600_000;
const sent = (txId: string) => ({ chainId: "00", txId, upstream: 0, known: undefined });

test("of transactions that were passed on, the newest 4,096 are remembered, for an hour", () => {
  let now = 0;
  const txs = new SentTxs(() => now);
  for (let i = 0; i < 5000; i++) txs.add(sent(`${i}`));
  expect(txs.size).toBe(4096);
  expect([txs.get("00", "903"), txs.get("00", "904")?.txId]).toEqual([undefined, "904"]);
  now = HOUR_MS;
  expect(txs.get("00", "4999")).toBeUndefined();
  txs.add(sent("new"));
  expect(txs.size).toBe(1);
});

test("however many clients ask for peers, a node is asked once in five seconds", async () => {
  let [now, asked] = [0, 0];
  const facts = new KeptFacts({ fact: async () => ({ result: ++asked }) }, () => now);
  await Promise.all(Array.from({ length: 100 }, () => facts.fact("info.peers")));
  now = 4_999;
  expect(await facts.fact("info.peers")).toEqual({ result: 1 });
  now = 5_000;
  expect(await facts.fact("info.peers")).toEqual({ result: 2 });
});

test("a transaction that is in a block of the node alone is processing, and a dropped one has the node's reason", () => {
  expect(statusOf({ status: "Committed" })).toEqual({ kind: "processing" });
  expect(statusOf({ status: "Dropped", reason: "why" })).toEqual({ kind: "dropped", reason: "why" });
  expect(statusOf({ status: 7 })).toBeUndefined();
});

test.each(["request limit exceeded", "insufficient capacity: exceeds capacity", "tx too large: range exceeds", "header not found"])(
  "a node that refuses a transaction with `%s` has refused it for good",
  (text) => expect(failureOf(-32000, text, "platform.issueTx", { isBatch: false })).toBe("refused"),
);
