import { expect, test } from "vitest";
import { Places } from "../../../src/base/work/places.ts";

/** Work that ends when it is told to. */
function held() {
  let end = () => {};
  let fail = (_: Error) => {};
  const done = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  return { end, fail, work: () => done };
}

test("So many run at once, others wait in their order, and who comes when too many wait is turned away", async () => {
  const places = new Places(2, 2);
  const begun: number[] = [];
  const works = Array.from({ length: 5 }, held);
  const passed = works.map(({ work }, index) =>
    places.pass("come back later", () => {
      begun.push(index);
      return work();
    }),
  );
  await expect(passed[4]).rejects.toMatchObject({ message: "come back later", facts: { limit: "places" } });
  expect(begun).toEqual([0, 1]);
  works[1]!.fail(new Error("failed"));
  await expect(passed[1]).rejects.toThrow("failed");
  expect(begun).toEqual([0, 1, 2]);
  works[0]!.end();
  await passed[0];
  expect(begun).toEqual([0, 1, 2, 3]);
  works[2]!.end();
  works[3]!.end();
  await Promise.all([passed[2], passed[3]]);
  expect(await places.pass("", async () => "free again")).toBe("free again");
});
