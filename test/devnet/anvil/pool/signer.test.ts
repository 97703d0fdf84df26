import fc from "fast-check";
import type { TransactionSerializable } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { signerOf } from "../../../../src/devnet/anvil/pool/signer.ts";

const key = fc.uint8Array({ minLength: 31, maxLength: 31 }).map((bytes) => `0x01${Buffer.from(bytes).toString("hex")}` as const);
const amount = fc.bigInt({ min: 0n, max: 2n ** 128n });
const members = fc.record({
  nonce: fc.nat(),
  gas: fc.bigInt({ min: 0n, max: 2n ** 63n }),
  value: amount,
  data: fc.uint8Array({ maxLength: 100 }).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}` as const),
});
const fees = fc.oneof(
  amount.map((gasPrice) => ({ type: "legacy" as const, gasPrice })),
  amount.map((gasPrice) => ({ type: "eip2930" as const, gasPrice, accessList: [{ address: `0x${"ab".repeat(20)}`, storageKeys: [] }] })),
  amount.map((maxFeePerGas) => ({ type: "eip1559" as const, maxFeePerGas, maxPriorityFeePerGas: maxFeePerGas / 2n })),
);
const chainId = fc.option(fc.integer({ min: 1, max: 2 ** 31 }), { nil: undefined });

test("whoever signed a transaction is found, of every type, with a chain ID and without", async () => {
  await fc.assert(
    fc.asyncProperty(key, members, fees, chainId, async (secret, common, price, chain) => {
      const account = privateKeyToAccount(secret);
      const id = price.type === "legacy" ? chain : (chain ?? 1);
      const transaction = { ...common, ...price, ...(id !== undefined && { chainId: id }) } as TransactionSerializable;
      const raw = await account.signTransaction(transaction);
      expect(`0x${signerOf(Buffer.from(raw.slice(2), "hex"))}`).toBe(account.address.toLowerCase());
    }),
    { numRuns: 30 },
  );
});
