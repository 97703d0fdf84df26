import { expect, test } from "vitest";
import { systemPeerClock } from "../../../src/p2p/peer-clock.ts";
import { blocksOf, fetchFromLiars } from "../../fuzz/peers/liars.ts";
import { servePeers } from "./served-peers.ts";

test("a minority of lying bootstrappers, and strangers that follow no rules, change no block", async () => {
  const world = await servePeers("eras-1");
  try {
    const expected = await blocksOf(world);
    // `npm run byzantine` runs a thousand, with silent ones
    const told = await fetchFromLiars(world, expected, { seed: 1, clock: systemPeerClock, hasSilent: false });
    expect(told.length).toBeGreaterThan(5);
  } finally {
    await world.close();
  }
});
