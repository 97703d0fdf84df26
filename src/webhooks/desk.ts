/** Makes, changes and shows webhooks. Bounds: webhooks of a key, webhooks and addresses of the store. */
import { randomBytes, randomUUID } from "node:crypto";
import { DataError, notFound } from "../api/data/errors.ts";
import { shown } from "../api/data/ids.ts";
import type { Delivery, KeptWebhook, Part, WebhookChanges, WebhookDesk, WebhookSettings } from "../api/data/webhooks/webhook-desk.ts";
import type { Change, Row, TableValue } from "../base/table/table.ts";
import type { Courier } from "./courier.ts";
import { dashed, type WebhookFeed } from "./feed.ts";
import { isWaiting, NEW_QUEUE, scopeKey, type Webhook, type WebhookRegistry } from "./registry.ts";
import { webhookAddresses, webhookAlarms, webhookMessages, webhookNumbers, webhookSecrets, webhookWatchers } from "./webhook-tables.ts";

/** Where a test makes them smaller. */
export interface DeskBounds {
  readonly webhooksOfKey: number;
  readonly webhooks: number;
  readonly addresses: number;
}

export const DESK_BOUNDS: DeskBounds = { webhooksOfKey: 1_000, webhooks: 10_000, addresses: 1_000_000 };

/** of a webhook's addresses, in its answer */
const SHOWN_ADDRESSES = 100;
/** test messages that are under way: each may hold a connection for ten seconds */
const MOST_TESTS = 16;
/** rows that are deleted in one commit */
const PIECE = 5_000;
/** 192 random bits, as ASCII: `chainkit`'s two checks of a signature take the key as bytes, and as text */
const SECRET_BYTES = 24;
const SLOT = { slot: 0 };

interface DeskParts {
  readonly registry: WebhookRegistry;
  readonly courier: Courier;
  readonly feed: WebhookFeed;
  /** Unix milliseconds */
  now(): number;
  readonly bounds?: DeskBounds;
}

export class Desk implements WebhookDesk {
  readonly #registry: WebhookRegistry;
  readonly #courier: Courier;
  readonly #feed: WebhookFeed;
  readonly #now: () => number;
  readonly #bounds: DeskBounds;
  #tests = 0;

  constructor({ registry, courier, feed, now, bounds = DESK_BOUNDS }: DeskParts) {
    this.#registry = registry;
    this.#courier = courier;
    this.#feed = feed;
    this.#now = now;
    this.#bounds = bounds;
  }

  async create(owner: string, settings: WebhookSettings, addresses: readonly string[]): Promise<KeptWebhook> {
    const registry = this.#registry;
    await this.#makeRoom(owner);
    const made = await registry.exclusively(async () => {
      this.#requireRoom(addresses.length);
      const number = (await registry.store.get(webhookNumbers, SLOT))?.next ?? 1;
      const row = {
        uuid: withoutDashes(randomUUID()),
        owner,
        settings: Buffer.from(JSON.stringify(settings)),
        isActive: true,
        problem: "",
        createdAt: BigInt(Math.floor(this.#now() / 1000)),
        since: 0n,
        addresses: addresses.length,
      };
      const begun = await this.#begun({ number, row, settings, queue: NEW_QUEUE });
      const numbered = { table: webhookNumbers, key: SLOT, value: { next: number + 1 } } as Change;
      await registry.commit([numbered, ...begun.changes, ...(await this.#watch(begun.webhook, addresses))], [begun.webhook]);
      return begun.webhook;
    });
    return this.#shown(made);
  }

  async list(
    owner: string,
    { isActive, after = 0, limit }: { isActive?: boolean; after?: number; limit: number },
  ): Promise<Part<KeptWebhook, number>> {
    const own = [...this.#registry.all].filter(
      ({ number, row }) => number > after && row.owner === owner && (isActive === undefined || row.isActive === isActive),
    );
    const page = own.slice(0, limit);
    const items = await Promise.all(page.map((webhook) => this.#shown(webhook)));
    return { items, ...(own.length > limit && { next: page.at(-1)!.number }) };
  }

  async get(owner: string, id: string): Promise<KeptWebhook> {
    return this.#shown(this.#find(owner, id));
  }

  async update(owner: string, id: string, { isActive, ...changes }: WebhookChanges): Promise<KeptWebhook> {
    const updated = await this.#registry.exclusively(async () => {
      const webhook = this.#find(owner, id);
      const settings = changed(webhook.settings, changes);
      const isOn = isActive ?? webhook.row.isActive;
      const row = {
        ...webhook.row,
        settings: Buffer.from(JSON.stringify(settings)),
        isActive: isOn,
        ...(isActive !== undefined && { problem: "" }),
      };
      // what waits is tried at once: the client has mended something
      const queue = { ...webhook.queue, attempts: 0, tryAt: 0n };
      const next: Webhook = { ...webhook, settings, row, queue };
      const begun = isOn && !webhook.row.isActive ? await this.#begun(next) : { webhook: next, changes: [] };
      await this.#registry.commit(begun.changes, [begun.webhook]);
      return begun.webhook;
    });
    return this.#shown(updated);
  }

  async addresses(
    owner: string,
    id: string,
    { after, limit }: { after?: string; limit: number },
  ): Promise<Part<string, string> & { total: number }> {
    const webhook = this.#requireEvm(owner, id);
    const rows = await this.#registry.store.scan(webhookAddresses, {
      prefix: { webhook: webhook.number },
      ...(after !== undefined && { after: { address: after } }),
      limit: limit + 1,
    });
    const items = rows.slice(0, limit).map(({ key: { address } }) => address);
    return { items, total: webhook.row.addresses, ...(rows.length > limit && { next: items.at(-1)! }) };
  }

  async addAddresses(owner: string, id: string, addresses: readonly string[]): Promise<KeptWebhook> {
    return this.#changeAddresses(owner, id, async (webhook) => {
      const added = await this.#among(webhook, addresses, false);
      this.#requireRoom(added.length);
      return { changes: await this.#watch(webhook, added), count: added.length };
    });
  }

  async removeAddresses(owner: string, id: string, addresses: readonly string[]): Promise<KeptWebhook> {
    return this.#changeAddresses(owner, id, async (webhook) => {
      const removed = await this.#among(webhook, addresses, true);
      return { changes: await this.#unwatch(webhook, removed), count: -removed.length };
    });
  }

  async secret(owner: string): Promise<string> {
    const row = await this.#registry.store.get(webhookSecrets, { owner });
    if (row === undefined) throw notFound("no secret was made yet; make one with POST /v1/webhooks:generateOrRotateSharedSecret");
    return Buffer.from(row.secret).toString("hex");
  }

  async rotateSecret(owner: string): Promise<string> {
    const secret = Buffer.from(randomBytes(SECRET_BYTES).toString("base64url"));
    await this.#registry.exclusively(() =>
      this.#registry.commit([{ table: webhookSecrets, key: { owner }, value: { secret } } as Change], []),
    );
    return secret.toString("hex");
  }

  async deliveries(owner: string, id: string, { before, limit }: { before?: number; limit: number }): Promise<Part<Delivery, number>> {
    const webhook = this.#find(owner, id);
    const rows = await this.#registry.store.scan(webhookMessages, {
      prefix: { webhook: webhook.number },
      ...(before !== undefined && { after: { number: BigInt(before) } }),
      reverse: true,
      limit: limit + 1,
    });
    const page = rows.slice(0, limit);
    return {
      items: page.map((row) => deliveryOf(row, webhook)),
      ...(rows.length > limit && { next: Number(page.at(-1)!.key.number) }),
    };
  }

  async test(owner: string, id: string): Promise<Delivery> {
    const webhook = this.#find(owner, id);
    if (this.#tests === MOST_TESTS) throw new DataError(429, `${MOST_TESTS} test messages are under way; try again in a few seconds`);
    const createdAt = this.#now();
    const messageId = randomUUID();
    const message = { webhookId: dashed(webhook.row.uuid), eventType: webhook.settings.eventType, messageId, event: { eventType: "test" } };
    this.#tests++;
    const attempt = await this.#courier.post(webhook, message).finally(() => {
      this.#tests--;
    });
    return {
      messageId,
      state: "test",
      attempts: 1,
      ...attempt,
      createdAt,
      ...(attempt.problem === "" && { deliveredAt: this.#now() }),
    };
  }

  async #changeAddresses(
    owner: string,
    id: string,
    change: (webhook: Webhook) => Promise<{ changes: readonly Change[]; count: number }>,
  ): Promise<KeptWebhook> {
    const next = await this.#registry.exclusively(async () => {
      const webhook = this.#requireEvm(owner, id);
      const { changes, count } = await change(webhook);
      const row = { ...webhook.row, addresses: webhook.row.addresses + count };
      await this.#registry.commit(changes, [{ ...webhook, row }]);
      return { ...webhook, row };
    });
    return this.#shown(next);
  }

  async #begun(webhook: Webhook): Promise<{ webhook: Webhook; changes: readonly Change[] }> {
    const { since, changes } = await this.#feed.begin(webhook);
    return { webhook: { ...webhook, row: { ...webhook.row, since } }, changes };
  }

  #find(owner: string, id: string): Webhook {
    const webhook = this.#registry.find(withoutDashes(id));
    if (webhook?.row.owner === owner) return webhook;
    throw notFound(`the API key has no webhook ${shown(id)}`);
  }

  #requireEvm(owner: string, id: string): Webhook {
    const webhook = this.#find(owner, id);
    if (webhook.settings.eventType === "address_activity") return webhook;
    throw new DataError(400, "only webhooks of address_activity have a list of addresses that changes; create another webhook instead");
  }

  /** Removes the oldest webhooks that are off, where a key has as many as it may. */
  async #makeRoom(owner: string): Promise<void> {
    for (;;) {
      const all = [...this.#registry.all];
      const own = all.filter(({ row }) => row.owner === owner);
      if (own.length < this.#bounds.webhooksOfKey && all.length < this.#bounds.webhooks) return;
      const oldest = own.find(({ row }) => !row.isActive);
      if (oldest === undefined) {
        throw new DataError(
          400,
          `an API key may have ${this.#bounds.webhooksOfKey} webhooks, and a server ${this.#bounds.webhooks}; switch some off`,
        );
      }
      await this.#remove(oldest);
    }
  }

  /** In pieces, the webhook itself with the last one: a kill in between leaves one that can be removed again. */
  async #remove({ number }: Webhook): Promise<void> {
    const { store } = this.#registry;
    for (let isDone = false; !isDone; ) {
      await this.#registry.exclusively(async () => {
        const webhook = this.#registry.get(number);
        if (webhook === undefined) {
          isDone = true;
          return;
        }
        const prefix = { webhook: number };
        const watched = await store.scan(webhookAddresses, { prefix, limit: PIECE });
        const messages = await store.scan(webhookMessages, { prefix, limit: PIECE });
        const alarms = await store.scan(webhookAlarms, { prefix, limit: PIECE });
        isDone = [watched, messages, alarms].every(({ length }) => length < PIECE);
        const changes = [
          ...(await this.#unwatch(
            webhook,
            watched.map(({ key: { address } }) => address),
          )),
          ...messages.map(({ key }) => ({ table: webhookMessages, key, value: undefined }) as Change),
          ...alarms.map(({ key }) => ({ table: webhookAlarms, key, value: undefined }) as Change),
        ];
        if (isDone) await this.#registry.commit(changes, [], [webhook]);
        else {
          const row = { ...webhook.row, addresses: webhook.row.addresses - watched.length };
          await this.#registry.commit(changes, [{ ...webhook, row }]);
        }
      });
    }
  }

  #requireRoom(more: number): void {
    const watched = [...this.#registry.all].reduce((sum, { row }) => sum + row.addresses, 0);
    if (watched + more <= this.#bounds.addresses) return;
    throw new DataError(
      400,
      `all webhooks of this server may watch ${this.#bounds.addresses} addresses together, and watch ${watched}; remove some`,
    );
  }

  /** Those of the addresses that the webhook watches, or does not. */
  async #among({ number }: Webhook, addresses: readonly string[], isWatched: boolean): Promise<string[]> {
    const rows = await this.#registry.store.getMany(
      webhookAddresses,
      addresses.map((address) => ({ webhook: number, address })),
    );
    return addresses.filter((_, i) => (rows[i] !== undefined) === isWatched);
  }

  async #watch(webhook: Webhook, addresses: readonly string[]): Promise<Change[]> {
    return this.#changeWatchers(webhook, addresses, {}, (numbers) => [...numbers, webhook.number].sort((a, b) => a - b));
  }

  async #unwatch(webhook: Webhook, addresses: readonly string[]): Promise<Change[]> {
    return this.#changeWatchers(webhook, addresses, undefined, (numbers) => numbers.filter((number) => number !== webhook.number));
  }

  async #changeWatchers(
    { number, settings }: Webhook,
    addresses: readonly string[],
    value: TableValue<typeof webhookAddresses> | undefined,
    change: (numbers: readonly number[]) => number[],
  ): Promise<Change[]> {
    const keys = addresses.map((address) => ({ ...scopeKey(settings.scope), address }));
    const rows = await this.#registry.store.getMany(webhookWatchers, keys);
    return keys.flatMap((key, i) => {
      const numbers = change(rows[i]?.webhooks ?? []);
      return [
        { table: webhookWatchers, key, value: numbers.length === 0 ? undefined : { webhooks: numbers } } as Change,
        { table: webhookAddresses, key: { webhook: number, address: key.address }, value } as Change,
      ];
    });
  }

  async #shown(webhook: Webhook): Promise<KeptWebhook> {
    const { number, row, settings, queue } = webhook;
    const first = await this.#registry.store.scan(webhookAddresses, { prefix: { webhook: number }, limit: SHOWN_ADDRESSES });
    return {
      id: dashed(row.uuid),
      settings,
      isActive: row.isActive,
      problem: row.problem,
      createdAt: Number(row.createdAt),
      addresses: first.map(({ key: { address } }) => address),
      addressCount: row.addresses,
      waiting: Number(queue.next - queue.first),
    };
  }
}

function changed(
  settings: WebhookSettings,
  { includeInternalTxs, includeLogs, ...common }: Omit<WebhookChanges, "isActive">,
): WebhookSettings {
  if (settings.eventType !== "address_activity") return { ...settings, ...common };
  return {
    ...settings,
    ...common,
    ...(includeInternalTxs !== undefined && { includeInternalTxs }),
    ...(includeLogs !== undefined && { includeLogs }),
  };
}

function deliveryOf({ key: { number }, value }: Row<typeof webhookMessages>, webhook: Webhook): Delivery {
  const { queue, row } = webhook;
  const isNext = isWaiting(webhook) && number === queue.first && row.isActive;
  return {
    messageId: dashed(value.uuid),
    state: value.deliveredAt === 0n ? "waiting" : "delivered",
    attempts: value.attempts,
    status: value.status,
    problem: value.problem,
    createdAt: Number(value.createdAt),
    ...(value.deliveredAt > 0n && { deliveredAt: Number(value.deliveredAt) }),
    ...(isNext && queue.tryAt > 0n && { nextAttemptAt: Number(queue.tryAt) }),
    durationMs: value.durationMs,
  };
}

function withoutDashes(uuid: string): string {
  return uuid.replaceAll("-", "").toLowerCase();
}
