import { describe, expect, test } from "vitest";
import { ReadWriteLock } from "../../../src/base/work/read-write-lock.ts";

/** Resolves when everything that needs no further event has happened. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("a readers–writer lock", () => {
  test("lets nobody in while it is closed, and all when it is opened", async () => {
    const lock = new ReadWriteLock();
    await lock.lock();
    let passed = 0;
    const waiting = [1, 2].map(() => lock.shared(async () => void passed++));
    await settled();
    expect(passed).toBe(0);
    lock.unlock();
    await Promise.all(waiting);
    expect(passed).toBe(2);
  });

  test("is closed only once nobody is inside, whether what they do succeeds or fails", async () => {
    const lock = new ReadWriteLock();
    const doors: (() => void)[] = [];
    const inside = [1, 2].map((i) =>
      lock.shared(async () => {
        await new Promise<void>((resolve) => doors.push(resolve));
        if (i === 2) throw new Error("failed");
      }),
    );
    let isClosed = false;
    const closing = lock.lock().then(() => {
      isClosed = true;
    });
    doors[0]!();
    await settled();
    expect(isClosed).toBe(false);
    doors[1]!();
    await closing;
    expect((await Promise.allSettled(inside)).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  });

  test("is had alone by one after the other, also when one of them fails", async () => {
    const lock = new ReadWriteLock();
    const seen: string[] = [];
    const alone = (name: string, fails = false) =>
      lock.alone(async () => {
        seen.push(`${name} begins`);
        await settled();
        seen.push(`${name} ends`);
        if (fails) throw new Error("failed");
      });
    const all = [
      lock.shared(() => void seen.push("shared")),
      alone("first", true),
      alone("second"),
      lock.shared(() => void seen.push("late")),
    ];
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    expect(seen.filter((each) => each !== "late")).toEqual(["shared", "first begins", "first ends", "second begins", "second ends"]);
    const late = seen.indexOf("late");
    expect(["first ends", "second ends"]).toContain(seen[late - 1]);
    expect(lock.isLocked).toBe(false);
  });
});
