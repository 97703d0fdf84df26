/**
 * Copies of a devnet's whole state: a folder `snapshots/<id>/` for each, with a store and `snapshot.json`. A copy is complete once its
 * folder has its final name. Everything that a devnet keeps outside its store can be derived from the store, so only the store is copied.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatId, parseId } from "../base/bytes/cb58.ts";
import type { Id } from "../base/bytes/id.ts";
import { FirnError } from "../base/errors/errors.ts";
import type { Change, Table } from "../base/table/table.ts";
import { copyStore, type FolderStore, openStore, rebuildDirectory, swapInRebuilt } from "../store/open.ts";
import { type StoreReader, scanAll } from "../store/store.ts";
import type { ReplaceableStore } from "../store/switched-store.ts";
import type { Snapshot } from "./devnet-types.ts";

/** What a copy's description adds to its store. */
interface Description {
  /** nanoseconds */
  readonly time: string;
  readonly heights: Readonly<Record<string, string>>;
  /** whether a revert may use the copy up; default: false */
  readonly isForOnce?: boolean;
}

interface Taken {
  /** the clock's time, Unix nanoseconds */
  readonly time: bigint;
  readonly heights: ReadonlyMap<Id, bigint>;
  readonly isForOnce: boolean;
}

/** Rows of a devnet's store that are not the network's own. */
export interface OutsideRows {
  readonly tables: readonly Table[];
  /** runs `work` while nobody changes them */
  exclusively<R>(work: () => Promise<R>): Promise<R>;
}

export const NO_OUTSIDE_ROWS: OutsideRows = { tables: [], exclusively: (work) => work() };

/** Changes that make the tables of a copy those of the store. */
export async function carriedRows(tables: readonly Table[], store: StoreReader, copy: StoreReader): Promise<Change[]> {
  const changes: Change[] = [];
  for (const table of tables) {
    for await (const { key } of scanAll(copy, table)) changes.push({ table, key, value: undefined });
    for await (const { key, value } of scanAll(store, table)) changes.push({ table, key, value });
  }
  return changes;
}

const NANOSECONDS = 1_000_000_000n;
const DESCRIPTION = "snapshot.json";
/** Test runs leave copies that they made for once. The oldest goes when there are more. */
const MOST_FOR_ONCE = 100;

export class Snapshots {
  readonly #dataDirectory: string;
  readonly #isTemporary: boolean;
  readonly #directory: string;
  /** of all copies that were made or found: IDs of copies that are used up do not come again */
  #lastId = 0;

  constructor(dataDirectory: string, { isTemporary }: { isTemporary: boolean }) {
    this.#dataDirectory = dataDirectory;
    this.#isTemporary = isTemporary;
    this.#directory = join(dataDirectory, "snapshots");
    for (const name of this.#names()) if (!isId(name)) rmSync(join(this.#directory, name), { recursive: true, force: true });
  }

  /** Lists the copies in order. */
  list(): Snapshot[] {
    return this.#ids().map((id) => {
      const { time, heights } = this.#describe(id);
      const byChain = Object.entries(heights).map(([chainId, height]): [Id, bigint] => [parseId(chainId), BigInt(height)]);
      return { id, time: BigInt(time) / NANOSECONDS, heights: new Map(byChain) };
    });
  }

  async take(store: FolderStore, { time, heights, isForOnce }: Taken): Promise<string> {
    this.#lastId = Math.max(this.#lastId, Number(this.#ids().at(-1) ?? 0)) + 1;
    const id = this.#lastId.toString();
    const partial = join(this.#directory, `${id}.partial`);
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true });
    await copyStore(store, partial);
    const byChain = [...heights].map(([chainId, height]) => [formatId(chainId), height.toString()]);
    const description: Description = { time: time.toString(), heights: Object.fromEntries(byChain), ...(isForOnce && { isForOnce }) };
    writeFileSync(join(partial, DESCRIPTION), JSON.stringify(description));
    renameSync(partial, join(this.#directory, id));
    if (isForOnce) for (const old of this.#idsForOnce().slice(0, -MOST_FOR_ONCE)) this.#remove(old);
    return id;
  }

  /** The clock's time when a copy was made, Unix nanoseconds. */
  timeOf(id: string): bigint {
    return BigInt(this.#describe(id).time);
  }

  /**
   * Replaces the store by a copy. If this is interrupted, the next start opens one of the two, complete.
   * @param changes made to the restored state
   * @param onReplaced called while nobody reads
   */
  async restore(
    id: string,
    store: ReplaceableStore,
    changes: (restored: StoreReader) => Promise<readonly Change[]>,
    onReplaced: () => void,
  ): Promise<void> {
    const directory = this.#dataDirectory;
    const next = rebuildDirectory(directory);
    rmSync(next, { recursive: true, force: true });
    const copy = await openStore({ directory: this.#path(id), mode: "read" });
    try {
      await copyStore(copy, next);
    } finally {
      await copy.close();
    }
    const restored = await openStore({ directory: next, mode: "write" });
    try {
      await restored.commit(await changes(restored));
    } finally {
      await restored.close();
    }
    await store.replace(async (current) => {
      await current.close();
      swapInRebuilt(directory);
      onReplaced();
      return openStore({ directory, mode: "write", isTemporary: this.#isTemporary });
    });
  }

  /** Removes the copies for once that are later than a copy: they are of a future that was taken back. @param withItself removes that, too */
  useUp(id: string, { withItself }: { withItself: boolean }): void {
    for (const later of this.#idsForOnce()) {
      if (Number(later) > Number(id) || (withItself && later === id)) this.#remove(later);
    }
  }

  delete(id: string): void {
    this.#path(id);
    this.#remove(id);
  }

  #remove(id: string): void {
    // under another name first, so that a part of it never counts as a copy
    const removed = join(this.#directory, `${id}.used`);
    renameSync(join(this.#directory, id), removed);
    rmSync(removed, { recursive: true, force: true });
  }

  #idsForOnce(): string[] {
    return this.#ids().filter((id) => this.#describe(id).isForOnce === true);
  }

  #describe(id: string): Description {
    return JSON.parse(readFileSync(join(this.#path(id), DESCRIPTION), "utf8")) as Description;
  }

  #path(id: string): string {
    const ids = this.#ids();
    if (ids.includes(id)) return join(this.#directory, id);
    const known = ids.length === 0 ? "none was made" : `there are ${ids.join(", ")}`;
    throw new FirnError("unknown-snapshot", `there is no snapshot ${id}; ${known}`, { id });
  }

  #ids(): string[] {
    return this.#names()
      .filter(isId)
      .sort((a, b) => Number(a) - Number(b));
  }

  #names(): string[] {
    return existsSync(this.#directory) ? readdirSync(this.#directory) : [];
  }
}

function isId(name: string): boolean {
  return /^[1-9][0-9]*$/.test(name);
}
