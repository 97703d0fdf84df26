/** Compares Firn's answers about a recorded chain with the oracle: a part of all cases; `npm run oracle:evm` covers all. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordingFolder } from "../../../../conformance/recordings.ts";
import { drawn, sized } from "../../../../share.ts";
import { callCases } from "./call-cases.ts";
import { type Case, CaseMaker, type OracleCourt } from "./case-maker.ts";
import { casesOf } from "./cases.ts";
import { type ChangingProxy, startChangingProxy } from "./changing-proxy.ts";
import { chosen, failureOf, failuresOf, hold } from "./court.ts";
import { tokenCases } from "./holder-cases.ts";
import { logCases } from "./log-cases.ts";
import { LIST_CHANGES, leavesOf, listsOf, other, withChanged } from "./mutate.ts";
import { blockCases } from "./transaction-cases.ts";
import { openRecorded, type Trial } from "./trials.ts";

const SEED = Number(process.env.FIRN_ORACLE_SEED ?? 1);
const MOST_CASES = Number(process.env.FIRN_ORACLE_CASES ?? sized({ whole: 500, share: 160 }));

let trial: Trial;
beforeAll(async () => {
  trial = await openRecorded(recordingFolder("evm-1"));
});
afterAll(() => trial.close());

test("answers are those of plain loops over the chain's blocks", async () => {
  const { failures, asked } = await hold(trial.court, { seed: SEED, most: MOST_CASES });
  expect(failures).toEqual([]);
  expect(asked).toBeGreaterThan(MOST_CASES / 2);
});

test("tokens and who holds them are those of plain loops over the chain's blocks", async () => {
  const cases = [...tokenCases(new CaseMaker(trial.court))];
  expect((await failuresOf(cases)).failures).toEqual([]);
  expect(cases.length).toBeGreaterThan(80);
});

test("since Helicon, too: blocks, logs, transactions and their calls, though the headers no longer tell what the blocks did", async () => {
  const { court, close } = await openRecorded(recordingFolder("evm-helicon-1"));
  try {
    const maker = new CaseMaker(court);
    const parts = [blockCases, logCases, callCases].map((cases) => chosen([...cases(maker)], { seed: SEED, most: MOST_CASES / 8 }));
    for (const cases of parts) expect(cases.length).toBeGreaterThan(MOST_CASES / 16);
    expect((await failuresOf(parts.flat())).failures).toEqual([]);
  } finally {
    await close();
  }
});

/** Known only to the server, or to other tests: metadata of NFTs, exports of a C-chain. */
const NOT_HELD = /\/metadata\/|\/atomicTransactions\b/;

test("the oracle notices any other value, and any item that is missing or too many", async () => {
  const proxy = await startChangingProxy(trial.court.url);
  try {
    const unnoticed: string[] = [];
    let changes = 0;
    for (const [route, { places, cases }] of await placesOf(trial.court, proxy)) {
      for (const place of drawn(route, places, places.length / 6)) {
        changes++;
        if (!(await isNoticed(place, cases.get(place.shape)!, proxy))) unnoticed.push(`${route} ${place.shape}: ${place.what}`);
      }
    }
    expect(unnoticed).toEqual([]);
    expect(changes).toBeGreaterThan(sized({ whole: 300, share: 50 }));
  } finally {
    await proxy.close();
  }
});

interface Place {
  readonly shape: string;
  readonly what: string;
  readonly change: (old: unknown) => unknown;
}

interface Route {
  readonly places: Place[];
  /** by shape */
  readonly cases: Map<string, Case[]>;
}

/** Everything that can be changed in answers of each route, and some cases that get such answers. */
async function placesOf(court: OracleCourt, proxy: ChangingProxy): Promise<Map<string, Route>> {
  const routes = new Map<string, Route>();
  const proxied = { ...court, url: proxy.url };
  for (const each of [...chosen([...casesOf(proxied)], { seed: 2, most: 300 }), ...tokenCases(new CaseMaker(proxied))]) {
    const route: Route = routes.get(routeOf(each)) ?? { places: [], cases: new Map() };
    routes.set(routeOf(each), route);
    const shapes = new Set<string>();
    proxy.change = (body) => {
      for (const shape of leavesOf(body)) shapes.add(shape);
      for (const shape of listsOf(body)) shapes.add(`${shape}[]`);
      return body;
    };
    await each.ask();
    for (const shape of shapes) {
      if (NOT_HELD.test(shape) || !isCompared(shape, each)) continue;
      const cases = route.cases.get(shape);
      if (cases === undefined) route.places.push(...changesAt(shape));
      route.cases.set(shape, [...(cases ?? []), each]);
    }
  }
  return routes;
}

/** Lists of balances are held by one case, the native balance beside them by another. */
function isCompared(shape: string, { name }: Case): boolean {
  return !name.includes("balances:list") || shape.startsWith("/nativeTokenBalance/") === name.includes('"pageSize":1');
}

function changesAt(shape: string): Place[] {
  if (!shape.endsWith("[]")) return [{ shape, what: "another value", change: other }];
  return Object.entries(LIST_CHANGES).map(([what, change]) => ({ shape, what, change: (list) => change(list as unknown[]) }));
}

/** By one of the cases at least: some compare only a part of the answer. */
async function isNoticed({ shape, change }: Place, cases: readonly Case[], proxy: ChangingProxy): Promise<boolean> {
  for (const each of cases) {
    proxy.change = (body) => withChanged(body, shape.replace(/\[\]$/, ""), change);
    if ((await failureOf(each)) !== undefined) return true;
  }
  return false;
}

function routeOf({ name }: Case): string {
  return name
    .split(" ")[0]!
    .replace(/0x[0-9a-f]+/g, "{hex}")
    .replace(/\/([1-9A-HJ-NP-Za-km-z]{40,}|\d+)/g, "/{id}");
}
