import { describe, expect, test } from "vitest";
import { parseCChainBlock } from "../../../../src/chains/atomic/block.ts";
import { EvmNetwork, FEES, WEI_PER_NAVAX } from "../evm-network.ts";
import { expectedSupply } from "../supply.ts";

const AVAX = 1_000_000_000n;
const BOB = "0x00000000000000000000000000000000000b0b01";
const NOBODY = "0x0100000000000000000000000000000000000000";

describe("a block of C", () => {
  test("holds the EVM's transactions as they were signed, and has the EVM's own hash", async () => {
    const network = await EvmNetwork.start();
    const raw = await network.sign({ ...FEES, type: "eip1559", nonce: 0, to: BOB, value: 5n, gas: 21_000n });
    const hash = await network.send(raw);
    const stored = (await network.storedBlock(1n))!;
    const block = (await network.ask("eth_getBlockByNumber", "0x1", false)) as { hash: string; transactions: string[]; miner: string };
    expect(block).toMatchObject({ hash: `0x${stored.blockId}`, transactions: [hash], miner: NOBODY });
    const { transactions, id, timestamp } = parseCChainBlock(stored.bytes, 0n);
    expect(transactions).toEqual([Buffer.from(raw.slice(2), "hex")]);
    expect({ id, timestamp }).toEqual({ id: stored.blockId, timestamp: network.devnet.clock.seconds() });
    expect(await network.balance(BOB)).toBe(5n);
  });

  test("takes every type of transaction but those with blobs", async () => {
    const network = await EvmNetwork.start();
    const accessList = [{ address: BOB, storageKeys: [] }] as const;
    const gasPrice = FEES.maxFeePerGas;
    for (const raw of [
      await network.sign({ type: "legacy", gasPrice, nonce: 0, to: BOB, value: 1n, gas: 21_000n }),
      await network.sign({ type: "eip2930", gasPrice, nonce: 1, to: BOB, value: 1n, gas: 30_000n, accessList }),
      await network.sign({ type: "eip1559", ...FEES, nonce: 2, to: BOB, value: 1n, gas: 21_000n }),
    ]) {
      expect(await network.send(raw)).toMatch(/^0x[0-9a-f]{64}$/);
    }
    expect(await network.balance(BOB)).toBe(3n);
    expect(await network.send("0x03c0")).toBe("transaction type not supported");
    expect(await network.storedBlock(4n)).toBeUndefined();
  });

  test("is not made of transactions that cannot go yet; they go when they can", async () => {
    const network = await EvmNetwork.start();
    const second = await network.sign({ ...FEES, type: "eip1559", nonce: 1, to: BOB, value: 2n, gas: 21_000n });
    await network.send(second);
    expect(await network.storedBlock(1n)).toBeUndefined();
    await network.pay(BOB, 1n);
    expect(await network.balance(BOB)).toBe(3n);
    expect(await network.storedBlock(2n)).toBeUndefined();
  });

  test("moves what came from X into the account, and what goes there out of it, to the last wei", async () => {
    const network = await EvmNetwork.start();
    const { address } = network.account;
    const before = await network.balance(address);
    await network.exportToC(7n * AVAX);
    const importId = await network.importToC();
    const [coin] = await network.exported();
    expect(coin).toBeUndefined();
    // the wallet burns 0.005 AVAX
    const imported = before + (7n * AVAX - 5_000_000n) * WEI_PER_NAVAX;
    expect(await network.balance(address)).toBe(imported);
    expect(await network.nonce()).toBe(0);
    await network.exportToX(2n * AVAX, 0);
    expect(await network.balance(address)).toBe(imported - (2n * AVAX + 5_000_000n) * WEI_PER_NAVAX);
    expect(await network.nonce()).toBe(1);
    const block = parseCChainBlock((await network.storedBlock(1n))!.bytes, 0n);
    expect(block.atomicTxs.map(({ id }) => id)).toEqual([importId]);
    expect(await network.evm.totalBalance()).toBe(await expectedSupply(network));
  });

  test("lets a transaction go whose nonce an export made next", async () => {
    const network = await EvmNetwork.start();
    await network.send(await network.sign({ ...FEES, type: "eip1559", nonce: 1, to: BOB, value: 9n, gas: 21_000n }));
    await network.exportToX(AVAX, 0);
    expect(await network.balance(BOB)).toBe(9n);
    expect(await network.nonce()).toBe(2);
  });

  test("burns the base fee of the era, or what a test says, and counts every wei", async () => {
    const network = await EvmNetwork.start({ upgrades: "durango" });
    await network.pay(BOB, 1n);
    const header = (await network.ask("eth_getBlockByNumber", "latest", false)) as { baseFeePerGas: string };
    expect(BigInt(header.baseFeePerGas)).toBe(25_000_000_000n);
    expect(await network.evm.totalBalance()).toBe(await expectedSupply(network));
    expect(await network.balance(NOBODY)).toBe(3n * 21_000n);

    const other = await EvmNetwork.start({}, { evm: { baseFeeAt: () => 77n } });
    await other.pay(BOB, 1n);
    expect(parseCChainBlock((await other.storedBlock(1n))!.bytes, 0n).baseFee).toBe(77n);
  });
});

describe("an export", () => {
  const refusals: readonly (readonly [vm: string, upgrades: string | undefined, nonce: string, funds: RegExp])[] = [
    ["coreth", "granite", "invalid nonce", /^insufficient funds$/],
    [
      "saevm",
      undefined,
      "state verification: nonce mismatch: address 0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC has nonce 0 but needs 3",
      /^state verification: insufficient funds: address 0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC has balance 50000000000000000000000000 but needs \d+$/,
    ],
  ];

  test.each(refusals)("that the account cannot pay is refused with the words of %s", async (_, upgrades, nonce, funds) => {
    const network = await EvmNetwork.start({ ...(upgrades && { upgrades }) });
    await expect(network.exportToX(AVAX, 3)).rejects.toThrow(nonce);
    await expect(network.exportToX(60_000_000n * AVAX, 0)).rejects.toThrow(funds);
    await network.exportToX(AVAX, 0);
    expect(await network.storedBlock(1n)).toBeDefined();
  });
});
