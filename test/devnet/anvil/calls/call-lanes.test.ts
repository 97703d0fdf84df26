/** The order in which clients' calls reach the child, on a clock that the test controls. */
import { expect, test } from "vitest";
import { CallLanes, Lane } from "../../../../src/devnet/anvil/calls/call-lanes.ts";

const [ann, bob, eve] = [{ name: "Ann" }, { name: "Bob" }, { name: "Eve" }];

/** Calls that run until they are ended, in the order in which they began. */
class Calls {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, () => void>();

  /** All that can begin has begun. */
  settle(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  readonly work = (name: string) => () => {
    this.begun.push(name);
    return new Promise<void>((resolve) => this.#ends.set(name, resolve));
  };

  async end(name: string): Promise<void> {
    this.#ends.get(name)!();
    await this.settle();
  }
}

test("the next call is that of the client whose calls took least, whoever came first", async () => {
  let now = 0;
  const lane = new Lane({ all: 1, ofClient: 1 }, () => now);
  const calls = new Calls();
  for (const name of ["Eve 1", "Eve 2", "Eve 3"]) void lane.pass(eve, calls.work(name));
  for (const name of ["Ann 1", "Ann 2"]) void lane.pass(ann, calls.work(name));
  await calls.settle();
  now += 100;
  await calls.end("Eve 1");
  now += 10;
  await calls.end("Ann 1");
  await calls.end("Ann 2");
  expect(calls.begun).toEqual(["Eve 1", "Ann 1", "Ann 2", "Eve 2"]);
});

test("who was away for long has no more than his share when he comes back", async () => {
  let now = 0;
  const lane = new Lane({ all: 1, ofClient: 1 }, () => now);
  const calls = new Calls();
  for (let turn = 1; turn <= 5; turn++) void lane.pass(eve, calls.work(`Eve ${turn}`));
  await calls.settle();
  for (let turn = 1; turn <= 3; turn++) {
    now += 100;
    await calls.end(`Eve ${turn}`);
  }
  for (let turn = 1; turn <= 3; turn++) void lane.pass(bob, calls.work(`Bob ${turn}`));
  for (const name of ["Eve 4", "Bob 1", "Eve 5", "Bob 2"]) {
    now += 100;
    await calls.end(name);
  }
  expect(calls.begun.slice(3)).toEqual(["Eve 4", "Bob 1", "Eve 5", "Bob 2", "Bob 3"]);
});

test("a call that fails leaves its place to the next", async () => {
  const lane = new Lane({ all: 1, ofClient: 1 });
  const failed = lane.pass(eve, () => Promise.reject(new Error("no")));
  const next = lane.pass(eve, async () => "yes");
  await expect(failed).rejects.toThrow("no");
  expect(await next).toBe("yes");
});

test.each([
  ["eth_call", false],
  ["eth_getBalance", false],
])("one client's %s never have all places: another's begins at once", async (method, isDear) => {
  const lanes = new CallLanes();
  const calls = new Calls();
  for (let turn = 0; turn < 100; turn++) void lanes.pass({ method, isDear }, eve, calls.work("Eve"));
  void lanes.pass({ method, isDear }, ann, calls.work("Ann"));
  await calls.settle();
  expect(calls.begun).toContain("Ann");
});

test("dear calls of many clients and their traces are worked on one at a time, and cheap ones go on beside them", async () => {
  const lanes = new CallLanes();
  const calls = new Calls();
  const dear = [{ method: "eth_call", isDear: true }, { method: "debug_traceCall" }, { method: "eth_simulateV1" }];
  for (let turn = 0; turn < 30; turn++) void lanes.pass(dear[turn % 3]!, { turn }, calls.work("dear"));
  void lanes.pass({ method: "eth_call" }, ann, calls.work("Ann"));
  await calls.settle();
  expect(calls.begun).toEqual(["dear", "Ann"]);
});
