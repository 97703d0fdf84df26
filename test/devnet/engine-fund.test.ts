/** Payments from the pre-funded key: in every era and to every chain, and the errors where it cannot pay. */
import { describe, expect, test } from "vitest";
import { formatAddress } from "../../src/base/bytes/address.ts";
import { addressOf } from "../../src/base/signatures/secp256k1.ts";
import { buildGenesis } from "../../src/chains/platform/genesis/genesis-config.ts";
import { EWOQ_KEY } from "../../src/devnet/account-keys.ts";
import { payOnAsset } from "../../src/devnet/faucet/asset-payment.ts";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import { localGenesis } from "../../src/network/local-genesis.ts";
import { formatNetworkFile } from "../../src/network/network-file.ts";
import { localNetwork } from "../../src/network/presets.ts";
import { avaxOf } from "./conservation.ts";
import { AVAX, NOW, startNetwork, stranger, utxoCount } from "./engine-network.ts";

describe("the pre-funded key", () => {
  test.each(["cortina", "durango", "etna", "fortuna", "granite", "helicon"])("pays on P and X in the era of %s", async (upgrades) => {
    const { devnet } = await startNetwork({ upgrades });
    const { total } = await avaxOf(devnet);
    for (const chain of ["P", "X"] as const) {
      const { address, text } = stranger("carol", chain);
      await devnet.fund(text, 12_345n * AVAX);
      expect(await utxoCount(devnet, chain, address)).toBe(1);
    }
    expect((await avaxOf(devnet)).total).toBe(total);
  });

  test("pays many who ask at once", async () => {
    const { devnet } = await startNetwork();
    const people = Array.from({ length: 10 }, (_, index) => stranger(`person ${index}`, index % 2 === 0 ? "P" : "X"));
    const ids = await Promise.all(people.map(({ text }) => devnet.fund(text, AVAX)));
    expect(new Set(ids).size).toBe(10);
    for (const [index, { address }] of people.entries()) expect(await utxoCount(devnet, index % 2 === 0 ? "P" : "X", address)).toBe(1);
  });

  test("pays although somebody else uses it, whose transaction waits for its block", async () => {
    const { devnet } = await startNetwork({}, { blockTimeMs: 3_600_000 });
    const { store, network } = devnet;
    const owner = addressOf(EWOQ_KEY);
    const other = await payOnAsset({ store, network, key: EWOQ_KEY, owner, clock: NOW }, { to: "ab".repeat(20), amount: AVAX });
    await devnet.issue(network.xChainId, other.bytes);
    const { text, address } = stranger("carol", "X");
    await devnet.fund(text, AVAX);
    expect(await utxoCount(devnet, "X", address)).toBe(1);
    expect(await utxoCount(devnet, "X", "ab".repeat(20))).toBe(1);
  });

  test("pays on the C-chain, in wei what was asked for in nAVAX", async () => {
    const { devnet } = await startNetwork({}, { evm: {} });
    const address = `0x${"ab".repeat(20)}`;
    const hash = await devnet.fund(address, 7n);
    expect(await devnet.evm!.request("eth_getBalance", [address, "latest"])).toBe("0x1a13b8600");
    expect(await devnet.evm!.request("eth_getTransactionReceipt", [hash])).toMatchObject({ status: "0x1", to: address });
  });

  test.each([
    [formatAddress("P", "fuji", "ab".repeat(20)), "is an address of another network"],
    ["Z-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u", "is not on the P-, X- or C-chain"],
    ["C-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u", "accounts of the C-chain are 0x"],
    ["somewhere", "is not an address"],
    ["0x8aE323046633A07FB162043f28Cea39FFc23B50A", "give 0x8ae323046633A07FB162043f28Cea39FFc23B50A if that address is meant"],
    ["C-0x8aE323046633A07FB162043f28Cea39FFc23B50A", "a digit may be mistyped"],
    [`0x${"ab".repeat(20)}`, "the C-chain does not run;"],
  ])("does not pay to %s", async (address, reason) => {
    const { devnet } = await startNetwork();
    await expect(devnet.fund(address, AVAX)).rejects.toThrow(reason);
  });

  test("does not pay what it does not have, or nothing", async () => {
    const { devnet } = await startNetwork();
    const { text } = stranger("carol", "P");
    await expect(devnet.fund(text, 10n ** 18n)).rejects.toThrow(
      /has 30000000000000000 nAVAX in 2 outputs on that chain, but needs 1000000000000\d+/,
    );
    await expect(devnet.fund(text, 0n)).rejects.toThrow("the amount is 0 nAVAX; use an amount above 0");
  });

  test("is not there where genesis pays others", async () => {
    const genesis = localGenesis({ startTime: NOW });
    const other = "11".repeat(20);
    const allocations = genesis.allocations.map((allocation, index) => ({ ...allocation, address: (index + 17).toString(16).repeat(20) }));
    const initialStakers = genesis.initialStakers.map((staker) => ({ ...staker, rewardAddress: other }));
    const config = { ...genesis, allocations, initialStakers, initialStakedFunds: [allocations[0]!.address] };
    const parameters = localNetwork();
    const networkFile = Buffer.from(formatNetworkFile(parameters));
    const { devnet } = await startNetwork({}, { network: networkInstance(parameters, buildGenesis(config)), networkFile });
    await expect(devnet.fund(stranger("carol", "X").text, AVAX)).rejects.toThrow("funds no key that Firn knows");
  });
});
