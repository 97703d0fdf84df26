import { expect, test } from "vitest";
import { sized } from "../share.ts";
import { killFollowersOfPeers } from "./peers-kill.ts";

test("a follower of peers that is killed again and again ends with the rows of an import", async () => {
  const count = sized({ whole: 4, share: 2 });
  expect(await killFollowersOfPeers({ count, seed: 20_261_128 })).toBe(count);
});
