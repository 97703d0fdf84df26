/**
 * Checks the official clients against a served recording: every request of `data-requests.ts` with every client that has the method, every
 * page, and what the client made of the answer. The clients use different page sizes and must see the same items.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { platformChain } from "../../src/chains/platform/tables.ts";
import type { Serving } from "../../src/serve/serve.ts";
import { openStore } from "../../src/store/open.ts";
import { undocumented } from "../api/data/documented-answers.ts";
import { importUntil, serveAt } from "../conformance/checkpoints.ts";
import { type EvmRecordingName, type RecordingName, recordingFolder } from "../conformance/recordings.ts";
import { isWhole, shareOf } from "../share.ts";
import { type Client, type ClientName, type ClientOptions, clientNamed, type Page, type Params } from "./data-clients.ts";
import { VARIANTS, variantsIn } from "./data-coverage.ts";
import { expectedOf } from "./data-expected.ts";
import { METHOD_NAMES, type Method, type MethodName, methodNamed } from "./data-methods.ts";
import { type Request, requestsOf } from "./data-requests.ts";
import { variantsOf } from "./data-variants.ts";
import { readWorld } from "./data-world.ts";

/** A place in a recording. */
export interface Moment {
  readonly label: string;
  readonly heights: Readonly<Record<string, number>>;
  /** the methods asked there; by default all */
  readonly methods?: readonly MethodName[];
  /** by default in this process, one second after the newest block */
  readonly serve?: (directory: string) => Promise<Serving>;
}

/** What changes while stakers come and go. */
export const STAKER_METHODS = METHOD_NAMES.filter((name) => /Validator|Delegator|Reward|Staking|Network|Supply|Balances/.test(name));

/** Each client under another name of the network where it can, and with pages so many times as large as the request's. */
const WALKERS: Readonly<Record<ClientName, { network: ClientOptions["network"]; larger: number }>> = {
  chainkit: { network: "fuji", larger: 1 },
  avacloud: { network: "testnet", larger: 2 },
  glacier: { network: "fuji", larger: 5 },
};

/** Of a list, unless all are walked. */
const MOST_PAGES = isWhole ? undefined : 3;

export function holdClients(name: RecordingName, moments: readonly Moment[]): void {
  expectVariants(name, holdMoments(name, moments));
}

export function expectVariants(name: RecordingName | EvmRecordingName, seen: ReadonlySet<string>): void {
  test(`${name} has shown no variant that nobody knows of`, () => {
    expect(seen.size).toBeGreaterThan(0);
    expect({ unknown: [...seen].filter((variant) => !VARIANTS.includes(variant)) }).toEqual({ unknown: [] });
  });
  test.runIf(isWhole)(`${name} has shown every variant that it can`, () => {
    expect({ missing: variantsIn(name).filter((variant) => !seen.has(variant)) }).toEqual({ missing: [] });
  });
}

/** One of each combination of parameters, and others by chance. */
function asked(methodName: MethodName, all: readonly Request[]): readonly Request[] {
  const ofMethod = all.filter(({ method }) => method === methodName);
  return shareOf(methodName, ofMethod, 24, ({ params }) => `${params.blockchainId} ${Object.keys(params).sort()}`);
}

/** The variants that were seen, once the tests have run. */
export function holdMoments(name: RecordingName, moments: readonly Moment[]): ReadonlySet<string> {
  const directory = mkdtempSync(join(tmpdir(), "firn-clients-"));
  const seen = new Set<string>();
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  for (const moment of isWhole ? moments : moments.slice(-1))
    describe(`${name} ${moment.label}:`, () => holdMoment(name, moment, directory, seen));
  return seen;
}

function holdMoment(name: RecordingName, moment: Moment, directory: string, seen: Set<string>): void {
  const start = async () => {
    await importUntil(recordingFolder(name), directory, moment.heights, "replay");
    const serving = await (moment.serve ?? serveHere)(directory);
    const serverUrl = serving.url.replace(/\/$/, "");
    return { serverUrl, requests: requestsOf(await readWorld(serverUrl)), stop: () => serving.stop() };
  };
  holdServed(moment.methods ?? METHOD_NAMES, start, seen);
}

export interface Served {
  readonly serverUrl: string;
  readonly requests: readonly Request[];
  stop(): Promise<void>;
}

/** A test for each method: its requests by every client. What was seen is added to `seen`. */
export function holdServed(methods: readonly MethodName[], start: () => Promise<Served>, seen: Set<string>): void {
  let served: Served;
  let clients: readonly Client[];

  beforeAll(async () => {
    served = await start();
    const { serverUrl } = served;
    clients = Object.entries(WALKERS).map(([client, { network }]) => clientNamed(client as ClientName, { serverUrl, network }));
  });
  afterAll(() => served?.stop());

  test.each(methods)("%s", async (methodName) => {
    const method = methodNamed(methodName);
    for (const { params, chainkitOnly } of asked(methodName, served.requests)) {
      const about = `${methodName} ${JSON.stringify(params)}`;
      const able = clients.filter((client) => client.has(method) && (client.name === "chainkit" || !chainkitOnly));
      let list: unknown[] | undefined;
      for (const client of able) {
        const pages = await pagesOf(client, method, params, WALKERS[client.name].larger);
        list = held(itemsOf(pages, method), list, about);
        if (client.name !== "chainkit") continue;
        expect(withheld(params, pages[0]!), about).toEqual([]);
        for (const variant of variantsOf(methodName, pages, method.list)) seen.add(variant);
      }
      if (able.length === 1 && method.list) held(itemsOf(await pagesOf(able[0]!, method, params, 3), method), list, about);
    }
  });
}

/** The items are those that another client saw, as far as both have walked. Returns the longer list. */
function held(items: unknown[], seen: unknown[] | undefined, about: string): unknown[] {
  if (seen === undefined) return items;
  const both = isWhole ? Number.POSITIVE_INFINITY : Math.min(items.length, seen.length);
  expectEqual(items.slice(0, both), seen.slice(0, both), about);
  return items.length > seen.length ? items : seen;
}

/** Every page, or the first ones; what the client made of each is what was sent. */
async function pagesOf(client: Client, method: Method, params: Params, larger: number): Promise<Page[]> {
  const sized = "pageSize" in params ? { ...params, pageSize: Math.min(100, Number(params.pageSize) * larger) } : params;
  const about = `${client.name} ${method.path} ${JSON.stringify(sized)}`;
  const pages = await client.pages(method, sized, MOST_PAGES).catch((error: unknown) => {
    throw new Error(`${about}: ${error}`, { cause: error });
  });
  for (const { url, sent, parsed } of pages) {
    expect(undocumented(url.pathname, sent), about).toEqual([]);
    const isNothing = method.hasNoAnswer === true && client.name !== "glacier";
    expectEqual(parsed, isNothing ? undefined : expectedOf(client.name, sent), about);
  }
  return pages;
}

function itemsOf(pages: readonly Page[], { list }: Method): unknown[] {
  return list === undefined ? [] : pages.flatMap(({ sent }) => (sent as Record<string, unknown[]>)[list]!);
}

/** Vitest's own comparison explains, but is slow where there is nothing to explain. */
function expectEqual(actual: unknown, expected: unknown, about: string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, about).toEqual(expected);
}

/** Names of parameters that the request does not hold: misspelt ones, which a client drops without a word. */
function withheld(params: Params, { url, body = "" }: Page): string[] {
  const path = decodeURIComponent(url.pathname);
  return Object.entries(params).flatMap(([name, value]) => {
    if (url.searchParams.has(name) || path.includes(`/${value}`) || body === JSON.stringify(value)) return [];
    return [name];
  });
}

async function serveHere(directory: string): Promise<Serving> {
  const store = await openStore({ directory, mode: "read" });
  const chain = await store.snapshot(async (reader) => reader.get(platformChain, { slot: 0 }));
  await store.close();
  return serveAt(directory, chain!.timestamp + 1n);
}
