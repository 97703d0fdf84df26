import { describe, expect, test } from "vitest";
import { LimitError } from "../../src/base/work/work.ts";
import type { ClientTurns, ConnectionTurns, RequestTurns } from "../../src/http/request-turns.ts";
import { newClientTurns, Turns } from "../../src/http/turns.ts";

const LIMITS = { turnMilliseconds: 2, requestSeconds: 30, longRequests: 1000, rowsBytes: 4 * 2 ** 20 };

function connectionOf(client: ClientTurns): ConnectionTurns {
  return { client, used: 0 };
}

/** The clock of these tests: work is what moves it. */
let now = 0;
const clock = () => now;

function burn(milliseconds: number): void {
  now += milliseconds;
}

/** Works for some turns; each is told when it is over. */
async function work(turns: RequestTurns, count: number, onTurn: () => void = () => {}): Promise<void> {
  for (let done = 0; done < count; done++) {
    const turn = turns.turn();
    if (turn !== undefined) await turn;
    burn(LIMITS.turnMilliseconds + 0.1);
    onTurn();
  }
  turns.close();
}

describe("turns", () => {
  test("begin at once while nobody waits, and go on without a promise until they are over", () => {
    const own = new Turns(LIMITS, { now: clock }).open(connectionOf(newClientTurns()));
    expect(own.turn()).toBeUndefined();
    expect(own.turn()).toBeUndefined();
    burn(LIMITS.turnMilliseconds);
    expect(own.turn()).toBeInstanceOf(Promise);
  });

  test("let the event loop read what clients send in between", async () => {
    const turns = new Turns(LIMITS, { now: clock });
    let read = 0;
    let isOver = false;
    const reading = () => {
      read++;
      if (!isOver) setImmediate(reading);
    };
    setImmediate(reading);
    await Promise.all(Array.from({ length: 5 }, () => work(turns.open(connectionOf(newClientTurns())), 4)));
    isOver = true;
    expect(read).toBeGreaterThanOrEqual(19);
  });

  test("wait as long as one lasts while connections come one after the other, and no longer", async () => {
    const turns = new Turns(LIMITS, { now: clock });
    const isOver = [false, false];
    const first = work(turns.open(connectionOf(newClientTurns())), 1, () => (isOver[0] = true));
    const second = work(turns.open(connectionOf(newClientTurns())), 1, () => (isOver[1] = true));
    await first;
    expect(isOver).toEqual([true, false]);
    let came = 0;
    while (!isOver[1]) {
      came++;
      turns.arrived();
      burn(LIMITS.turnMilliseconds / 10);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await second;
    expect(came).toBeGreaterThanOrEqual(8);
    expect(came).toBeLessThanOrEqual(12);
  });

  test("are as many for a client with one connection as for one with twenty", async () => {
    const turns = new Turns(LIMITS, { now: clock });
    const [many, one] = [newClientTurns(), newClientTurns()];
    const order: string[] = [];
    const started = Array.from({ length: 20 }, () => work(turns.open(connectionOf(many)), 3, () => order.push("many")));
    await Promise.all([...started, work(turns.open(connectionOf(one)), 10, () => order.push("one"))]);
    const lastOfOne = order.lastIndexOf("one");
    expect(order.slice(0, lastOfOne).filter((name) => name === "many").length).toBeLessThanOrEqual(12);
  });

  test("come at once to a connection that asks for the first time while others of its address work without end", async () => {
    const turns = new Turns(LIMITS, { now: clock });
    const client = newClientTurns();
    const order: string[] = [];
    const busy = Array.from({ length: 10 }, () => work(turns.open(connectionOf(client)), 10, () => order.push("busy")));
    for (let asked = 0; asked < 3; asked++) {
      await new Promise((resolve) => setImmediate(resolve));
      const before = order.length;
      await work(turns.open(connectionOf(client)), 1, () => order.push("light"));
      expect(order.indexOf("light", before) - before).toBeLessThanOrEqual(3);
    }
    await Promise.all(busy);
  });

  test("count what was written and parsed for a client: others come first", async () => {
    const turns = new Turns(LIMITS, { now: clock });
    const [greedy, other] = [connectionOf(newClientTurns()), connectionOf(newClientTurns())];
    const order: string[] = [];
    const first = work(turns.open(connectionOf(newClientTurns())), 1);
    const fed = work(turns.open(greedy), 2, () => order.push("greedy"));
    const asked = work(turns.open(other), 2, () => order.push("other"));
    turns.charge(greedy, 10);
    await Promise.all([first, fed, asked]);
    expect(order).toEqual(["other", "other", "greedy", "greedy"]);
  });

  test("go on from parsing a request to working on it: both are one turn", () => {
    const turns = new Turns(LIMITS, { now: clock });
    const connection = connectionOf(newClientTurns());
    const feed = { connection, start: 0, problem: () => undefined, goOn: () => {} };
    expect(turns.begin(feed)).toBe(true);
    burn(LIMITS.turnMilliseconds / 2);
    const own = turns.open(connection);
    expect(own.turn()).toBeUndefined();
    burn(LIMITS.turnMilliseconds / 2);
    expect(own.turn()).toBeInstanceOf(Promise);
    expect(connection.used).toBe(LIMITS.turnMilliseconds);
  });

  test("end with the request's time, in a sentence that says what to ask instead", async () => {
    const own = new Turns({ ...LIMITS, requestSeconds: 0.01 }, { now: clock }).open(connectionOf(newClientTurns()));
    const problem = await work(own, 100).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(LimitError);
    expect(problem).toMatchObject({ facts: { limit: "requestSeconds" }, message: expect.stringContaining("ask for less") });
  });

  test("end with the client's connection, also of what waits for its turn", async () => {
    const turns = new Turns(LIMITS, { now: clock });
    const client = newClientTurns();
    const busy = work(turns.open(connectionOf(client)), 5);
    const gone = turns.open(connectionOf(client));
    const waiting = work(gone, 5).catch((error: unknown) => error);
    gone.close();
    expect(await waiting).toMatchObject({ facts: { limit: "client" } });
    await busy;
    expect(client.waiting.size).toBe(0);
  });

  test("are not given to more long requests than may be begun, of which a client may have half", async () => {
    const turns = new Turns({ ...LIMITS, longRequests: 4 }, { now: clock });
    const [greedy, other] = [newClientTurns(), newClientTurns()];
    const outcome = (client: ClientTurns) =>
      work(turns.open(connectionOf(client)), 5).then(
        () => "answered",
        (error: LimitError) => error.facts.limit,
      );
    const [first, second] = await Promise.all([
      Promise.all(Array.from({ length: 5 }, () => outcome(greedy))),
      Promise.all([outcome(other), outcome(other)]),
    ]);
    expect(first.toSorted()).toEqual(["answered", "answered", "longRequests", "longRequests", "longRequests"]);
    expect(second).toEqual(["answered", "answered"]);
  });

  test("end a request that reads on while all hold too many rows; those that hold little go on, and what is answered is held no longer", () => {
    const turns = new Turns(LIMITS, { now: clock });
    const [large, next, small] = Array.from({ length: 3 }, () => turns.open(connectionOf(newClientTurns()))) as [
      RequestTurns,
      RequestTurns,
      RequestTurns,
    ];
    const mib = 2 ** 20;
    large.hold(3 * mib);
    next.hold(mib);
    small.hold(mib / 2);
    expect(() => next.hold(mib)).toThrow("hold too much of the store's data; try again");
    next.close();
    large.close();
    small.hold(3 * mib);
    expect(() => small.hold(mib)).toThrow(LimitError);
  });
});
