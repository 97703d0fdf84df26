import { expect, test } from "vitest";
import { endAll } from "../../src/cli/follow/follow-chains.ts";

test("what was started is ended also after something that cannot be ended, and its error is told", async () => {
  const ended: string[] = [];
  const ends = [
    () => void ended.push("first"),
    () => Promise.reject(new Error("the store cannot be closed")),
    () => {
      throw new Error("another");
    },
    async () => void ended.push("last"),
  ];
  await expect(endAll(ends)).rejects.toThrow("the store cannot be closed");
  expect(ended).toEqual(["first", "last"]);
});
