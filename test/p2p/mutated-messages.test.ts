import { expect, test } from "vitest";
import { fuzzPeerMessages } from "../fuzz/peer-messages.ts";
import { SEED } from "../share.ts";

/** For longer runs use `npm run fuzz:peers -- <count> --seed <seed>`. */
test("mutants of all messages are decoded or ignored", () => {
  const { problems, decoded, ignored } = fuzzPeerMessages(5000, SEED);
  expect(problems).toEqual([]);
  expect(decoded).toBeGreaterThan(1000);
  expect(ignored).toBeGreaterThan(100);
});
