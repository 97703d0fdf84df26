/** Fully imported recordings, and routes' answers about them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { DataSettings, Position } from "../../../../src/api/data/context.ts";
import type { AnyDataRoute } from "../../../../src/api/data/route.ts";
import type { PrimaryChain } from "../../../../src/index/primary/primary-chain.ts";
import { networkInstance } from "../../../../src/ingest/network-instance.ts";
import type { NetworkInstance } from "../../../../src/network/network.ts";
import { openArchive } from "../../../../src/sources/archives/archive.ts";
import { openStore } from "../../../../src/store/open.ts";
import type { Store } from "../../../../src/store/store.ts";
import { importUntil } from "../../../conformance/checkpoints.ts";
import { type RecordingName, recordingFolder } from "../../../conformance/recordings.ts";
import { ask } from "../staking/request.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of many forms are looked into
export type Item = Record<string, any>;

export interface Asking {
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly params?: Readonly<Record<string, string>>;
  readonly settings?: Partial<DataSettings>;
  readonly after?: Position | undefined;
}

export class Recorded {
  store!: Store;
  network!: NetworkInstance;

  async ask(route: AnyDataRoute, chain: PrimaryChain, { query = {}, params = {}, settings = {}, after }: Asking = {}) {
    return ask(route, this.store, { network: this.network, clock: 0n, chain, settings }, query, { params, after });
  }

  /** All pages of a list, with the number of items of each. */
  async walk(route: AnyDataRoute, chain: PrimaryChain, list: string, asking: Asking = {}): Promise<{ items: Item[]; pages: number[] }> {
    const items: Item[] = [];
    const pages: number[] = [];
    let after: Position | undefined;
    do {
      const { body, next } = await this.ask(route, chain, { ...asking, query: { pageSize: "100", ...asking.query }, after });
      const page = body[list] as Item[];
      items.push(...page);
      pages.push(page.length);
      after = next;
    } while (after !== undefined);
    return { items, pages };
  }
}

/** Imports a recording before the tests of this `describe` run. */
export function useRecording(name: RecordingName): Recorded {
  const recorded = new Recorded();
  const directory = mkdtempSync(join(tmpdir(), "firn-recorded-"));
  beforeAll(async () => {
    const folder = recordingFolder(name);
    await importUntil(folder, directory, {}, "replay");
    recorded.store = await openStore({ directory, mode: "read" });
    recorded.network = (await openArchive({ path: folder, instance: networkInstance })).network;
  });
  afterAll(async () => {
    await recorded.store?.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return recorded;
}
