/** Makes cases: a query, how its answer is read, and the expected result. Page sizes and the chain's name vary between cases. */
import { DataClient, type Params, pageSizeFor } from "../client.ts";
import type { Answers } from "./answers.ts";
import type { Ledger } from "./ledger.ts";
import type { Lists } from "./lists.ts";
import { heldNfts, nftName } from "./nfts.ts";
import { requireNames, shearing } from "./shorn.ts";

export interface Case {
  readonly name: string;
  /** What is answered, and what should be. Rejects if the server refuses or breaks a rule of pages. */
  ask(): Promise<{ readonly answered: unknown; readonly expected: unknown }>;
}

export interface OracleCourt {
  /** of Firn */
  readonly url: string;
  /** names under which the chain is served, its EVM chain ID first */
  readonly chainNames: readonly string[];
  /** the chain as the Data API must show it */
  readonly chain: Readonly<Record<string, unknown>>;
  /** whether Firn serves no other chain: else lists of all chains are not compared */
  readonly isAlone: boolean;
  readonly lists: Lists;
  readonly answers: Answers;
  readonly ledger: Ledger;
  /** of contracts whose makers say what they are; `UNKNOWN` included */
  readonly ercTypes: ReadonlyMap<string, string>;
  /** heights at which the node knows the state, the newest last */
  readonly stateHeights: readonly number[];
}

type Json = Record<string, unknown>;

interface Reading {
  readonly version?: "v1" | "v2";
  /** what is compared of an item, or of an answer */
  readonly seen?: (item: Json) => unknown;
}

export class CaseMaker {
  readonly court: OracleCourt;
  readonly #clients: Readonly<Record<"v1" | "v2", DataClient>>;
  readonly #shorn: (value: unknown) => unknown;
  #made = 0;

  constructor(court: OracleCourt) {
    this.court = court;
    this.#clients = { v1: new DataClient(court.url), v2: new DataClient(court.url, "v2") };
    this.#shorn = shearing(new Set(heldNfts(court.lists.blocks).map(nftName)));
  }

  /** Path of a route of the chain, under one name or the other. */
  path(rest: string): string {
    const { chainNames } = this.court;
    return `/chains/${chainNames[this.#made % chainNames.length]}${rest}`;
  }

  /** All pages. @param order by which both sides are sorted, where the order is the server's own */
  list(
    path: string,
    member: string,
    params: Params,
    expectedOf: () => readonly unknown[] | Promise<readonly unknown[]>,
    { version = "v1", seen = (item) => item, most = 100, order }: Reading & { most?: number; order?: (item: unknown) => string } = {},
  ): Case {
    const salt = this.#made++;
    return {
      name: nameOf(path, params),
      ask: async () => {
        const expected = await expectedOf();
        const pageSize = pageSizeFor(expected.length, most, salt);
        const items = (await this.#clients[version].walk(path, member, { ...params, pageSize })) as Json[];
        requireNames(items);
        const sorted = (list: readonly unknown[]) => (order === undefined ? list : list.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)));
        return { answered: this.#shorn(sorted(items.map(seen))), expected: this.#shorn(sorted(expected)) };
      },
    };
  }

  /** @param expectedOf undefined: there is no such thing, which is 404 */
  one(path: string, params: Params, expectedOf: () => unknown, { seen = (body) => body }: Reading = {}): Case {
    this.#made++;
    return {
      name: nameOf(path, params),
      ask: async () => {
        const expected = await expectedOf();
        const { status, body } = await this.#clients.v1.ask(path, params);
        if (expected === undefined || status !== 200) return { answered: status, expected: expected === undefined ? 404 : 200 };
        requireNames(body);
        return { answered: this.#shorn(seen(body)), expected: this.#shorn(expected) };
      },
    };
  }
}

function nameOf(path: string, params: Params): string {
  return `${path} ${JSON.stringify(params)}`;
}
