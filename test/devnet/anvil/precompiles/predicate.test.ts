import fc from "fast-check";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { FirnError } from "../../../../src/base/errors/errors.ts";
import { encodeWarpMessage, encodeWarpPayload } from "../../../../src/chains/platform/warp/message.ts";
import { packPredicate, predicateGas, unpackPredicate } from "../../../../src/devnet/anvil/precompiles/predicate.ts";
import { predicatedTransaction } from "../../../../src/devnet/anvil/precompiles/predicated-transaction.ts";
import { accessListOf, WARP } from "./warp-actor.ts";

const SINCE_GRANITE = { isGranite: true };
const account = privateKeyToAccount(`0x${"11".repeat(32)}`);

const message = fc
  .record({ hash: fc.uint8Array({ minLength: 32, maxLength: 32 }), signers: fc.integer({ min: 1, max: 255 }) })
  .map(({ hash, signers }) =>
    encodeWarpMessage({
      networkId: 12345,
      sourceChainId: "ab".repeat(32),
      payload: encodeWarpPayload({ kind: "Hash", hash: Buffer.from(hash).toString("hex") }),
      signature: { kind: "BitSetSignature", signers: Uint8Array.of(signers), signature: new Uint8Array(96) },
    }),
  );

describe("a predicate", () => {
  test("is unpacked to what was packed, whatever its length", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => unpackPredicate(packPredicate(bytes)).equals(Buffer.from(bytes))));
  });

  test.each([
    ["", "no delimiter found: length (0)"],
    ["00".repeat(64), "no delimiter found: length (2)"],
    [`ff${"00".repeat(63)}`, "predicate included excess padding: got length (2), expected length (1)"],
    [`01${"00".repeat(31)}`, "wrong delimiter"],
  ])("%s is refused", (packed, text) => {
    expect(() => unpackPredicate(Buffer.from(packed, "hex"))).toThrow(text);
  });

  test("costs what the node charges for its keys and signers", () => {
    fc.assert(
      fc.property(message, (bytes) => {
        const packed = packPredicate(bytes);
        const signers = BigInt([...(bytes.at(-97) ?? 0).toString(2)].filter((bit) => bit === "1").length);
        const keys = BigInt(packed.length / 32);
        expect(predicateGas(packed, SINCE_GRANITE)).toBe(125_000n + 512n * keys + 250n * signers);
        expect(predicateGas(packed, { isGranite: false })).toBe(200_000n + 3_200n * keys + 500n * signers);
      }),
    );
  });
});

describe("a signed transaction", () => {
  test("tells its sender, nonce and messages, as either kind with an access list", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { minLength: 1, maxLength: 3 }),
        fc.nat(1000),
        fc.boolean(),
        async (messages, nonce, isLegacyFee) => {
          const fees = isLegacyFee ? ({ type: "eip2930", gasPrice: 1n } as const) : ({ type: "eip1559", maxFeePerGas: 1n } as const);
          const other = { address: `0x${"22".repeat(20)}` as const, storageKeys: [`0x${"33".repeat(32)}` as const] };
          const accessList = [other, ...accessListOf(messages)];
          const raw = await account.signTransaction({ chainId: 43_112, nonce, gas: 1_000_000n, to: WARP, accessList, ...fees });
          expect(predicatedTransaction(raw, SINCE_GRANITE)).toEqual({
            origin: account.address.slice(2).toLowerCase(),
            nonce: BigInt(nonce),
            predicates: messages.map(packPredicate),
          });
        },
      ),
      { numRuns: 20 },
    );
  });

  test("whose bytes are damaged is left to the EVM, or refused in a sentence", async () => {
    const bytes = encodeWarpMessage({
      ...{ networkId: 1, sourceChainId: "ab".repeat(32), payload: encodeWarpPayload({ kind: "Hash", hash: "cd".repeat(32) }) },
      signature: { kind: "BitSetSignature", signers: Uint8Array.of(1), signature: new Uint8Array(96) },
    });
    const fields = {
      chainId: 43_112,
      gas: 1_000_000n,
      to: WARP,
      accessList: accessListOf([bytes]),
      type: "eip1559",
      maxFeePerGas: 1n,
    } as const;
    const whole = Buffer.from((await account.signTransaction(fields)).slice(2), "hex");
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), fc.nat(whole.length), (at, change, length) => {
        const damaged = Buffer.from(whole);
        damaged[at]! ^= change;
        for (const raw of [damaged, damaged.subarray(0, length)]) {
          try {
            predicatedTransaction(`0x${raw.toString("hex")}`, SINCE_GRANITE);
          } catch (error) {
            expect(error).toBeInstanceOf(FirnError);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
