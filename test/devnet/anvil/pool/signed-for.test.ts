import fc from "fast-check";
import { serializeTransaction, type TransactionSerializable, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { requireSignedFor, type SigningRules } from "../../../../src/devnet/anvil/pool/signed-for.ts";

const CHAIN = 43_112;
const account = privateKeyToAccount(`0x${"07".repeat(32)}`);
const FIELDS = { nonce: 3, gas: 21_000n, to: account.address, value: 1n };

const rules = { chainId: BigInt(CHAIN), allowsUnprotected: false };

async function check(transaction: TransactionSerializable, changed: Partial<SigningRules> = {}): Promise<void> {
  requireSignedFor({ ...rules, ...changed }, await account.signTransaction(transaction));
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

describe("a transaction without a chain ID", () => {
  const UNPROTECTED: TransactionSerializable = { ...FIELDS, type: "legacy", gasPrice: 1n };

  test("is refused, unless all of them are taken", async () => {
    await expect(check(UNPROTECTED)).rejects.toThrow("only replay-protected (EIP-155) transactions allowed over RPC");
    await expect(check({ ...UNPROTECTED, nonce: 0 })).rejects.toThrow("only replay-protected");
    await check(UNPROTECTED, { allowsUnprotected: true });
  });

  const keyless = (nonce: number, s: bigint) =>
    serializeTransaction({ ...FIELDS, nonce, type: "legacy", gasPrice: 1n }, { v: 27n, r: toHex(0x22n), s: toHex(s) });

  test("is taken if it was made without a key, as the CREATE2 deployer's was: the first one, with a signature of two same halves", () => {
    requireSignedFor(rules, keyless(0, 0x22n));
    expect(() => requireSignedFor(rules, keyless(0, 0x23n))).toThrow("only replay-protected");
    expect(() => requireSignedFor(rules, keyless(1, 0x22n))).toThrow("only replay-protected");
  });
});

test.each(["0x00", "0x02", "0x02c0", "0xc0", "0xc101", "0xdeadbeef", "0x02c3a0", `0x02e2a1${"ff".repeat(33)}`])(
  "%s is no transaction: the child says so",
  (raw) => {
    expect(() => requireSignedFor(rules, raw)).not.toThrow();
  },
);
