import fc from "fast-check";
import type { TransactionSerializable } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { requireSignedFor } from "../../../src/c-chain/development-evm/signed-for.ts";

const CHAIN = 43_112;
const account = privateKeyToAccount(`0x${"07".repeat(32)}`);
const FIELDS = { nonce: 3, gas: 21_000n, to: account.address, value: 1n };

async function check(transaction: TransactionSerializable): Promise<void> {
  requireSignedFor(BigInt(CHAIN), await account.signTransaction(transaction));
}

const forms = (chainId: number): TransactionSerializable[] => [
  { ...FIELDS, type: "legacy", gasPrice: 1n, chainId },
  { ...FIELDS, type: "eip2930", gasPrice: 1n, chainId },
  { ...FIELDS, type: "eip1559", maxFeePerGas: 1n, chainId },
];

test("a transaction of each type is for the chain whose ID it has", async () => {
  const ids = fc.oneof(fc.constantFrom(1, CHAIN, CHAIN + 1), fc.integer({ min: 1, max: 2 ** 31 }));
  await fc.assert(
    fc.asyncProperty(ids, async (chainId) => {
      for (const form of forms(chainId)) {
        if (chainId === CHAIN) await check(form);
        else await expect(check(form)).rejects.toThrow("invalid sender");
      }
    }),
    { numRuns: 20 },
  );
});

test("one without a chain ID is for every chain", async () => {
  await check({ ...FIELDS, type: "legacy", gasPrice: 1n });
});

test.each(["0x00", "0x02", "0x02c0", "0xc0", "0xc101", "0xdeadbeef", "0x02c3a0", `0x02e2a1${"ff".repeat(33)}`])(
  "%s is no transaction: the child says so",
  (raw) => {
    expect(() => requireSignedFor(BigInt(CHAIN), raw)).not.toThrow();
  },
);
