/** What the pool of a devnet's C-chain demands since Helicon, and that an estimate is enough for it. */
import fc from "fast-check";
import { type TransactionSerializable, toHex } from "viem";
import { describe, expect, test } from "vitest";
import { EWOQ_KEY } from "../../../../src/devnet/account-keys.ts";
import { minGasForSize } from "../../../../src/devnet/anvil/calls/gas-for-size.ts";
import { evmCall } from "../../../../src/devnet/anvil/evm-call.ts";
import { requirePoolRules } from "../../../../src/devnet/anvil/pool/pool-rules.ts";
import { accountOf, EVM_CHAIN_ID, EvmNetwork, FEES } from "../evm-network.ts";

/** of a block's transactions: 2 MiB less twice 256 KiB */
const TARGET_BYTES = 1_572_864;
const GAS_LIMIT = 15_000_000n;
const WHO = `0x${"b0".repeat(20)}` as const;
const account = accountOf(EWOQ_KEY);

type Changes = Readonly<Record<string, unknown>>;

/** A payment unless changes say otherwise. */
function signed(changes: Changes = {}): Promise<`0x${string}`> {
  const payment = { type: "eip1559", chainId: EVM_CHAIN_ID, nonce: 0, to: WHO, gas: 21_000n };
  const fees = changes.gasPrice === undefined ? FEES : {};
  return account.signTransaction({ ...payment, ...fees, ...changes } as TransactionSerializable);
}

async function problem(changes: Changes): Promise<string | undefined> {
  const raw = await signed(changes);
  try {
    requirePoolRules(raw, { gasLimit: GAS_LIMIT });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const zeros = (length: number) => `0x${"00".repeat(length)}` as const;

test.each([
  [TARGET_BYTES, 42n, 42n],
  [1, 1n, 1n],
  [TARGET_BYTES / 2, 100n, 50n],
  [TARGET_BYTES + 1, 100n, 101n],
])("%d bytes need their share of a block of %d gas: %d", (size, gasLimit, gas) => {
  expect(minGasForSize(size, { gasLimit })).toBe(gas);
});

describe("the pool", () => {
  test("refuses what brings less gas than its bytes need, and takes what brings that much", async () => {
    const data = zeros(10_000);
    const size = ((await signed({ data, gas: 95_000n })).length - 2) / 2;
    const least = minGasForSize(size, { gasLimit: GAS_LIMIT });
    expect(least).toBeGreaterThan(21_000n + 4n * 10_000n);
    expect(await problem({ data, gas: least - 1n })).toBe(
      `insufficient gas limit for tx size: tx size ${size} bytes must specify gas limit at least ${least} when the block gas limit is 15000000`,
    );
    expect(await problem({ data, gas: least })).toBeUndefined();
  });

  test.each<[string, Changes, string]>([
    [
      "a fee above 100 AVAX",
      { maxFeePerGas: 10n ** 20n / 21_000n + 10n ** 15n },
      "tx fee (121.00 ether) exceeds the configured cap (100.00 ether)",
    ],
    ["more gas than a block has", { gas: GAS_LIMIT + 1n }, "exceeds block gas limit"],
    [
      "too long an initcode",
      { to: undefined, data: zeros(49_153), gas: GAS_LIMIT },
      "max initcode size exceeded: code size 49153, limit 49152",
    ],
    ["too little gas for a payment", { gas: 20_999n }, "intrinsic gas too low: gas 20999, minimum needed 21000"],
    ["too little gas for its data", { data: "0x0001" }, "intrinsic gas too low: gas 21000, minimum needed 21020"],
    ["too little gas for a creation", { to: undefined, data: "0x00" }, "intrinsic gas too low: gas 21000, minimum needed 53006"],
    [
      "too little gas for its access list",
      { accessList: [{ address: WHO, storageKeys: [`0x${"01".repeat(32)}`, `0x${"02".repeat(32)}`] }] },
      "intrinsic gas too low: gas 21000, minimum needed 27200",
    ],
  ])("refuses %s", async (_, changes, message) => {
    expect(await problem(changes)).toBe(message);
  });

  test("takes what is at each border, in every form of a transaction", async () => {
    for (const changes of [
      { maxFeePerGas: 10n ** 20n / 21_000n },
      { gas: GAS_LIMIT },
      { to: undefined, data: zeros(49_152), gas: GAS_LIMIT },
      { data: "0x0001", gas: 21_020n },
      { type: "legacy", gasPrice: 5n },
      { type: "eip2930", gasPrice: 5n, accessList: [{ address: WHO, storageKeys: [] }], gas: 23_400n },
    ])
      expect(await problem(changes)).toBeUndefined();
  });

  test("refuses a tip above the fee, and leaves what is no transaction to the EVM", async () => {
    // nobody's library signs this: its tip's two bytes are put in by hand
    const raw = await signed({ maxFeePerGas: 0x7f01n, maxPriorityFeePerGas: 0x7e01n });
    const odd = raw.replace("827e01827f01", "827f02827f01");
    expect(odd).not.toBe(raw);
    expect(() => requirePoolRules(odd, { gasLimit: GAS_LIMIT })).toThrow("max priority fee per gas higher than max fee per gas");
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const hex = `0x${Buffer.from(bytes).toString("hex")}`;
        expect(() => requirePoolRules(hex, { gasLimit: GAS_LIMIT })).not.toThrow();
      }),
    );
  });
});

describe("an estimate", () => {
  const ask = async ({ evm }: EvmNetwork, method: string, ...params: unknown[]) =>
    JSON.parse((await evm.forward(evmCall(1, method, params))).toString());

  test("is enough for the pool, however the transaction's other fields turn out", async () => {
    const network = await EvmNetwork.start();
    const from = network.account.address;
    for (const bytes of [3, 5_000, 30_000]) {
      const call = { from, to: WHO, data: zeros(bytes) };
      const gas = BigInt((await ask(network, "eth_estimateGas", call)).result);
      const { accessList, gasUsed } = (await ask(network, "eth_createAccessList", call, "latest")).result;
      expect(gas >= BigInt(gasUsed)).toBe(true);
      expect(accessList).toEqual([]);
      const raw = await signed({ data: zeros(bytes), gas, maxFeePerGas: 10n ** 10n, value: 10n ** 18n, nonce: await network.nonce() });
      expect(await network.send(raw)).toMatch(/^0x[0-9a-f]{64}$/);
      const least = minGasForSize((raw.length - 2) / 2, { gasLimit: GAS_LIMIT });
      const plain = 21_000n + 4n * BigInt(bytes);
      if (bytes === 3) expect(gas).toBe(plain);
      else expect([gas > plain, gas >= least, gas < least + 1_500n]).toEqual([true, true, true]);
    }
    expect((await ask(network, "eth_estimateGas", { from, to: WHO, data: "0xzz" })).error).toBeDefined();
  });

  test("is that of the EVM before Helicon, and its pool has no such rule", async () => {
    const network = await EvmNetwork.start({ upgrades: "granite" });
    const data = zeros(10_000);
    const call = { from: network.account.address, to: WHO, data };
    expect((await ask(network, "eth_estimateGas", call)).result).toBe(toHex(61_000));
    expect((await ask(network, "eth_createAccessList", call, "latest")).result.gasUsed).toBe(toHex(61_000));
    expect(await network.send(await signed({ data, gas: 61_000n }))).toMatch(/^0x[0-9a-f]{64}$/);
  });

  test("of a devnet's pool tells nothing of a transaction that no block can have", async () => {
    const network = await EvmNetwork.start();
    expect(await network.send(await signed({ data: "0x01" }))).toBe("intrinsic gas too low: gas 21000, minimum needed 21016");
    expect(await ask(network, "txpool_status")).toMatchObject({ result: { pending: "0x0", queued: "0x0" } });
  });
});
