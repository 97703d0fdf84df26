/**
 * A moment of a recording, served: the history until then, and a client. Each comparison is of one query, whose pages are walked to the
 * end.
 */
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect } from "vitest";
import { encodeBech32 } from "../../../../src/base/bytes/address.ts";
import type { ShortId } from "../../../../src/base/bytes/id.ts";
import type { Serving } from "../../../../src/serve/serve.ts";
import { importUntil, serveAt } from "../../../conformance/checkpoints.ts";
import { type RecordingName, recordingFolder } from "../../../conformance/recordings.ts";
import { sized } from "../../../share.ts";
import { DataClient, type Params, pageSizeFor } from "./client.ts";
import type { Chain, History } from "./history.ts";
import { CHAIN_NAMES } from "./json.ts";
import { Queries } from "./queries.ts";
import { readHistory } from "./read-history.ts";

export const NETWORK = "/networks/fuji";
export const chainPath = (chain: Chain) => `${NETWORK}/blockchains/${CHAIN_NAMES[chain]}`;

/** A place in a recording. */
export interface Moment {
  readonly label: string;
  readonly heights: Readonly<Record<string, number>>;
  /** seconds from the last block to the server's clock */
  readonly clockAhead?: bigint;
}

/** How many random queries of each kind are asked at each moment, more of those with many parameters. */
export const RUNS = Number(process.env.FIRN_ORACLE_RUNS ?? sized({ whole: 6, share: 1 }));

export class Court {
  readonly history: History;
  readonly client: DataClient;
  readonly queries: Queries;
  /** the server's, Unix seconds */
  readonly clock: bigint;
  readonly #serving: Serving;
  /** comparisons so far */
  queryCount = 0;

  private constructor(history: History, serving: Serving, clock: bigint) {
    this.history = history;
    this.clock = clock;
    this.#serving = serving;
    this.client = new DataClient(serving.url);
    this.queries = new Queries(history, clock);
  }

  /** Goes on with the import from where `directory` stands. */
  static async open(name: RecordingName, { heights, clockAhead = 1n }: Moment, directory: string): Promise<Court> {
    const folder = recordingFolder(name);
    await importUntil(folder, directory, heights, "replay");
    const history = await readHistory(folder, { heights });
    const last = Math.max(...[...history.blocks, ...history.vertices].map(({ time }) => Number(time)));
    const clock = BigInt(last) + clockAhead;
    return new Court(history, await serveAt(directory, clock), clock);
  }

  async close(): Promise<void> {
    await this.#serving.stop();
  }

  /** The forms in which clients write them. */
  addresses(list: readonly ShortId[] | undefined): string | undefined {
    const { hrp } = this.history.network;
    return list?.map((address, i) => `${["", "P-", "X-"][i % 3]}${encodeBech32(hrp, address)}`).join(",");
  }

  /** @param hold gets a random number too, for the page size of its walks */
  async property<T>(arbitrary: fc.Arbitrary<T>, hold: (query: T, salt: number) => Promise<void>, runs = RUNS): Promise<void> {
    const cases = fc.tuple(arbitrary, fc.nat({ max: 999 }));
    await fc.assert(
      fc.asyncProperty(cases, ([query, salt]) => hold(query, salt)),
      { numRuns: runs },
    );
  }

  same(answered: unknown, expected: unknown, what: string): void {
    this.queryCount++;
    // much faster than the comparison that can say what differs
    if (!isDeepStrictEqual(answered, expected)) expect(answered, what).toEqual(expected);
  }

  async walk(
    path: string,
    list: string,
    params: Params,
    expected: readonly unknown[],
    { salt = 0, most = 100, body }: { salt?: number; most?: number; body?: object } = {},
  ): Promise<void> {
    const pageSize = pageSizeFor(expected.length, most, salt);
    const items = await this.client.walk(path, list, { ...params, pageSize }, body);
    const text = JSON.stringify({ ...params, pageSize }, (_, value) => (typeof value === "bigint" ? `${value}` : value));
    this.same(items.map(withoutGenesis), expected, `${path} ${text}`);
  }
}

/** How a genesis is shown to clients is not the oracle's business: it has tests of its own. */
export function withoutGenesis(item: unknown): unknown {
  const { blockchainInfo, ...rest } = item as { blockchainInfo?: { genesisData?: object } };
  if (blockchainInfo === undefined) return item;
  const { genesisData: _, ...info } = blockchainInfo;
  return { ...rest, blockchainInfo: info };
}
