import { describe, expect, test } from "vitest";
import { LimitError, RequestWork, SharedMaking, unlessEnded } from "../../../src/base/work/work.ts";
import { CountedWork } from "./counted-work.ts";

const GONE = new LimitError("client", "gone");

async function turns(work: RequestWork, count: number): Promise<void> {
  for (let left = count; left > 0; left--) await work.turn();
}

describe("a value that several requests ask for", () => {
  test("is made on when the client of the first of them goes away", async () => {
    const making = new SharedMaking();
    const [leaving, staying] = [new CountedWork(), new CountedWork()];
    const [first, second] = [new RequestWork(leaving), new RequestWork(staying)];
    let made = 0;
    const make = (work: RequestWork) => async () => {
      made++;
      await turns(work, 4);
      leaving.problem = GONE;
      await turns(work, 20);
      return "value";
    };
    const both = [making.get("a", first, make(first)), making.get("a", second, make(second))];
    expect(await Promise.all(both)).toEqual(["value", "value"]);
    expect(made).toBe(1);
    expect(staying.turns).toBeGreaterThan(5);
  });

  test("is given up when all of them went away, and made anew for the next", async () => {
    const making = new SharedMaking();
    const works = [new CountedWork(), new CountedWork()];
    const [first, second] = works.map((work) => new RequestWork(work)) as [RequestWork, RequestWork];
    const endless = async () => {
      for (;;) await first.turn();
    };
    const asked = Promise.allSettled([making.get("a", first, endless), making.get("a", second, endless)]);
    for (const work of works) work.problem = GONE;
    expect((await asked).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await making.get("a", new RequestWork(), async () => 1)).toBe(1);
  });

  test("is made on through requests that wait for each other's values", async () => {
    const making = new SharedMaking();
    const works = [0, 1, 2].map(() => new CountedWork());
    const [a, b, c] = works.map((work) => new RequestWork(work)) as [RequestWork, RequestWork, RequestWork];
    const inner = making.get("inner", a, async () => {
      await turns(a, 6);
      return 1;
    });
    const outer = making.get("outer", b, async () => (await making.get("inner", b, async () => 0)) + 1);
    const waiting = making.get("outer", c, async () => 0);
    works[0]!.problem = works[1]!.problem = GONE;
    expect(await Promise.all([inner, outer, waiting])).toEqual([1, 2, 2]);
  });

  test("ends when the last of them went away, also while nobody asks for turns", async () => {
    const ends = [0, 1].map(() => {
      let end!: () => void;
      const ended = new Promise<LimitError>((resolve) => {
        end = () => resolve(GONE);
      });
      return { work: { turn: () => undefined, hold: () => {}, ended }, end };
    });
    const work = new RequestWork(ends[0]!.work);
    work.join(ends[1]!.work);
    let answered!: (value: string) => void;
    const answer = new Promise<string>((resolve) => {
      answered = resolve;
    });
    const waiting = unlessEnded(answer, work);
    ends[0]!.end();
    const never = unlessEnded(new Promise<string>(() => {}), work);
    answered("value");
    expect(await waiting).toBe("value");
    ends[1]!.end();
    await expect(never).rejects.toBe(GONE);
  });
});
