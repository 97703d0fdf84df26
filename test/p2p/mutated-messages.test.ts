import { expect, test } from "vitest";
import { fuzzPeerMessages } from "../fuzz/peer-messages.ts";

/** For longer runs use `npm run fuzz:peers -- <count> --seed <seed>`. */
test("mutants of all messages are decoded or ignored", () => {
  const { problems, decoded, ignored } = fuzzPeerMessages(5000, 20_261_128);
  expect(problems).toEqual([]);
  expect(decoded).toBeGreaterThan(1000);
  expect(ignored).toBeGreaterThan(100);
});
