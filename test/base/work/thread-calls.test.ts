import { MessageChannel } from "node:worker_threads";
import { afterEach, expect, test } from "vitest";
import { FirnError } from "../../../src/base/errors/errors.ts";
import { ThreadCalls } from "../../../src/base/work/thread-calls.ts";

const channels: MessageChannel[] = [];
afterEach(() => {
  for (const { port1 } of channels.splice(0)) port1.close();
});

/** Two sides, of which the first calls the second. */
function sides(answers: Record<string, (...args: never[]) => unknown>): ThreadCalls {
  const channel = new MessageChannel();
  channels.push(channel);
  const own = new ThreadCalls((message) => channel.port1.postMessage(message), {});
  const other = new ThreadCalls((message) => channel.port2.postMessage(message), answers);
  channel.port1.on("message", (message) => own.take(message));
  channel.port2.on("message", (message) => other.take(message));
  return own;
}

test("calls are answered whenever they end, with copies of what is given", async () => {
  let release: (value: string) => void = () => {};
  const calls = sides({
    late: () => new Promise((resolve) => (release = resolve)),
    sum: (a: bigint, b: bigint) => a + b,
    same: (value: unknown) => value,
  });
  const late = calls.call("late");
  expect(await calls.call("sum", 2n, 3n)).toBe(5n);
  expect(await calls.call("same", new Map([["a", Uint8Array.of(1, 2)]]))).toEqual(new Map([["a", Uint8Array.of(1, 2)]]));
  release("now");
  expect(await late).toBe("now");
});

test("a failure is one here, too: a FirnError with its code and facts", async () => {
  const calls = sides({
    fails: () => {
      throw new FirnError("peers", "nobody is there", { chain: "P" });
    },
    breaks: async () => {
      throw new TypeError("no such thing");
    },
  });
  const failure = await calls.call("fails").catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(FirnError);
  expect(failure).toMatchObject({ code: "peers", message: "nobody is there", facts: { chain: "P" } });
  await expect(calls.call("breaks")).rejects.toThrow("no such thing");
  await expect(calls.call("missing")).rejects.toThrow();
});

test("what waits fails with the other side", async () => {
  const calls = sides({ never: () => new Promise(() => {}) });
  const waiting = calls.call("never");
  calls.fail(new Error("it has ended"));
  await expect(waiting).rejects.toThrow("it has ended");
});
