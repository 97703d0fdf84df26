/** The devnet's loop: rounds, block time, and what is left of it after a stop. */
import { describe, expect, test } from "vitest";
import { AVAX, heightOf, startNetwork, stranger, utxoCount } from "./engine-network.ts";

describe("a round", () => {
  test.each(["P", "X"] as const)("accepts a payment on %s at once: it is there when it resolves", async (chain) => {
    const { devnet } = await startNetwork();
    const bob = stranger("bob", chain);
    await devnet.fund(bob.text, 3n * AVAX);
    expect(await utxoCount(devnet, chain, bob.address)).toBe(1);
    expect(await heightOf(devnet, chain)).toBe(1n);
  });
});
