/**
 * Delivers the messages of webhooks: each webhook's in their order, one after the other, so that a message is delivered before the next one is
 * tried. The result of an attempt is committed before the next one, so a process that is killed sends at most the message again that was under way,
 * with the same ID.
 */
import { createHmac } from "node:crypto";
import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";
import type { Logger } from "pino";
import type { Change, TableValue } from "../base/table/table.ts";
import { canonicalJson } from "./canonical-json.ts";
import type { Attempt, Poster } from "./post.ts";
import { isWaiting, type Queue, type QueueBounds, type Webhook, type WebhookRegistry } from "./registry.ts";
import { webhookMessages, webhookSecrets } from "./webhook-tables.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Milliseconds after each failed attempt until the next, as the hosted service waits. After the last one the webhook is switched off. */
export const SCHEDULE_MS = [10_000, MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR] as const;

/** Webhooks whose messages are being delivered at the same time. */
const MOST_UNDER_WAY = 64;
/** The clock may be set, and commits may fail: looked at again after this time at most. */
const LOOK_AGAIN_MS = 60_000;

type Message = TableValue<typeof webhookMessages>;

const inflate = promisify(inflateRaw) as (bytes: Uint8Array) => Promise<Buffer>;

interface CourierParts {
  readonly registry: WebhookRegistry;
  readonly poster: Poster;
  /** Unix milliseconds */
  now(): number;
  readonly log: Logger;
  readonly bounds: QueueBounds;
}

export class Courier {
  readonly #registry: WebhookRegistry;
  readonly #poster: Poster;
  readonly #now: () => number;
  readonly #log: Logger;
  readonly #kept: bigint;
  readonly #stopping = new AbortController();
  readonly #underWay = new Map<number, Promise<void>>();
  /** after a failure that is not the receiver's */
  readonly #paused = new Map<number, number>();
  #running: Promise<void> = Promise.resolve();

  constructor({ registry, poster, now, log, bounds }: CourierParts) {
    this.#kept = bounds.delivered;
    this.#registry = registry;
    this.#poster = poster;
    this.#now = now;
    this.#log = log;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#poster.close();
    await this.#running;
    await Promise.all(this.#underWay.values());
  }

  /** Signs and posts a message. Never rejects because of the receiver. */
  async post(webhook: Webhook, message: object): Promise<Attempt> {
    return this.#send(webhook, Buffer.from(canonicalJson(message)));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const wait = this.#startDue();
      await this.#registry.changed.next(wait, signal);
    }
  }

  /** Starts what is due. Returns milliseconds until the next one is. */
  #startDue(): number {
    const now = this.#now();
    let next = now + LOOK_AGAIN_MS;
    for (const webhook of this.#registry.all) {
      const { number, queue, row } = webhook;
      if (!row.isActive || !isWaiting(webhook) || this.#underWay.has(number)) continue;
      const due = Math.max(Number(queue.tryAt), this.#paused.get(number) ?? 0);
      if (due > now) next = Math.min(next, due);
      else if (this.#underWay.size < MOST_UNDER_WAY) this.#start(number);
    }
    return next - now;
  }

  #start(number: number): void {
    const delivering = this.#deliver(number)
      .then(
        () => this.#paused.delete(number),
        (error: unknown) => {
          // such as a store that is away for a while
          this.#paused.set(number, this.#now() + SCHEDULE_MS[0]);
          this.#log.warn({ err: error, webhook: number }, "Could not read or write the messages of a webhook; trying again");
        },
      )
      .then(() => {
        this.#underWay.delete(number);
        this.#registry.changed.notify();
      });
    this.#underWay.set(number, delivering);
  }

  /** Until nothing waits, an attempt fails, or the webhook is off. */
  async #deliver(number: number): Promise<void> {
    for (;;) {
      const webhook = this.#registry.get(number);
      if (this.#stopping.signal.aborted || webhook?.row.isActive !== true || !isWaiting(webhook)) return;
      if (Number(webhook.queue.tryAt) > this.#now()) return;
      const key = { webhook: number, number: webhook.queue.first };
      const message = await this.#registry.store.get(webhookMessages, key);
      if (message === undefined) throw new Error(`message ${key.number} of webhook ${number} has no row`);
      const attempt = await this.#send(webhook, await inflate(message.body));
      // one that this process broke off says nothing about the receiver
      if (this.#poster.isClosed && attempt.problem !== "") return;
      await this.#record(key, message, attempt);
    }
  }

  async #send({ row, settings }: Webhook, body: Buffer): Promise<Attempt> {
    const held = await this.#registry.store.get(webhookSecrets, { owner: row.owner });
    const signature = held && createHmac("sha256", held.secret).update(body).digest("base64");
    return this.#poster.post(settings.url, body, signature === undefined ? {} : { "x-signature": signature });
  }

  #record(key: { webhook: number; number: bigint }, message: Message, attempt: Attempt): Promise<void> {
    return this.#registry.exclusively(async () => {
      const webhook = this.#registry.get(key.webhook);
      // removed, or changed by another attempt
      if (webhook === undefined || webhook.queue.first !== key.number) return;
      const { status, problem, durationMs } = attempt;
      const isDelivered = problem === "";
      const deliveredAt = isDelivered ? BigInt(this.#now()) : 0n;
      const attempts = Math.min(message.attempts + 1, 0xff);
      const value: Message = { ...message, deliveredAt, attempts, status, problem, durationMs };
      const changes = [{ table: webhookMessages, key, value } as Change];
      if (!isDelivered) return this.#registry.commit(changes, [this.#afterFailure(webhook, problem)]);
      const queue: Queue = {
        ...webhook.queue,
        first: key.number + 1n,
        waitingBytes: webhook.queue.waitingBytes - BigInt(message.body.length),
        attempts: 0,
        tryAt: 0n,
      };
      const trimmed = trim(key.webhook, queue, this.#kept);
      await this.#registry.commit([...changes, ...trimmed.changes], [{ ...webhook, queue: trimmed.queue }]);
    });
  }

  #afterFailure(webhook: Webhook, problem: string): Webhook {
    const attempts = webhook.queue.attempts + 1;
    const wait = SCHEDULE_MS[attempts - 1];
    if (wait !== undefined) return { ...webhook, queue: { ...webhook.queue, attempts, tryAt: BigInt(this.#now() + wait) } };
    const { number, row } = webhook;
    const sentence = `${attempts} attempts to deliver a message failed; the last one: ${problem}`;
    // the rest of a URL may be a secret
    this.#log.warn(
      { webhook: number, host: new URL(webhook.settings.url).host, problem },
      "Switched a webhook off: a message could not be delivered",
    );
    return { ...webhook, row: { ...row, isActive: false, problem: sentence }, queue: { ...webhook.queue, attempts: 0, tryAt: 0n } };
  }
}

/** At most two of the oldest delivered messages go with each that is delivered, so the rest goes over time. */
function trim(webhook: number, queue: Queue, delivered: bigint): { queue: Queue; changes: Change[] } {
  const last = queue.first - delivered;
  const until = last < queue.kept + 2n ? last : queue.kept + 2n;
  if (until <= queue.kept) return { queue, changes: [] };
  const numbers = Array.from({ length: Number(until - queue.kept) }, (_, i) => queue.kept + BigInt(i));
  return {
    queue: { ...queue, kept: until },
    changes: numbers.map((number) => ({ table: webhookMessages, key: { webhook, number }, value: undefined }) as Change),
  };
}
