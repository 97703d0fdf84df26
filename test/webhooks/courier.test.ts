/** How messages are delivered: in order, again and again, and only where they may go. Time is the test's. */
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { SCHEDULE_MS } from "../../src/webhooks/courier.ts";
import { PUBLIC_ONLY } from "../../src/webhooks/post.ts";
import type { WebhookService } from "../../src/webhooks/webhook-service.ts";
import { PEOPLE } from "../evm/decode/intents.ts";
import { eventually } from "../patience.ts";
import { type Answer, type Receiver, startReceiver } from "./receiver.ts";
import { OWNER, PLAIN, runningService, StoredChain } from "./stored-chain.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const PAYMENT = { from: PEOPLE[0]!, to: PEOPLE[1]!, isSuccess: true, inputLength: 0, intents: [] };
const paymentBlocks = (count: number) => Array.from({ length: count }, () => [PAYMENT]);

/** A chain, a receiver, and webhooks by a clock that the test moves. */
class World {
  readonly chain = new StoredChain();
  receiver!: Receiver;
  now = 1_000;
  service!: WebhookService;
  #options: Parameters<typeof runningService>[1] = {};

  static async start(options: Parameters<typeof runningService>[1] = {}): Promise<World> {
    const world = new World();
    world.#options = options;
    await world.chain.grow(0, [[]]);
    world.receiver = await startReceiver();
    await world.open();
    ends.push(
      () => world.chain.store.close(),
      () => world.receiver.stop(),
      () => world.service.stop(),
    );
    return world;
  }

  async open(): Promise<void> {
    this.service = await runningService(this.chain.store, { now: () => this.now, ...this.#options });
  }

  create(url = this.receiver.url) {
    return this.service.desk.create(OWNER, { ...PLAIN, url }, [PEOPLE[1]!]);
  }

  get webhook() {
    return [...this.service.registry.all][0]!;
  }

  /** Moves the clock to when the next attempt is due. */
  async nextAttempt(): Promise<number> {
    const tryAt = await eventually(() => {
      const { queue, row } = this.webhook;
      return !row.isActive || Number(queue.tryAt) > this.now ? Number(queue.tryAt) : undefined;
    });
    const waited = tryAt - this.now;
    this.now = Math.max(this.now, tryAt);
    this.service.registry.changed.notify();
    return waited;
  }
}

/** As the receiver got them, without repetitions. */
function hashesOf({ received }: Receiver): string[] {
  const seen = new Map(received.map(({ message }) => [message.messageId, message.event.transaction.txHash]));
  return [...seen.values()];
}

const hashesIn = (chain: StoredChain) => chain.blocks.slice(1).flatMap(({ transactions }) => transactions.map(({ hash }) => `0x${hash}`));

/** Does not answer. */
const hang: Answer = () => {};
const reset: Answer = (response) => response.socket!.destroy();
const redirect: Answer = (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
const endless: Answer = (response) => {
  response.writeHead(200);
  const more = () => {
    while (response.write("x".repeat(65_536)));
  };
  response.on("drain", more);
  more();
};

test("each message arrives, in order, whatever the receiver does between, and however often the process begins again", async () => {
  const answers = { ok: 200, accepted: 204, failing: 500, missing: 404, hang, reset, redirect };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...(Object.keys(answers) as (keyof typeof answers)[])), { maxLength: 5 }),
      fc.array(fc.nat(6), { maxLength: 3 }),
      async (script, restarts) => {
        const world = await World.start({ answerMs: 200 });
        await world.create();
        await world.chain.grow(0, paymentBlocks(4));
        const left = [...script];
        world.receiver.answer = (response, one) => {
          const answer = answers[left.shift() ?? "ok"];
          if (typeof answer === "number") response.writeHead(answer).end();
          else answer(response, one);
        };
        const restartAt = new Set(restarts);
        for (let i = 0; world.webhook.queue.first <= 4n; i++) {
          if (restartAt.has(i)) {
            await world.service.stop();
            await world.open();
          }
          const { queue } = world.webhook;
          const isAll = () => world.webhook.queue.first > 4n;
          const isDue = () => isAll() || Number(world.webhook.queue.tryAt) > world.now || world.webhook.queue.first > queue.first;
          await eventually(isDue);
          world.now = Math.max(world.now, Number(world.webhook.queue.tryAt));
          world.service.registry.changed.notify();
        }
        expect(hashesOf(world.receiver)).toEqual(hashesIn(world.chain));
        for (const end of ends.splice(0).reverse()) await end();
      },
    ),
    { numRuns: 12 },
  );
});

test("a message is tried after longer and longer, then the webhook is off, and on again it goes on with the same message", async () => {
  const world = await World.start();
  const { id } = await world.create();
  world.receiver.answer = 503;
  await world.chain.grow(0, paymentBlocks(2));
  const waited: number[] = [];
  for (let i = 0; i < SCHEDULE_MS.length; i++) waited.push(await world.nextAttempt());
  expect(waited).toEqual(SCHEDULE_MS);
  await eventually(() => !world.webhook.row.isActive);
  expect(await world.service.desk.get(OWNER, id)).toMatchObject({
    isActive: false,
    waiting: 2,
    problem: "10 attempts to deliver a message failed; the last one: answered 503",
  });
  expect(new Set(world.receiver.received.map(({ message }) => message.messageId)).size).toBe(1);
  expect(world.receiver.received).toHaveLength(10);
  // not told of: the webhook is off
  await world.chain.grow(0, paymentBlocks(1));
  world.receiver.answer = 200;
  await world.service.desk.update(OWNER, id, { isActive: true });
  await world.chain.grow(0, paymentBlocks(1));
  await eventually(() => world.webhook.queue.first === 4n);
  const all = hashesIn(world.chain);
  expect(hashesOf(world.receiver)).toEqual([all[0], all[1], all[3]]);
  const { items } = await world.service.desk.deliveries(OWNER, id, { limit: 10 });
  expect(items.map(({ state, attempts, status }) => ({ state, attempts, status }))).toEqual([
    { state: "delivered", attempts: 1, status: 200 },
    { state: "delivered", attempts: 1, status: 200 },
    { state: "delivered", attempts: 11, status: 200 },
  ]);
});

test.each([
  { name: "does not answer", answer: hang, problem: "no answer within 0.2 seconds" },
  { name: "redirects", answer: redirect, problem: "answered 302, and redirects are not followed" },
  { name: "breaks off", answer: reset, problem: "no answer: " },
])("a receiver that $name has not got a message", async ({ answer, problem }) => {
  const world = await World.start({ answerMs: 200 });
  const { id } = await world.create();
  world.receiver.answer = answer;
  expect((await world.service.desk.test(OWNER, id)).problem).toContain(problem);
});

test("few test messages are under way at the same time", async () => {
  const world = await World.start({ answerMs: 200 });
  const { id } = await world.create();
  world.receiver.answer = hang;
  const answers = await Promise.allSettled(Array.from({ length: 20 }, () => world.service.desk.test(OWNER, id)));
  const refused = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason.message] : []));
  expect(refused).toEqual(Array.from({ length: 4 }, () => "16 test messages are under way; try again in a few seconds"));
  world.receiver.answer = 200;
  expect(await world.service.desk.test(OWNER, id)).toMatchObject({ problem: "" });
});

test("of an endless answer a part is read", async () => {
  const world = await World.start();
  const { id } = await world.create();
  world.receiver.answer = endless;
  expect(await world.service.desk.test(OWNER, id)).toMatchObject({ status: 200, problem: "" });
});

test.each([
  { name: "this machine", url: "http://127.0.0.1:1/", problem: "127.0.0.1 leads to an address that is not public" },
  { name: "a private network", url: "http://[fd00::1]/", problem: "fd00::1 leads to an address that is not public" },
  { name: "a name of both kinds", url: "http://both.example/", problem: "both.example leads to an address that is not public" },
  { name: "a name of nothing", url: "http://nothing.example/", problem: "the name nothing.example has no address" },
])("where only public addresses are allowed, $name is not asked", async ({ url, problem }) => {
  const named = new Map([["both.example", ["93.184.215.14", "10.0.0.1"]]]);
  const resolve = async (hostname: string) => (named.get(hostname) ?? []).map((address) => ({ address, family: 4 }));
  const world = await World.start({ on: { ...PUBLIC_ONLY, resolve } });
  const { id } = await world.create(url);
  expect(await world.service.desk.test(OWNER, id)).toMatchObject({ status: 0, problem: expect.stringContaining(problem) });
});

test("messages have the signature of the newest secret", async () => {
  const world = await World.start();
  const { id } = await world.create();
  await world.service.desk.test(OWNER, id);
  const old = await world.service.desk.rotateSecret(OWNER);
  await world.service.desk.test(OWNER, id);
  const secret = await world.service.desk.rotateSecret(OWNER);
  await world.service.desk.test(OWNER, id);
  expect(secret).not.toBe(old);
  const signed = (key: string, body: string) => createHmac("sha256", Buffer.from(key, "hex")).update(body).digest("base64");
  const [unsigned, first, second] = world.receiver.received;
  expect(unsigned!.headers["x-signature"]).toBeUndefined();
  expect(first!.headers["x-signature"]).toBe(signed(old, first!.body));
  expect(second!.headers["x-signature"]).toBe(signed(secret, second!.body));
});

test("a webhook is switched off when more wait than are kept, and what waits is still delivered", async () => {
  const world = await World.start({ bounds: { queue: { messages: 3, bytes: 1 << 20, delivered: 1_000n } } });
  const { id } = await world.create();
  world.receiver.answer = 500;
  await world.chain.grow(0, paymentBlocks(5));
  await eventually(() => !world.webhook.row.isActive);
  expect((await world.service.desk.get(OWNER, id)).problem).toBe(
    "3 messages wait, and no more are kept; switch it on again to have them delivered",
  );
  world.receiver.answer = 200;
  await world.service.desk.update(OWNER, id, { isActive: true });
  await eventually(() => world.webhook.queue.first === 4n);
  expect(hashesOf(world.receiver)).toEqual(hashesIn(world.chain).slice(0, 3));
});

test("delivered messages are kept up to a number", async () => {
  const world = await World.start({ bounds: { queue: { messages: 100, bytes: 1 << 20, delivered: 10n } } });
  const { id } = await world.create();
  await world.chain.grow(0, [Array.from({ length: 30 }, () => PAYMENT)]);
  await eventually(() => world.webhook.queue.first === 31n);
  expect(world.webhook.queue).toMatchObject({ kept: 21n, waitingBytes: 0n });
  expect((await world.service.desk.deliveries(OWNER, id, { limit: 100 })).items).toHaveLength(10);
});
