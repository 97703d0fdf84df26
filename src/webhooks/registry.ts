/**
 * The webhooks of a store, in memory. Whoever changes them, their queues or their messages does so in `exclusively`, one after the other: reads,
 * commits, and then puts the new values here. So memory is never ahead of the store, and a commit that fails changes nothing.
 */
import type { WebhookScope, WebhookSettings } from "../api/data/webhooks/webhook-desk.ts";
import type { Change, TableValue } from "../base/table/table.ts";
import { Notifier } from "../base/work/pause.ts";
import { type Store, scanAll } from "../store/store.ts";
import { webhookQueues, webhooks } from "./webhook-tables.ts";

export type Queue = TableValue<typeof webhookQueues>;

export interface Webhook {
  readonly number: number;
  readonly row: TableValue<typeof webhooks>;
  readonly settings: WebhookSettings;
  readonly queue: Queue;
}

export const NEW_QUEUE: Queue = { kept: 1n, first: 1n, next: 1n, waitingBytes: 0n, attempts: 0, tryAt: 0n };

/** Bounds of one webhook. */
export interface QueueBounds {
  /** what may wait; beyond it the webhook is switched off */
  readonly messages: number;
  readonly bytes: number;
  /** delivered messages that are kept */
  readonly delivered: bigint;
}

export const QUEUE_BOUNDS: QueueBounds = { messages: 100_000, bytes: 256 << 20, delivered: 1_000n };

/** Numbers for operators. */
export interface WebhookCounts {
  readonly active: number;
  readonly off: number;
  /** messages of active webhooks */
  readonly waiting: number;
}

/** Key columns that name a chain. */
export interface ScopeKey {
  readonly kind: number;
  readonly chain: bigint;
}

export const EVM_KIND = 0;
export const PRIMARY_KIND = 1;

export function scopeKey({ kind, chain }: WebhookScope): ScopeKey {
  return { kind: kind === "evm" ? EVM_KIND : PRIMARY_KIND, chain: BigInt(chain) };
}

export function isWaiting({ queue: { first, next } }: Pick<Webhook, "queue">): boolean {
  return first < next;
}

export class WebhookRegistry {
  readonly store: Store;
  /** notified after each change */
  readonly changed = new Notifier();
  readonly #byNumber: Map<number, Webhook>;
  readonly #byId: Map<string, Webhook>;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(store: Store, found: readonly Webhook[]) {
    this.store = store;
    this.#byNumber = new Map(found.map((webhook) => [webhook.number, webhook]));
    this.#byId = new Map(found.map((webhook) => [webhook.row.uuid, webhook]));
  }

  static async open(store: Store): Promise<WebhookRegistry> {
    const queues = new Map<number, Queue>();
    for await (const { key, value } of scanAll(store, webhookQueues)) queues.set(key.webhook, value);
    const found: Webhook[] = [];
    for await (const { key, value } of scanAll(store, webhooks)) {
      const settings = JSON.parse(Buffer.from(value.settings).toString()) as WebhookSettings;
      found.push({ number: key.webhook, row: value, settings, queue: queues.get(key.webhook) ?? NEW_QUEUE });
    }
    return new WebhookRegistry(store, found);
  }

  /** Runs after everything that was asked for before has ended, however it ended. */
  exclusively<R>(work: () => Promise<R>): Promise<R> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Commits, and then shows the webhooks as they are now. Only within `exclusively`. */
  async commit(changes: readonly Change[], changed: readonly Webhook[], removed: readonly Webhook[] = []): Promise<void> {
    await this.store.commit([
      ...changes,
      ...changed.flatMap((webhook) => changesOf(webhook, this.#byNumber.get(webhook.number))),
      ...removed.flatMap(({ number }) => [deleted(webhooks, number), deleted(webhookQueues, number)]),
    ]);
    for (const webhook of removed) {
      this.#byNumber.delete(webhook.number);
      this.#byId.delete(webhook.row.uuid);
    }
    for (const webhook of changed) {
      this.#byNumber.set(webhook.number, webhook);
      this.#byId.set(webhook.row.uuid, webhook);
    }
    this.changed.notify();
  }

  get size(): number {
    return this.#byNumber.size;
  }

  /** In order of creation. */
  get all(): Iterable<Webhook> {
    return this.#byNumber.values();
  }

  get(number: number): Webhook | undefined {
    return this.#byNumber.get(number);
  }

  /** @param uuid without dashes */
  find(uuid: string): Webhook | undefined {
    return this.#byId.get(uuid);
  }

  counts(): WebhookCounts {
    const active = [...this.all].filter(({ row }) => row.isActive);
    const waiting = active.reduce((sum, { queue }) => sum + Number(queue.next - queue.first), 0);
    return { active: active.length, off: this.size - active.length, waiting };
  }

  /** The chains for which some webhook is active. */
  scopes(): WebhookScope[] {
    const scopes = new Map<string, WebhookScope>();
    for (const { row, settings } of this.all) {
      if (row.isActive) scopes.set(`${settings.scope.kind} ${settings.scope.chain}`, settings.scope);
    }
    return [...scopes.values()];
  }

  /** The active webhooks of a chain. */
  activeOf({ kind, chain }: WebhookScope): Webhook[] {
    return [...this.all].filter(({ row, settings: { scope } }) => row.isActive && scope.kind === kind && scope.chain === chain);
  }
}

function changesOf({ number, row, queue }: Webhook, before: Webhook | undefined): Change[] {
  const key = { webhook: number };
  return [
    ...(row === before?.row ? [] : [{ table: webhooks, key, value: row } as Change]),
    ...(queue === before?.queue ? [] : [{ table: webhookQueues, key, value: queue } as Change]),
  ];
}

function deleted(table: typeof webhooks | typeof webhookQueues, webhook: number): Change {
  return { table, key: { webhook }, value: undefined } as Change;
}
