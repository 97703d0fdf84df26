/**
 * A store for a process that only reads, in a database and its standbys. One standby is read as long as it is fit to be, so that states follow
 * each other; then another one, and at last the primary. `log-history.ts` says how far a standby is behind.
 */
import { FirnError } from "../../base/errors/errors.ts";
import type { Row, Table, TableKey, TableValue } from "../../base/table/table.ts";
import { outageOf } from "../outage.ts";
import type { Column, PartOf, PlaceState, ReplicatedReads, ScanRange, Store, StoreReader } from "../store.ts";
import { storeFormat } from "../tables.ts";
import type { PostgresAddress } from "./address.ts";
import { LogHistory } from "./log-history.ts";
import type { PostgresStore } from "./pg-store.ts";
import type { ReplicatedPlaces } from "./place.ts";
import { ReadPlace } from "./read-place.ts";

/** What is known of a place at the moment. */
interface Verdict {
  /** why it is left out */
  readonly problem: string | undefined;
  readonly lagMs: number | undefined;
}

const NOT_TRIED: Verdict = { problem: "it was not reached yet", lagMs: undefined };
/** A replica that lagged too much is read again when it lags by less than this share of it: it shall not come and go. */
const BACK_AT = 0.5;

export class ReplicatedStore implements ReplicatedReads {
  readonly isRemote = true;
  readonly #options: ReplicatedPlaces;
  readonly #primary: ReadPlace;
  readonly #replicas: readonly ReadPlace[];
  /** which one this process prefers is left to chance, so that processes share them */
  readonly #first: number;
  readonly #verdicts = new Map<ReadPlace, Verdict>();
  readonly #late = new Set<ReadPlace>();
  readonly #history = new LogHistory();
  /** what all places must hold: that of the first one that was opened */
  #format: TableValue<typeof storeFormat> | undefined;
  /** fit to be read, the best first */
  #usable: readonly ReadPlace[] = [];

  private constructor(options: ReplicatedPlaces) {
    this.#options = options;
    const placeAt = (address: PostgresAddress) => {
      const onNews = () => this.#judge();
      const place = new ReadPlace({ address, tables: options.tables, accept: (store) => this.#accept(store), onNews });
      this.#verdicts.set(place, NOT_TRIED);
      return place;
    };
    this.#primary = placeAt(options.primary);
    this.#replicas = options.replicas.map(placeAt);
    this.#first = Math.floor(Math.random() * this.#replicas.length);
  }

  /** Rejects if there is nothing to read. */
  static async open(options: ReplicatedPlaces): Promise<ReplicatedStore> {
    const store = new ReplicatedStore(options);
    // it decides what the others must hold
    await store.#primary.open();
    await Promise.all(store.#replicas.map((replica) => replica.open()));
    if (store.#usable.length > 0) return store;
    await store.close();
    throw store.#primary.problem ?? store.#nothing();
  }

  get place(): string {
    return this.#primary.name;
  }

  /** Increases whenever a database was opened, which may have been restored from a backup since it was read before. */
  get openings(): number {
    return this.#all.reduce((sum, { opened }) => sum + opened, 0);
  }

  get<T extends Table>(table: T, key: TableKey<T>): Promise<TableValue<T> | undefined> {
    return this.#read((store) => store.get(table, key));
  }

  getMany<T extends Table>(table: T, keys: readonly TableKey<T>[]): Promise<(TableValue<T> | undefined)[]> {
    return this.#read((store) => store.getMany(table, keys));
  }

  getParts<T extends Table>(table: T, column: Column<T>, parts: readonly PartOf<T>[]): Promise<(Uint8Array | undefined)[]> {
    return this.#read((store) => store.getParts(table, column, parts));
  }

  scan<T extends Table>(table: T, range: ScanRange<T>): Promise<Row<T>[]> {
    return this.#read((store) => store.scan(table, range));
  }

  /** A reading that has begun is not begun again elsewhere: it may have done something with what it read. */
  async snapshot<R>(read: (reader: StoreReader) => Promise<R>, unneeded?: Promise<void>): Promise<R> {
    let hasBegun = false;
    return this.#read(
      (store) =>
        store.snapshot((reader) => {
          hasBegun = true;
          return read(reader);
        }, unneeded),
      () => !hasBegun,
    );
  }

  /** The primary first: nothing is further on. */
  elsewhere(): readonly Store[] {
    return this.#usable
      .slice(1)
      .reverse()
      .flatMap(({ store }) => store ?? []);
  }

  places(): readonly PlaceState[] {
    return this.#all.map((place, i) => {
      const { problem, lagMs } = this.#verdicts.get(place)!;
      const lagSeconds = lagMs === undefined || !Number.isFinite(lagMs) ? undefined : Math.round(lagMs) / 1000;
      const name = i === 0 ? "primary" : `replica ${i}`;
      return { name, place: place.name, problem, lagSeconds, isRead: place === this.#usable[0] };
    });
  }

  check(): Promise<void> {
    return this.#read((store) => store.check());
  }

  sizeBytes(): Promise<number> {
    return this.#read((store) => store.sizeBytes());
  }

  /** Only the primary knows. */
  async writer(): Promise<string | undefined> {
    const { store } = this.#primary;
    return store === undefined ? "unknown, since the primary does not answer" : store.writer();
  }

  async availableBytes(): Promise<undefined> {
    return undefined;
  }

  commit(): Promise<void> {
    throw new Error("this process opened the store for reading only");
  }

  clear(): Promise<void> {
    return this.commit();
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((place) => place.close()));
  }

  get #all(): readonly ReadPlace[] {
    return [this.#primary, ...this.#replicas];
  }

  async #read<R>(read: (store: PostgresStore) => Promise<R>, mayRepeat = () => true): Promise<R> {
    let problem: unknown;
    for (const place of this.#usable) {
      if (place.store === undefined) continue;
      try {
        return await read(place.store);
      } catch (error) {
        if (!isAway(error) || !mayRepeat()) throw error;
        problem = error;
        place.rest(error);
      }
    }
    throw problem ?? this.#nothing();
  }

  #nothing(): FirnError {
    const reasons = this.#all.map((place) => `${place.name}: ${this.#verdicts.get(place)!.problem}`);
    return new FirnError("store-unreachable", `nothing of the store can be read: ${reasons.join("; ")}`, { store: this.place });
  }

  async #accept(store: PostgresStore): Promise<void> {
    if (store.isDistributed) {
      throw new FirnError("config", `${store.place} is distributed by Citus: use it without --store-replica`, { store: store.place });
    }
    const format = await store.get(storeFormat, { slot: 0 });
    this.#format ??= format;
    if (format?.networkId === this.#format?.networkId && format?.genesisId === this.#format?.genesisId) return;
    throw new FirnError("store-network", `${store.place} holds another network than the one that is served here`, { store: store.place });
  }

  /** Decides which places are fit to be read. Called with all that is learned of one. */
  #judge(): void {
    const writable = this.#writable();
    if (writable?.position !== undefined) this.#history.add(writable.position);
    for (const place of this.#all) {
      const before = this.#verdicts.get(place)!;
      const verdict = this.#verdictOn(place, writable);
      this.#verdicts.set(place, verdict);
      // a place that is read from the start is no news
      const was = before === NOT_TRIED ? undefined : before.problem;
      if (verdict !== NOT_TRIED && (was === undefined) !== (verdict.problem === undefined)) {
        this.#options.onChange?.(place.name, verdict.problem);
      }
    }
    const preferred = [...this.#replicas.slice(this.#first), ...this.#replicas.slice(0, this.#first), this.#primary];
    this.#usable = preferred.filter((place) => this.#verdicts.get(place)!.problem === undefined);
  }

  /** The server to which commits go: the primary, or while it does not answer, the replica that was promoted last. */
  #writable(): ReadPlace | undefined {
    const [first, ...others] = this.#all.filter((place) => place.position?.isStandby === false && this.#isOfPrimary(place));
    if (first === undefined || first === this.#primary) return first;
    return others.reduce((newest, place) => (place.position!.timeline > newest.position!.timeline ? place : newest), first);
  }

  /** A standby has its primary's ID; a database that was copied in another way may have other rows under equal heights. */
  #isOfPrimary({ serverId }: ReadPlace): boolean {
    const own = this.#primary.serverId;
    return serverId === undefined || own === undefined || serverId === own;
  }

  #verdictOn(place: ReadPlace, writable: ReadPlace | undefined): Verdict {
    const { position } = place;
    if (place.problem !== undefined) return { problem: place.problem.message, lagMs: undefined };
    if (position === undefined) return NOT_TRIED;
    if (!this.#isOfPrimary(place)) return { problem: "it is no standby of the primary, but another server", lagMs: undefined };
    if (!position.isStandby) {
      return { problem: place === writable ? undefined : "it is no standby: it was promoted, or is a server of its own", lagMs: undefined };
    }
    const isWritable = writable !== undefined;
    const lagMs = this.#history.lagOf(position, isWritable, performance.now());
    return { problem: place === this.#primary ? undefined : this.#lateness(place, lagMs, isWritable), lagMs };
  }

  /** Why it is too late; undefined: it is not. */
  #lateness(place: ReadPlace, lagMs: number, isWritable: boolean): string | undefined {
    const { maxLagMs } = this.#options;
    if (maxLagMs === undefined) return undefined;
    if (lagMs > maxLagMs) this.#late.add(place);
    else if (lagMs <= maxLagMs * BACK_AT) this.#late.delete(place);
    if (!this.#late.has(place)) return undefined;
    const most = `at most ${maxLagMs / 1000} s are allowed`;
    if (isWritable && Number.isFinite(lagMs)) return `it lags by ${(lagMs / 1000).toFixed(1)} s; ${most}`;
    const unknown = Number.isFinite(lagMs) ? `it may lag by ${(lagMs / 1000).toFixed(1)} s` : "nobody can tell how far it lags";
    return isWritable ? `${unknown}; ${most}` : `${unknown}, since the primary does not answer; ${most}`;
  }
}

/** Whether another place may have what this one cannot give. */
function isAway(error: unknown): error is FirnError {
  return error instanceof FirnError && error.category !== "store-slow" && outageOf(error) !== undefined;
}
