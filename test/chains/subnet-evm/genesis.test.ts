/** What a genesis of Subnet-EVM says, and the sentences for what keeps a chain from running. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FirnError } from "../../../src/base/errors/errors.ts";
import { parseSubnetEvmGenesis } from "../../../src/chains/subnet-evm/genesis.ts";
import { readGenesis } from "../../../src/chains/subnet-evm/problem.ts";
import { devnetNetwork } from "../../../src/devnet/devnet-network.ts";

const { network } = devnetNetwork({ now: 1_800_000_000n, upgrades: "durango,etna=2030-01-01T00:00:00Z" });
const FEES = {
  gasLimit: 12_000_000,
  targetBlockRate: 2,
  minBaseFee: 7,
  targetGas: 60_000_000,
  baseFeeChangeDenominator: 36,
  minBlockGasCost: 0,
  maxBlockGasCost: 1_000_000,
  blockGasCostStep: 200_000,
};
const ALICE = "8db97c7cece249c2b98bdc0226cc4c2a57bf52fc";
const GENESIS = {
  config: { chainId: 4321, feeConfig: FEES },
  timestamp: "0x64",
  gasLimit: "0xb71b00",
  difficulty: "0x0",
  alloc: { [`0x${ALICE}`]: { balance: "0x10" } },
};

function parse(genesis: unknown) {
  return parseSubnetEvmGenesis(Buffer.from(typeof genesis === "string" ? genesis : JSON.stringify(genesis)), network);
}

function withConfig(config: object) {
  return { ...GENESIS, config: { ...GENESIS.config, ...config } };
}

describe("A genesis of Subnet-EVM", () => {
  test("says who may mint and who may send transactions", () => {
    const list = { blockTimestamp: 0, enabledAddresses: [`0x${ALICE}`] };
    const read = parse(withConfig({ txAllowListConfig: list, contractNativeMinterConfig: { ...list, initialMint: { [ALICE]: "0x10" } } }));
    expect([...read.txAllowList!]).toEqual([[ALICE, "enabled"]]);
    expect([...read.nativeMinter!.roles]).toEqual([[ALICE, "enabled"]]);
    expect([...read.nativeMinter!.initialMint]).toEqual([[ALICE, 16n]]);
    expect(parse(withConfig({ txAllowListConfig: { ...list, disable: true } }))).toMatchObject({ txAllowList: undefined });
    expect(parse(GENESIS)).toMatchObject({ txAllowList: undefined, nativeMinter: undefined });
  });

  test("is read as Go reads it: names in any case, null as absent, precompiles that are off as if they were not there", () => {
    const { config, timestamp, gasLimit, difficulty, alloc } = GENESIS;
    const { gasLimit: feeGas, ...fees } = FEES;
    const shouted = {
      Config: { ChainID: 1, CHAINID: 4321, feeconfig: { GasLimit: feeGas, ...fees } },
      TIMESTAMP: timestamp,
      gaslimit: gasLimit,
    };
    const read = parse({
      ...shouted,
      Difficulty: difficulty,
      Alloc: { [ALICE]: { Balance: "0x10", NONCE: null, Storage: { "01": "02" } } },
    });
    expect(read).toMatchObject({ evmChainId: 4321n, feeConfig: { gasLimit: 12_000_000n } });
    expect(read.alloc.get(ALICE)).toMatchObject({
      balance: 16n,
      nonce: 0n,
      storage: { [`0x${"01".padStart(64, "0")}`]: `0x${"02".padStart(64, "0")}` },
    });
    const list = { BlockTimestamp: 0, AdminAddresses: [ALICE] };
    const on = parse(withConfig({ txAllowListConfig: list, contractNativeMinterConfig: { ...list, InitialMint: { [ALICE]: 5 } } }));
    expect([...on.txAllowList!]).toEqual([[ALICE, "admin"]]);
    expect([...on.nativeMinter!.initialMint]).toEqual([[ALICE, 5n]]);
    for (const off of [
      { blockTimestamp: null },
      {},
      { blockTimestamp: 0, disable: true },
      { Disable: true, BlockTimestamp: 0, adminAddresses: [ALICE] },
    ]) {
      const names = [
        "feeManagerConfig",
        "rewardManagerConfig",
        "contractDeployerAllowListConfig",
        "txAllowListConfig",
        "contractNativeMinterConfig",
        "warpConfig",
      ];
      const { adminAddresses: _, ...plain } = off as { adminAddresses?: unknown };
      const { txAllowList, nativeMinter, warp } = parse(
        withConfig(Object.fromEntries(names.map((name) => [name, name === "warpConfig" ? plain : off]))),
      );
      expect([txAllowList, nativeMinter, warp]).toEqual([undefined, undefined, undefined]);
    }
    expect(
      parse({ ...GENESIS, config: { ...config, homesteadBlock: 0, subnetEVMTimestamp: 0, somethingElse: 1 }, coinbase: "0x0", alloc })
        .evmChainId,
    ).toBe(4321n);
  });

  test.each([
    [
      withConfig({ txAllowListConfig: { blockTimestamp: 0, adminAddreses: [ALICE] } }),
      "(adminAddreses is unknown; did you mean adminAddresses?)",
    ],
    [withConfig({ txallowlistConfig: { blockTimestamp: 0 } }), "config.txallowlistConfig is unknown; did you mean txAllowListConfig?"],
    [withConfig({ warpConfig: { blockTimestamp: 2 ** 31, quorum: 67 } }), "(quorum is unknown"],
    [{ ...GENESIS, alloc: { [ALICE]: { balance: "1", balanc: "2" } } }, "(balanc is unknown; did you mean balance?)"],
    [{ ...GENESIS, config: { chainId: 1, feeConfig: { ...FEES, minBaseFees: 7 } } }, "(minBaseFees is unknown; did you mean minBaseFee?)"],
  ])("refuses by name what the node would ignore, where a mistyped name changes the chain: %#", (genesis, message) => {
    expect(() => parse(genesis)).toThrow(message);
  });

  test("says the chain's ID, time, fees, accounts and upgrades", () => {
    const read = parse({
      ...GENESIS,
      alloc: { [ALICE.toUpperCase()]: { balance: "10", nonce: "0x2", code: "0x60", storage: { "0x01": "0x02" } } },
    });
    const slot = (digit: number) => `0x${digit.toString().padStart(64, "0")}`;
    expect(read).toMatchObject({ evmChainId: 4321n, timestamp: 100n, warp: undefined });
    expect(read.feeConfig).toMatchObject({ gasLimit: 12_000_000n, minBaseFee: 7n });
    expect([...read.alloc]).toEqual([[ALICE, { balance: 10n, nonce: 2n, code: "0x60", storage: { [slot(1)]: slot(2) } }]]);
    expect(read.times.etna).toBe(network.upgrades.times.etna);
  });

  test("has the node's defaults for its chain ID, and for a fee configuration without members", () => {
    const { config: _, ...bare } = { ...GENESIS, gasLimit: 8_000_000 };
    expect(parse(bare)).toMatchObject({ evmChainId: 43_214n, feeConfig: { gasLimit: 8_000_000n, minBaseFee: 25_000_000_000n } });
    expect(parse({ ...bare, config: { chainId: 1, feeConfig: {} } })).toMatchObject({ feeConfig: { minBaseFee: 25_000_000_000n } });
  });

  test("keeps amounts that a number cannot hold", () => {
    const text = JSON.stringify(GENESIS).replace('"0x10"', "123456789012345678901234567890");
    expect(parse(text).alloc.get(ALICE)!.balance).toBe(123_456_789_012_345_678_901_234_567_890n);
  });

  test("delays an upgrade of the network if it says so; 0 counts as absent", () => {
    const { etna } = network.upgrades.times;
    const times = (config: object) => parse({ ...GENESIS, config: { ...GENESIS.config, ...config } }).times;
    expect(times({ durangoTimestamp: 0, etnaTimestamp: Number(etna) + 5 })).toMatchObject({
      durango: network.upgrades.times.durango,
      etna: etna + 5n,
    });
  });

  test("has warp from a time on, with a share of the weight", () => {
    const warp = (warpConfig: object) => parse({ ...GENESIS, config: { ...GENESIS.config, warpConfig } }).warp;
    const from = Number(network.upgrades.times.durango);
    expect(warp({ blockTimestamp: from, quorumNumerator: 80, requirePrimaryNetworkSigners: true })).toEqual({
      from: BigInt(from),
      quorumNumerator: 80n,
      requiresPrimarySigners: true,
    });
    expect(warp({ blockTimestamp: from })).toMatchObject({ quorumNumerator: 0n, requiresPrimarySigners: false });
    expect([warp({}), warp({ blockTimestamp: from, disable: true })]).toEqual([undefined, undefined]);
  });

  test.each<[unknown, string]>([
    ["{", "genesis: it is not JSON"],
    ["[]", "genesis is []; use an object"],
    ["7", "genesis is 7; use an object"],
    [{ ...GENESIS, gasLimit: undefined }, "genesis: gasLimit is missing"],
    [{ ...GENESIS, difficulty: undefined }, "genesis: difficulty is missing"],
    [{ ...GENESIS, alloc: undefined }, "genesis: alloc is missing"],
    [{ ...GENESIS, alloc: [] }, "genesis: alloc is []; use an object of accounts by address"],
    [{ ...GENESIS, alloc: { "0x12": { balance: "1" } } }, "use an address of 40 hex digits as its name"],
    [{ ...GENESIS, alloc: { [ALICE]: {} } }, `genesis: alloc.${ALICE}.balance is missing`],
    [{ ...GENESIS, alloc: { [ALICE]: { balance: "-1" } } }, "as a number or a text in decimal or hex"],
    [{ ...GENESIS, alloc: { [ALICE]: { balance: "1", code: "60" } } }, "use bytes as 0x… in hex"],
    [{ ...GENESIS, alloc: { [ALICE]: { balance: "1", storage: { "0x1": "0x01" } } } }, "a slot of up to 32 bytes"],
    [{ ...GENESIS, config: { feeConfig: FEES } }, "genesis: config.chainId is missing"],
    [{ ...GENESIS, config: { ...GENESIS.config, chainId: 0 } }, "config.chainId is 0; use an integer from 1"],
    [{ ...GENESIS, config: { ...GENESIS.config, chainId: "4321" } }, 'config.chainId is "4321"; use an integer'],
    [{ ...GENESIS, gasLimit: "0xb71b01" }, "gas limit in fee config (12000000) does not match gas limit in header (12000001)"],
    [{ ...GENESIS, config: { chainId: 1, feeConfig: { ...FEES, targetGas: undefined } } }, "config.feeConfig.targetGas is missing"],
    [
      { ...GENESIS, config: { chainId: 1, feeConfig: { ...FEES, targetGas: 0 } } },
      "config.feeConfig.targetGas is 0; use an integer above 0",
    ],
    [{ ...GENESIS, config: { chainId: 1, feeConfig: { ...FEES, minBlockGasCost: 1_000_001 } } }, "use at most maxBlockGasCost"],
    [
      { ...GENESIS, gasLimit: "0x5f5e101", config: { chainId: 1, feeConfig: { ...FEES, gasLimit: 100_000_001 } } },
      "gasLimit is 100000001; a devnet takes up to 100000000",
    ],
    [{ ...GENESIS, number: "0x1" }, 'genesis: number is "0x1"; use 0'],
    [{ ...GENESIS, airdropHash: "0x01" }, "airdropHash needs a file of accounts"],
    [{ ...GENESIS, config: { ...GENESIS.config, durangoTimestamp: 5 } }, "config.durangoTimestamp is 5, before the network's durango"],
    [
      { ...GENESIS, config: { ...GENESIS.config, feeManagerConfig: { blockTimestamp: 0 } } },
      "config.feeManagerConfig turns on a precompile",
    ],
    [{ ...GENESIS, config: { ...GENESIS.config, warpConfig: { blockTimestamp: 5 } } }, "before Durango there is no warp"],
    [
      { ...GENESIS, config: { ...GENESIS.config, warpConfig: { blockTimestamp: 2 ** 31, quorumNumerator: 32 } } },
      "quorumNumerator is 32; use an integer from 33 to 100, or 0",
    ],
    [{ ...GENESIS, alloc: [1] }, "genesis: alloc is [1]; use an object of accounts by address"],
    [withConfig({ txAllowListConfig: { blockTimestamp: 101 } }), "use a time up to genesis' (100)"],
    [withConfig({ txAllowListConfig: { blockTimestamp: 0, adminAddresses: ["0x1"] } }), "use an address of 40 hex digits"],
    [
      withConfig({ txAllowListConfig: { blockTimestamp: 0, adminAddresses: [ALICE], enabledAddresses: [ALICE] } }),
      "cannot set address as both admin and enabled: 0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC",
    ],
    [
      withConfig({ txAllowListConfig: { blockTimestamp: 0, managerAddresses: [ALICE, ALICE] } }),
      "duplicate address in manager list: 0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC",
    ],
    [
      withConfig({ contractNativeMinterConfig: { blockTimestamp: 0, initialMint: { [ALICE]: 0 } } }),
      `config.contractNativeMinterConfig.initialMint.${ALICE} is 0; use an amount above 0`,
    ],
  ])("is refused with a sentence: %#", (genesis, sentence) => {
    expect(() => parse(genesis)).toThrow(sentence);
  });

  test("with the chain ID of another chain is not taken", () => {
    const bytes = Buffer.from(JSON.stringify(GENESIS));
    expect(readGenesis(bytes, network, (id) => id === 4321n)).toEqual({
      problem: "genesis: config.chainId is 4321, which another chain of this network has; use another one",
    });
    expect(readGenesis(bytes, network, () => false)).toMatchObject({ genesis: { evmChainId: 4321n } });
  });

  test("of any bytes has a problem, or is one, and a problem is short", () => {
    const json = fc.oneof(
      fc.json(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("latin1")),
      fc.constant(JSON.stringify(GENESIS)),
    );
    const mutated = fc.tuple(json, fc.nat(), fc.string()).map(([text, at, put]) => text.slice(0, at % (text.length + 1)) + put + text);
    fc.assert(
      fc.property(fc.oneof(json, mutated), (text) => {
        const read = readGenesis(Buffer.from(text), network, () => false);
        if ("problem" in read) expect(read.problem.length).toBeLessThanOrEqual(300);
      }),
    );
    const long = readGenesis(Buffer.from(JSON.stringify({ ...GENESIS, alloc: { ["a".repeat(100_000)]: {} } })), network, () => false);
    expect("problem" in long && long.problem.length).toBe(300);
  });

  test("throws nothing but errors that say what is wrong", () => {
    expect(() => parse("{}")).toThrow(FirnError);
  });
});
