/** What a follower remembers of transactions that it passed on, and how often it asks its nodes. */
import { expect, test } from "vitest";
import { KeptFacts } from "../../../src/api/live-node/kept-facts.ts";
import { statusCall, statusIn, statusOf, uptimesOf } from "../../../src/api/live-node/node-calls.ts";
import { SentTxs } from "../../../src/api/live-node/sent-txs.ts";
import type { PassedUptimes } from "../../../src/api/state/node-facts.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { failureOf, UpstreamError } from "../../../src/sources/upstream/upstream-error.ts";

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
  const facts = new KeptFacts({ fact: async () => ({ result: ++asked }), uptimes: async () => undefined }, DEFAULT_LIMITS, () => now);
  await Promise.all(Array.from({ length: 100 }, () => facts.fact("info.peers")));
  now = 4_999;
  expect(await facts.fact("info.peers")).toEqual({ result: 1 });
  now = 5_000;
  expect(await facts.fact("info.peers")).toEqual({ result: 2 });
});

const told = (version: number): PassedUptimes => ({ from: "node", version, validators: {} });
const asksFor = (uptimes: () => Promise<PassedUptimes | undefined>, now: () => number) => {
  const limits = { ...DEFAULT_LIMITS, passedUptimeMilliseconds: 5 };
  return new KeptFacts({ fact: () => Promise.reject(new Error("not asked")), uptimes }, limits, now);
};

test("however many clients ask for validators, a node is asked for their uptimes once a minute, and nobody waits for the second answer", async () => {
  let [now, asked] = [0, 0];
  let answer = () => {};
  const facts = asksFor(
    async () => {
      if (++asked > 1) await new Promise<void>((resolve) => (answer = resolve));
      return told(asked);
    },
    () => now,
  );
  const versions = async () => (await Promise.all(Array.from({ length: 100 }, () => facts.uptimes()))).map((each) => each?.version);
  expect(new Set(await versions())).toEqual(new Set([1]));
  now = 59_999;
  expect([(await facts.uptimes())?.version, asked]).toEqual([1, 1]);
  now = 60_000;
  expect([new Set(await versions()), asked]).toEqual([new Set([1]), 2]);
  answer();
  await expect.poll(async () => (await facts.uptimes())?.version).toBe(2);
});

test("uptimes that no node tells any more are shown for five minutes, and nodes that fail are asked once in five seconds", async () => {
  let [now, asked] = [0, 0];
  const facts = asksFor(
    async () => (++asked === 1 ? told(1) : asked === 2 ? Promise.reject(new Error("gone")) : undefined),
    () => now,
  );
  await facts.uptimes();
  now = 299_999;
  expect((await facts.uptimes())?.version).toBe(1);
  now = 300_000;
  expect(await facts.uptimes()).toBeUndefined();
  expect(asked).toBe(2);
  now = 304_000;
  expect([await facts.uptimes(), asked]).toEqual([undefined, 2]);
  now = 305_000;
  expect([await facts.uptimes(), asked]).toEqual([undefined, 3]);
});

test("a node that never answers keeps no request that asks for uptimes", async () => {
  const facts = asksFor(
    () => new Promise(() => {}),
    () => 0,
  );
  expect(await Promise.all([facts.uptimes(), facts.uptimes()])).toEqual([undefined, undefined]);
});

test.each([
  { validators: 7 },
  { validators: [null] },
  { validators: [{ nodeID: "NodeID-a", uptime: "100", connected: true }] },
  { validators: [{ nodeID: "NodeID-a", uptime: 100, connected: true }] },
  { validators: [{ nodeID: "NodeID-a", uptime: "99.0000", connected: "yes" }] },
  { validators: [{ nodeID: "__proto__", uptime: "99.0000", connected: true }] },
])("an answer that is none of validators' uptimes is not passed on: %j", (result) => {
  expect(uptimesOf(result)).toBeUndefined();
});

test("a transaction that is in a block of the node alone is processing, and a dropped one has the node's reason", () => {
  expect(statusOf({ status: "Committed" })).toEqual({ kind: "processing" });
  expect(statusOf({ status: "Dropped", reason: "why" })).toEqual({ kind: "dropped", reason: "why" });
  expect(statusOf({ status: 7 })).toBeUndefined();
});

const refusal = (text: string) => ({ error: new UpstreamError("refused", `node: ${text}`, { nodeText: text }), upstream: 0 });

test("an atomic transaction that a node has is processing until it is indexed here; of one that it does not find, it is unknown", () => {
  const chains = { cChainId: "cc".repeat(32), xChainId: "11".repeat(32) };
  const asked = statusCall({ chainId: chains.cChainId, txId: "07".repeat(32) }, chains);
  expect(asked).toMatchObject({ method: "avax.getAtomicTx", path: "/ext/bc/C/avax", params: { encoding: "hex" } });
  const found = { tx: "0x00000000", encoding: "hex", blockHeight: "12" };
  expect(statusIn({ result: found, upstream: 0 })).toEqual({ kind: "processing" });
  expect(statusIn(refusal("fetching tx: reading tx: not found"))).toEqual({ kind: "unknown" });
  expect(statusIn(refusal("could not find tx 2QnhUFd"))).toEqual({ kind: "unknown" });
});

test.each(["fetching tx: reading tx: closed", "chain is not done bootstrapping", 'rpc: can\'t find method "avax.GetAtomicTx"'])(
  "an error of a node that is not about the transaction says nothing of it: %s",
  (text) => expect(statusIn(refusal(text))).toBeUndefined(),
);

test.each(["request limit exceeded", "insufficient capacity: exceeds capacity", "tx too large: range exceeds", "header not found"])(
  "a node that refuses a transaction with `%s` has refused it for good",
  (text) => expect(failureOf(-32000, text, "platform.issueTx", { isBatch: false })).toBe("refused"),
);
