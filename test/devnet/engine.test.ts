/** The devnet's loop: rounds, block time, and what is left of it after a stop. */
import { describe, expect, test } from "vitest";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { blocks, utxosByAddress } from "../../src/index/tables.ts";
import { type Id, PLATFORM_CHAIN_ID, type ShortId } from "../../src/primitives/id.ts";
import { AVAX, startNetwork, stranger } from "./engine-network.ts";

describe("a round", () => {
  test("accepts a payment at once, on P and on X, and what was paid is there when it resolves", async () => {
    const { devnet } = await startNetwork();
    for (const chain of ["P", "X"] as const) {
      const bob = stranger("bob", chain);
      await devnet.fund(bob.text, 3n * AVAX);
      const chainId = chain === "P" ? PLATFORM_CHAIN_ID : devnet.network.xChainId;
      expect(await utxoCount(devnet, chainId, bob.address)).toBe(1);
      expect(await heightOf(devnet, chainId)).toBe(1n);
    }
  });
});

async function utxoCount({ store }: Devnet, chainId: Id, address: ShortId): Promise<number> {
  return (await store.scan(utxosByAddress, { prefix: { chainId, address }, limit: 1000 })).length;
}

async function heightOf({ store }: Devnet, chainId: Id): Promise<bigint> {
  const [newest] = await store.scan(blocks, { prefix: { chainId }, reverse: true, limit: 1 });
  return newest!.key.height;
}
