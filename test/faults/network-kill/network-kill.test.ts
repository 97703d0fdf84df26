import { expect, test } from "vitest";
import { killNetworkFollowers } from "./network-kill.ts";

test("a store whose follower, server and node are killed in turn ends with the rows of one that was let alone", async () => {
  const { kills, comparisons } = await killNetworkFollowers({ count: 4, seed: 20_261_123, log: () => {} });
  expect(kills).toEqual({ follower: 1, node: 1, ingest: 1, serve: 1 });
  expect(comparisons).toBe(1);
});
