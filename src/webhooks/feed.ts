/**
 * Goes through the blocks of the chains that webhooks ask for, and puts a message into a webhook's queue for each of its events. The messages of
 * some blocks and the place in the chain are one commit, so a block is neither forgotten nor told of twice. If blocks were replaced since, their
 * messages are taken back by others first, the newest first.
 */
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import type { Logger } from "pino";
import { DataError } from "../api/data/errors.ts";
import type { WebhookScope } from "../api/data/webhooks/webhook-desk.ts";
import type { CommittedState, CommittedStates } from "../api/state/committed-states.ts";
import { smaller } from "../base/bytes/amount.ts";
import { EMPTY_ID, type Id } from "../base/bytes/id.ts";
import type { Change, Row } from "../base/table/table.ts";
import type { BlockPlace, ChainActivity, FoundEvent, Watch } from "./activity.ts";
import { canonicalJson } from "./canonical-json.ts";
import { type QueueBounds, type ScopeKey, scopeKey, type Webhook, type WebhookRegistry } from "./registry.ts";
import { webhookBlocks, webhookCursors, webhookMessages, webhookWatchers } from "./webhook-tables.ts";

/** Blocks, and about as many messages, of one commit. */
const MOST_BLOCKS = 64;
const MOST_MESSAGES = 500;
/** Steps for which a client waits that makes a webhook. */
const MOST_STEPS = 32;
/** An index that is more blocks behind its nodes catches up. */
const CATCHING_UP = 64n;
/** Blocks this far behind the last one are forgotten: chains do not replace them. */
const MARKS_DEPTH = 8_192n;
const MARKS_AT_ONCE = 64;
/** An EVM chain replaces at most some hundred blocks by default. */
const MARKS_BELOW = 256n;
/** Marks that are forgotten with one commit. */
const FORGOTTEN_AT_ONCE = 128;
/** how often chains are looked at */
const LOOK_MS = 200;
const LOOK_WITHOUT_WEBHOOKS_MS = 3_600_000;
const RETRY_MS = 10_000;

const deflate = promisify(deflateRaw) as (bytes: Uint8Array, options: { level: number }) => Promise<Buffer>;
const inflate = promisify(inflateRaw) as (bytes: Uint8Array) => Promise<Buffer>;

export interface FeedParts {
  readonly registry: WebhookRegistry;
  readonly states: CommittedStates;
  /** undefined: the chain is not in the state, or has no block yet */
  activityOf(scope: WebhookScope, state: CommittedState): Promise<ChainActivity | undefined>;
  /** Unix milliseconds */
  now(): number;
  readonly log: Logger;
  readonly bounds: QueueBounds;
}

export class WebhookFeed {
  readonly #parts: FeedParts;
  readonly #stopping = new AbortController();
  /** by scope, after a failure: when it is tried again */
  readonly #paused = new Map<string, number>();
  #running: Promise<void> = Promise.resolve();

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { registry } = this.#parts;
    while (!signal.aborted) {
      const scopes = registry.scopes();
      let hasMore = false;
      for (const scope of scopes) hasMore = (await this.#look(scope)) || hasMore;
      if (!hasMore) await registry.changed.next(scopes.length === 0 ? LOOK_WITHOUT_WEBHOOKS_MS : LOOK_MS, signal);
    }
  }

  /** Returns whether the chain may have more. */
  async #look(scope: WebhookScope): Promise<boolean> {
    const { now, log } = this.#parts;
    const name = `${scope.kind} ${scope.chain}`;
    if (this.#stopping.signal.aborted || (this.#paused.get(name) ?? 0) > now()) return false;
    try {
      const hasMore = await this.step(scope);
      this.#paused.delete(name);
      return hasMore;
    } catch (error) {
      // such as a store that is away for a while
      this.#paused.set(name, now() + RETRY_MS);
      log.warn({ err: error, chain: scope.chain }, "Could not look for the events of webhooks; trying again");
      return false;
    }
  }

  /**
   * Where a webhook begins that is made or switched on now: after the newest block that others were told of, or of an index that catches up, after the
   * newest that its nodes have. Only within `exclusively`, and committed with the webhook. Throws 503 if others are far behind.
   */
  async begin(webhook: Webhook): Promise<{ since: bigint; changes: readonly Change[] }> {
    const { registry } = this.#parts;
    const { scope } = webhook.settings;
    const key = scopeKey(scope);
    const isAlone = registry.activeOf(scope).every(({ number }) => number === webhook.number);
    if (!isAlone) await this.#catchUp(scope);
    const cursor = isAlone ? undefined : await registry.store.get(webhookCursors, key);
    return this.#use(scope, async (activity) => {
      if (activity === undefined) return { since: 0n, changes: [] };
      const { tip, head } = activity;
      const { changes } = (await activity.eventsAtTip?.(this.#watch([webhook], scope))) ?? { changes: [] };
      const since = head > tip.height + CATCHING_UP ? head : (cursor ?? tip).height;
      return { since, changes: isAlone ? [...changes, cursorAt(key, tip), ...(await marksBelow(key, tip, activity))] : changes };
    });
  }

  /** Tells of the next blocks of a chain. Returns whether there may be more. */
  step(scope: WebhookScope): Promise<boolean> {
    return this.#parts.registry.exclusively(() => this.#step(scope));
  }

  async #step(scope: WebhookScope): Promise<boolean> {
    const { registry } = this.#parts;
    const webhooks = registry.activeOf(scope);
    const key = scopeKey(scope);
    const cursor = webhooks.length === 0 ? undefined : await registry.store.get(webhookCursors, key);
    return this.#use(scope, async (activity) => {
      if (activity === undefined || webhooks.length === 0) return false;
      if (cursor === undefined) {
        // the chain had no block when its first webhook was made: all are new
        return this.#advance(webhooks, key, { height: -1n, hash: EMPTY_ID }, activity);
      }
      if (((await activity.hashAt(cursor.height)) ?? EMPTY_ID) !== cursor.hash)
        return this.#takeBack(webhooks, key, cursor.height, activity);
      if (cursor.height === activity.tip.height) return false;
      return this.#advance(webhooks, key, cursor, activity);
    });
  }

  async #catchUp(scope: WebhookScope): Promise<void> {
    for (let steps = 0; steps < MOST_STEPS; steps++) if (!(await this.#step(scope))) return;
    throw new DataError(503, "the events of this chain are looked for up to its newest block first; try again in a few seconds");
  }

  #use<R>(scope: WebhookScope, read: (activity: ChainActivity | undefined) => Promise<R>): Promise<R> {
    const { states, activityOf } = this.#parts;
    return Promise.resolve(states.use(async (state) => read(await activityOf(scope, state))));
  }

  async #advance(webhooks: readonly Webhook[], key: ScopeKey, from: BlockPlace, activity: ChainActivity): Promise<boolean> {
    const { tip } = activity;
    const queues = new Queues(this.#parts, key);
    let last = await skipped(from, webhooks, activity);
    for (let blocks = 0; last.height < tip.height && blocks < MOST_BLOCKS && queues.size < MOST_MESSAGES; blocks++) {
      const height = last.height + 1n;
      const hash = await activity.hashAt(height);
      // an index may begin above the first block
      if (hash !== undefined) {
        const asking = webhooks.filter(({ row }) => row.since < height);
        const events = asking.length === 0 ? [] : await activity.eventsOf(height, this.#watch(asking, key));
        await queues.add({ height, hash }, events);
      }
      last = { height, hash: hash ?? EMPTY_ID };
    }
    const isAtTip = last.height === tip.height;
    if (isAtTip) {
      const said = await activity.eventsAtTip?.(this.#watch(webhooks, key));
      // what became so before is known, but not told of: the chain's own past, while an index catches up
      const events = said?.events.filter(({ webhook }) => webhook.row.since < tip.height) ?? [];
      await queues.add(tip, events, said?.changes);
    }
    await queues.commit([cursorAt(key, last), ...(await this.#forgotten(key, last.height))]);
    return !isAtTip;
  }

  /** Tells of replaced blocks, and goes on from the last one that was not. */
  async #takeBack(webhooks: readonly Webhook[], key: ScopeKey, from: bigint, activity: ChainActivity): Promise<boolean> {
    const queues = new Queues(this.#parts, key);
    const changes: Change[] = [];
    let base: BlockPlace | undefined;
    let lowest = from;
    for await (const mark of this.#marks(key)) {
      const { height } = mark.key;
      if ((await activity.hashAt(height)) === mark.value.hash) {
        base = { height, hash: mark.value.hash };
        break;
      }
      lowest = height;
      changes.push({ table: webhookBlocks, key: mark.key, value: undefined } as Change);
      await this.#tellRemoved(mark, queues);
    }
    // deeper than what is kept: from the newest block that can be another's
    const below = lowest > 0n ? lowest - 1n : 0n;
    const height = base?.height ?? (below < activity.tip.height ? below : activity.tip.height);
    const hash = base?.hash ?? (await activity.hashAt(height)) ?? EMPTY_ID;
    // those that began on the replaced branch are told of the other one's blocks
    for (const { number, row } of webhooks) if (row.since > height && row.since <= from) queues.beginAt(number, height);
    await queues.commit([...changes, cursorAt(key, { height, hash })]);
    return true;
  }

  /** Blocks that were told of, the newest first. */
  async *#marks(key: ScopeKey): AsyncGenerator<Row<typeof webhookBlocks>> {
    let after: Row<typeof webhookBlocks>["key"] | undefined;
    for (;;) {
      const range = { prefix: key, reverse: true, limit: MARKS_AT_ONCE, ...(after && { after: { height: after.height } }) };
      const rows = await this.#parts.registry.store.scan(webhookBlocks, range);
      yield* rows;
      if (rows.length < MARKS_AT_ONCE) return;
      after = rows.at(-1)!.key;
    }
  }

  async #tellRemoved({ key, value }: Row<typeof webhookBlocks>, queues: Queues): Promise<void> {
    const { registry } = this.#parts;
    for (const { webhook: number, number: message } of value.messages.toReversed()) {
      const webhook = registry.get(number);
      const told = await registry.store.get(webhookMessages, { webhook: number, number: message });
      // removed since, or so old that it is no longer kept
      if (webhook?.row.isActive !== true || told === undefined || told.isRemoval) continue;
      const { event } = JSON.parse((await inflate(told.body)).toString()) as { event: { logs?: object[] } };
      const removed = { ...event, removed: true, ...(event.logs && { logs: event.logs.map((log) => ({ ...log, removed: true })) }) };
      await queues.add({ height: key.height, hash: value.hash }, [{ webhook, event: removed }], [], { isRemoval: true });
    }
  }

  #watch(webhooks: readonly Webhook[], scope: WebhookScope | ScopeKey): Watch {
    const { store } = this.#parts.registry;
    const key = "kind" in scope && typeof scope.kind === "number" ? (scope as ScopeKey) : scopeKey(scope as WebhookScope);
    const asking = new Map(webhooks.map((webhook) => [webhook.number, webhook]));
    return {
      webhooks,
      async watchersOf(addresses) {
        const all = [...addresses];
        const rows = await store.getMany(
          webhookWatchers,
          all.map((address) => ({ ...key, address })),
        );
        const found = new Map<string, Webhook[]>();
        for (const [i, address] of all.entries()) {
          const own = (rows[i]?.webhooks ?? []).flatMap((number) => asking.get(number) ?? []);
          if (own.length > 0) found.set(address, own);
        }
        return found;
      },
    };
  }

  async #forgotten(key: ScopeKey, height: bigint): Promise<Change[]> {
    const rows = await this.#parts.registry.store.scan(webhookBlocks, {
      prefix: key,
      until: { height: height > MARKS_DEPTH ? height - MARKS_DEPTH : 0n },
      limit: FORGOTTEN_AT_ONCE,
    });
    return rows.map((row) => ({ table: webhookBlocks, key: row.key, value: undefined }) as Change);
  }
}

/** The last block before those that any webhook is told of: an index that catches up may have millions of them. */
async function skipped(from: BlockPlace, webhooks: readonly Webhook[], activity: ChainActivity): Promise<BlockPlace> {
  const since = webhooks.reduce((least, { row }) => smaller(least, row.since), activity.tip.height);
  return since > from.height ? { height: since, hash: (await activity.hashAt(since)) ?? EMPTY_ID } : from;
}

function cursorAt(key: ScopeKey, { height, hash }: BlockPlace): Change {
  return { table: webhookCursors, key, value: { height, hash } } as Change;
}

function markAt(key: ScopeKey, { height, hash }: BlockPlace, messages: readonly { webhook: number; number: bigint }[] = []): Change {
  return { table: webhookBlocks, key: { ...key, height }, value: { hash, messages } } as Change;
}

/** The last blocks when the first webhook is made: a branch may replace some of them. */
async function marksBelow(key: ScopeKey, tip: BlockPlace, activity: ChainActivity): Promise<Change[]> {
  const marks = [markAt(key, tip)];
  for (let height = tip.height - 1n; height >= 0n && height > tip.height - MARKS_BELOW; height--) {
    const hash = await activity.hashAt(height);
    if (hash === undefined) break;
    marks.push(markAt(key, { height, hash }));
  }
  return marks;
}

/** Messages that are put into queues with one commit. */
class Queues {
  readonly #parts: FeedParts;
  readonly #key: ScopeKey;
  readonly #changed = new Map<number, Webhook>();
  readonly #changes: Change[] = [];
  size = 0;

  constructor(parts: FeedParts, key: ScopeKey) {
    this.#parts = parts;
    this.#key = key;
  }

  async add(block: BlockPlace, events: readonly FoundEvent[], changes: readonly Change[] = [], { isRemoval = false } = {}): Promise<void> {
    const messages: { webhook: number; number: bigint }[] = [];
    for (const event of events) {
      const number = await this.#append(block, event, isRemoval);
      if (number !== undefined) messages.push({ webhook: event.webhook.number, number });
    }
    this.#changes.push(...changes, ...events.flatMap((event) => event.changes ?? []));
    if (!isRemoval) this.#mark(block, messages);
  }

  beginAt(number: number, since: bigint): void {
    const webhook = this.#changed.get(number) ?? this.#parts.registry.get(number)!;
    this.#changed.set(number, { ...webhook, row: { ...webhook.row, since } });
  }

  async commit(changes: readonly Change[]): Promise<void> {
    await this.#parts.registry.commit([...this.#changes, ...changes], [...this.#changed.values()]);
  }

  /** The tip is added twice: with its transactions, and with what its state says. */
  #mark(block: BlockPlace, messages: { webhook: number; number: bigint }[]): void {
    const last = this.#changes.findLast(({ table }) => table.id === webhookBlocks.id) as Change<typeof webhookBlocks> | undefined;
    if (last?.key.height === block.height) last.value!.messages.push(...messages);
    else this.#changes.push(markAt(this.#key, block, messages));
  }

  async #append({ height, hash }: { height: bigint; hash: Id }, { webhook: { number }, event }: FoundEvent, isRemoval: boolean) {
    const { registry, now, log, bounds } = this.#parts;
    const webhook = this.#changed.get(number) ?? registry.get(number)!;
    const { row, queue, settings } = webhook;
    if (!row.isActive) return undefined;
    if (queue.next - queue.first >= bounds.messages || queue.waitingBytes >= bounds.bytes) {
      const problem = `${queue.next - queue.first} messages wait, and no more are kept; switch it on again to have them delivered`;
      log.warn({ webhook: number, host: new URL(settings.url).host, problem }, "Switched a webhook off: too many messages wait");
      this.#changed.set(number, { ...webhook, row: { ...row, isActive: false, problem } });
      return undefined;
    }
    const messageId = randomUUID();
    const body = await deflate(
      Buffer.from(canonicalJson({ webhookId: dashed(row.uuid), eventType: settings.eventType, messageId, event })),
      { level: 1 },
    );
    const value = {
      uuid: messageId.replaceAll("-", ""),
      createdAt: BigInt(now()),
      height,
      blockHash: hash,
      isRemoval,
      body,
      deliveredAt: 0n,
      attempts: 0,
      status: 0,
      problem: "",
      durationMs: 0,
    };
    this.#changes.push({ table: webhookMessages, key: { webhook: number, number: queue.next }, value } as Change);
    const next = { ...queue, next: queue.next + 1n, waitingBytes: queue.waitingBytes + BigInt(body.length) };
    this.#changed.set(number, { ...webhook, queue: next });
    this.size++;
    return queue.next;
  }
}

export function dashed(uuid: string): string {
  return uuid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
