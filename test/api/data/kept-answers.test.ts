import Type from "typebox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dataRoute } from "../../../src/api/data/route.ts";
import { heightChanges } from "../../serve/small-store.ts";
import { type DataNode, startDataNode } from "./data-node.ts";

let made = 0;
let now = 1000n;

const base = { method: "GET", tag: "Count", summary: "Counts how often it was made.", cost: "O(1)", computeUnits: 20, needs: [] } as const;
const response = Type.Object({ made: Type.Integer() });

const ofState = dataRoute({
  ...base,
  path: "/of-state",
  operationId: "ofState",
  query: Type.Object({ name: Type.Optional(Type.String()) }),
  response,
  handle: async () => ({ made: ++made }),
});

const ofClock = dataRoute({
  ...base,
  path: "/of-clock",
  operationId: "ofClock",
  query: Type.Object({}),
  response,
  handle: async (_, context) => ({ made: context.readClock() > 0n ? ++made : 0 }),
});

const ofHealth = dataRoute({
  ...base,
  path: "/of-health",
  operationId: "ofHealth",
  query: Type.Object({}),
  response,
  handle: async (_, context) => ({ made: context.readHealth().readiness.length + ++made }),
});

let node: DataNode;
beforeAll(async () => {
  node = await startDataNode({ dataRoutes: [ofState, ofClock, ofHealth], clock: () => now });
});
afterAll(() => node.remove());

const makings = async (...paths: string[]) => {
  const found: number[] = [];
  for (const path of paths) found.push((await node.ask(`/v1${path}`)).body.made);
  return found;
};

test("an answer that a state alone gives is made once until the state changes, for each request that is different", async () => {
  const [first, other] = await makings("/of-state?name=a", "/of-state?name=b");
  expect(other).toBe(first! + 1);
  expect(await makings("/of-state?name=a", "/of-state?name=b", "/of-state?name=a")).toEqual([first, other, first]);
  await node.store.commit(heightChanges({ P: 11n, X: 20n, C: 30n }));
  expect(await makings("/of-state?name=a")).toEqual([first! + 2]);
});

test("an answer in which the time is, is made once in a second, and in another state", async () => {
  const [first] = await makings("/of-clock", "/of-clock", "/of-clock");
  expect(await makings("/of-clock", "/of-clock", "/of-clock")).toEqual([first, first, first]);
  now += 1n;
  const [second] = await makings("/of-clock");
  expect(second).toBe(first! + 1);
  expect(await makings("/of-clock", "/of-clock")).toEqual([second, second]);
  // a clock can be set back
  now -= 1n;
  expect(await makings("/of-clock", "/of-clock")).toEqual([second! + 1, second! + 1]);
  await node.store.commit(heightChanges({ P: 12n, X: 20n, C: 30n }));
  expect(await makings("/of-clock")).toEqual([second! + 2]);
});

test("an answer in which the server's health is, is made anew each time", async () => {
  const [first, second, third] = await makings("/of-health", "/of-health", "/of-health");
  expect([second, third]).toEqual([first! + 1, first! + 2]);
});
