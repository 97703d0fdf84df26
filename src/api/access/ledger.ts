/**
 * Counts what each client has spent in the current minute and day (UTC). One process holds the ledger, also for its workers. Memory is
 * bounded: of clients without a key, only the most recent ones are kept.
 */
import type { RateLimits, Tier } from "./tiers.ts";

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** Plain data, because it is sent between processes. */
export interface Demand {
  /** `key:<id>` or an address */
  readonly client: string;
  readonly tier: Tier;
  readonly units: number;
  /** additional units in advance, for later requests, if that many are left */
  readonly ahead: number;
}

export interface Grant {
  /** minutes since 1970 */
  readonly minute: number;
  /** 0 if less than `units` is left */
  readonly granted: number;
  /** what the client may still spend in the minute and the day; without a limit, more than anybody spends */
  readonly minuteLeft: number;
  readonly dayLeft: number;
}

export interface Refund {
  readonly client: string;
  readonly units: number;
  /** the minute in which they were granted */
  readonly minute: number;
}

/** What one key has spent today. */
export interface KeySpending {
  readonly keyId: string;
  readonly units: number;
}

/** What one client has spent. */
export interface Spent {
  minute: number;
  inMinute: number;
  day: number;
  inDay: number;
}

const NOTHING_SPENT: Spent = { minute: 0, inMinute: 0, day: 0, inDay: 0 };
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
const MOST_ADDRESSES = 1 << 16;
export const KEY_PREFIX = "key:";

export class Ledger {
  readonly #limits: RateLimits;
  readonly #now: () => number;
  readonly #mostAddresses: number;
  readonly #keys = new Map<string, Spent>();
  /** ordered by last use, the latest at the end */
  readonly #addresses = new Map<string, Spent>();
  /** number of changes */
  changes = 0;

  constructor(limits: RateLimits, now: () => number, { mostAddresses = MOST_ADDRESSES } = {}) {
    this.#limits = limits;
    this.#now = now;
    this.#mostAddresses = mostAddresses;
  }

  grant({ client, tier, units, ahead }: Demand): Grant {
    const { perMinute = NO_LIMIT, perDay = NO_LIMIT } = this.#limits[tier] ?? {};
    const spent = this.#spentNow(client);
    const left = Math.min(perMinute - spent.inMinute, perDay - spent.inDay);
    const granted = units > left ? 0 : Math.min(units + ahead, left);
    spent.inMinute += granted;
    spent.inDay += granted;
    this.changes++;
    return {
      minute: spent.minute,
      granted,
      minuteLeft: Math.max(0, perMinute - spent.inMinute),
      dayLeft: Math.max(0, perDay - spent.inDay),
    };
  }

  /** Does not record the client. */
  left(client: string, tier: Tier): Pick<Grant, "minuteLeft" | "dayLeft"> {
    const { perMinute = NO_LIMIT, perDay = NO_LIMIT } = this.#limits[tier] ?? {};
    const { minute, inMinute, day, inDay } = this.#mapOf(client).get(client) ?? NOTHING_SPENT;
    return {
      minuteLeft: Math.max(0, perMinute - (minute === minuteOf(this.#now()) ? inMinute : 0)),
      dayLeft: Math.max(0, perDay - (day === dayOf(this.#now()) ? inDay : 0)),
    };
  }

  /** Returns units that were granted in advance and not spent. */
  refund({ client, units, minute }: Refund): void {
    const spent = this.#spentNow(client);
    if (spent.minute === minute) spent.inMinute = Math.max(0, spent.inMinute - units);
    if (spent.day === dayOf(minute * MINUTE_MS)) spent.inDay = Math.max(0, spent.inDay - units);
    this.changes++;
  }

  /** Clients that spent something today. */
  *entries(): Iterable<readonly [client: string, spent: Spent]> {
    const today = dayOf(this.#now());
    for (const map of [this.#keys, this.#addresses]) for (const entry of map) if (entry[1].day === today) yield entry;
  }

  /** The keys that spent most today, at most `most` of them. */
  keysOfToday(most: number): readonly KeySpending[] {
    const today = dayOf(this.#now());
    const spent = [...this.#keys].filter(([, { day, inDay }]) => day === today && inDay > 0);
    return spent
      .map(([client, { inDay }]) => ({ keyId: client.slice(KEY_PREFIX.length), units: inDay }))
      .sort((a, b) => b.units - a.units)
      .slice(0, most);
  }

  restore(entries: Iterable<readonly [client: string, spent: Spent]>): void {
    for (const [client, spent] of entries) this.#keep(client, spent);
  }

  #spentNow(client: string): Spent {
    const minute = minuteOf(this.#now());
    const day = dayOf(this.#now());
    const spent = this.#mapOf(client).get(client) ?? { minute, inMinute: 0, day, inDay: 0 };
    if (spent.minute !== minute) Object.assign(spent, { minute, inMinute: 0 });
    if (spent.day !== day) Object.assign(spent, { day, inDay: 0 });
    this.#keep(client, spent);
    return spent;
  }

  #mapOf(client: string): Map<string, Spent> {
    return client.startsWith(KEY_PREFIX) ? this.#keys : this.#addresses;
  }

  #keep(client: string, spent: Spent): void {
    const map = this.#mapOf(client);
    // Move it to the end; the first entry is the least recently used
    map.delete(client);
    map.set(client, spent);
    if (this.#addresses.size > this.#mostAddresses) this.#addresses.delete(this.#addresses.keys().next().value!);
  }
}

export function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}
