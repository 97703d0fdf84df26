import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { formatId } from "../../src/base/bytes/cb58.ts";
import { addressOf, evmAddressOf } from "../../src/base/signatures/secp256k1.ts";
import { parseGenesis } from "../../src/chains/platform/genesis/genesis.ts";
import { buildGenesis } from "../../src/chains/platform/genesis/genesis-config.ts";
import { cChainGenesis } from "../../src/devnet/anvil/chains/c-chain-genesis.ts";
import { openDevnetNetwork } from "../../src/devnet/devnet-file.ts";
import { devnetNetwork, type LocalNetworkOptions } from "../../src/devnet/devnet-network.ts";
import { parseMoment, parsePeriod } from "../../src/devnet/period.ts";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import { localGenesis } from "../../src/network/local-genesis.ts";
import { UPGRADE_NAMES } from "../../src/network/network.ts";
import { parseNetworkFile } from "../../src/network/network-file.ts";
import { UNSCHEDULED } from "../../src/network/presets.ts";
import { messageOf } from "../base/codec/error-text.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { scratchDirectory } from "../store/scratch.ts";

/** 2026-11-21, in the period that began on 2026-10-03 */
const NOW = 1_795_219_200n;
const PERIOD_START = 1_791_000_000n;
const made = (options: Omit<LocalNetworkOptions, "now"> = {}) => devnetNetwork({ now: NOW, ...options });
const refused = (options: Omit<LocalNetworkOptions, "now">) => messageOf(() => made(options));
const timesOf = (upgrades: string) => made({ upgrades }).network.upgrades.times;

/** What outputs of one owner in a genesis have: amount, locktime (8), threshold (4), number of owners (4), address. */
function amountsOf(genesis: Buffer, address: string): bigint[] {
  const amounts: bigint[] = [];
  for (let at = genesis.indexOf(address, 0, "hex"); at !== -1; at = genesis.indexOf(address, at + 1, "hex")) {
    amounts.push(genesis.readBigUInt64BE(at - 24));
  }
  return amounts;
}

test.skipIf(process.platform === "win32")("what a devnet was made from, a mnemonic of one's own too, only its owner can read", () => {
  const directory = scratchDirectory();
  // left behind by a start that was killed
  writeFileSync(join(directory, "devnet.json.new"), "");
  openDevnetNetwork(directory, { now: NOW, mnemonic: "test test test test test test test test test test test junk" });
  expect((statSync(join(directory, "devnet.json")).mode & 0o777).toString(8)).toBe("600");
});

describe("the network of a devnet", () => {
  test("is the reference node's local network of the day, but for C's genesis and more accounts, with every upgrade active in the genesis", () => {
    const { network, networkFile, startTime } = made({ accounts: 1 });
    expect(network).toMatchObject({ networkId: 12345, name: "local", hrp: "local" });
    expect(formatId(network.xChainId)).toBe("2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed");
    expect(formatId(network.avaxAssetId)).toBe("2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe");
    expect(parseGenesis(network.genesisBytes).timestamp).toBe(PERIOD_START);
    expect(Object.values(network.upgrades.times).every((time) => time < PERIOD_START)).toBe(true);
    expect(startTime).toBeUndefined();
    const { genesisBytes: _, genesisId: __, xChainId: ___, cChainId: ____, avaxAssetId: _____, ...parameters } = network;
    expect(parseNetworkFile(JSON.parse(Buffer.from(networkFile).toString()))).toEqual(parameters);
  });

  test.each([
    [1_721_016_000n, "2nRRoR76HuEk1JjDpRdN8FKvZFvUXWxY3b9C5rZRPFjcgEh7S7"],
    [1_767_672_000n, "habeayqJ3qNHPqgowuvVwBL3m2aHWCuosmX83otkU81N17m2Y"],
  ])("has the reference node's genesis if that is at %i and C's in 2020", (startTime, genesisId) => {
    const { network } = made({ accounts: 1 });
    const known = networkInstance(network, buildGenesis(localGenesis({ startTime })));
    expect(formatId(known.genesisId)).toBe(genesisId);
    expect(formatId(known.cChainId)).toBe("2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC");
    expect(known.xChainId).toBe(network.xChainId);
    expect(made({ accounts: 1, genesisTime: startTime }).network.xChainId).toBe(network.xChainId);
  });

  test("has a C-chain that begins when the clock does", () => {
    const beginning = (options: Omit<LocalNetworkOptions, "now"> = {}) => cChainGenesis(made(options).network).timestamp;
    expect(beginning()).toBe(NOW);
    expect(beginning({ startTime: NOW - 5n })).toBe(NOW - 5n);
    expect(beginning({ startTime: NOW + 5n, genesisTime: NOW })).toBe(NOW + 5n);
    expect(beginning({ genesisTime: NOW + 5n })).toBe(NOW + 5n);
    expect(made({ startTime: NOW - 5n }).network.cChainId).not.toBe(made().network.cChainId);
    expect(beginning({ genesisFile: join(recordingFolder("latest-1"), "genesis.json") })).toBe(0x5fcb13d0n);
  });

  test("whose genesis is yet to come starts its clock there", () => {
    expect(made({ genesisTime: NOW + 5n }).startTime).toBe(NOW + 5n);
    expect(made({ startTime: PERIOD_START }).startTime).toBe(PERIOD_START);
    expect(refused({ startTime: PERIOD_START - 1n })).toBe(
      `--start-time is ${PERIOD_START - 1n}, before the genesis at ${PERIOD_START}; use a time from then on`,
    );
    expect(refused({ genesisTime: 1n })).toMatch(/^--genesis-time is 1; use a time from 1607144400 on \(2020-12-05T05:00:00Z\)/);
  });

  test("funds ten accounts on P, X and C alike, each that tools of Ethereum know with 10,000 AVAX", () => {
    const { network, accountKeys } = made();
    expect(accountKeys.map(({ name }) => name)).toEqual(["ewoq", ...Array.from({ length: 9 }, (_, i) => `account ${i + 1}`)]);
    const AVAX = 10n ** 9n;
    const bytes = Buffer.from(network.genesisBytes);
    const alloc = Object.entries((cChainGenesis(network).json as { alloc: Record<string, { balance: string }> }).alloc);
    for (const { key } of accountKeys.slice(1)) {
      expect(amountsOf(bytes, addressOf(key)), "on P and X").toEqual([10_000n * AVAX, 10_000n * AVAX]);
      const onC = alloc.filter(([address]) => address.toLowerCase() === evmAddressOf(key));
      expect(onC.map(([, { balance }]) => BigInt(balance))).toEqual([10_000n * AVAX * AVAX]);
    }
  });

  test("has the accounts and the chain ID of C that it is asked for", () => {
    const mnemonic = "legal winner thank year wave sausage worth useful legal winner thank yellow";
    const { network, accountKeys } = made({ accounts: 3, mnemonic, cChainId: 43114 });
    expect(accountKeys).toHaveLength(3);
    expect(accountKeys[1]!.key).not.toEqual(made().accountKeys[1]!.key);
    expect(cChainGenesis(network).chainId).toBe(43114);
    expect(cChainGenesis(made().network).chainId).toBe(43112);
    const genesisFile = join(recordingFolder("latest-1"), "genesis.json");
    expect(made({ genesisFile }).accountKeys).toEqual([]);
    expect(refused({ genesisFile, accounts: 3 })).toBe("--accounts cannot be used with --genesis: the file says it");
    expect(refused({ genesisFile, mnemonic })).toBe("--mnemonic cannot be used with --genesis: the file says it");
    expect(refused({ genesisFile, cChainId: 5 })).toBe("--c-chain-id cannot be used with --genesis: the file says it");
  });

  test("comes from a genesis file and the network.json beside it", () => {
    const folder = recordingFolder("latest-1");
    const { network } = made({ genesisFile: join(folder, "genesis.json") });
    expect(network.networkId).toBe(9001);
    expect(`0x${Buffer.from(network.genesisBytes).toString("hex")}`).toBe(readFileSync(join(folder, "genesis-P.hex"), "utf8").trim());
    expect(network.staking.minStakeDuration).toBe(15n);
  });

  test("with parameters of its own and no genesis file is the local one under the number of these parameters", () => {
    const networkFile = join(scratchDirectory(), "parameters.json");
    const given = JSON.parse(Buffer.from(made().networkFile).toString());
    writeFileSync(
      networkFile,
      JSON.stringify({ ...given, networkID: 77, hrp: "custom", parameters: { ...given.parameters, minStakeDuration: "5s" } }),
    );
    const { network } = made({ networkFile });
    expect(network).toMatchObject({ networkId: 77, staking: { minStakeDuration: 5n } });
    expect(parseGenesis(network.genesisBytes).validators[0]!.unsigned.networkId).toBe(77);
  });

  test("is refused in one sentence if its files cannot be used", () => {
    const folder = scratchDirectory();
    const file = (name: string, content: unknown) => {
      writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
      return join(folder, name);
    };
    const recorded = JSON.parse(readFileSync(join(recordingFolder("x-dag"), "genesis.json"), "utf8"));
    const parameters = JSON.parse(Buffer.from(made().networkFile).toString());
    expect(refused({ genesisFile: join(folder, "none.json") })).toMatch(/^--genesis: \S+none\.json cannot be read: it does not exist$/);
    expect(refused({ genesisFile: file("a.json", "{") })).toMatch(/^a\.json is not JSON: /);
    expect(refused({ genesisFile: file("b.json", { ...recorded, allocations: 5 }) })).toMatch(/^b\.json: allocations is 5; use a list/);
    expect(refused({ genesisFile: file("c.json", recorded), networkFile: file("d.json", parameters) })).toMatch(
      /^the genesis is of network 424242, its network\.json of 12345; use files of one network$/,
    );
    expect(refused({ networkFile: file("e.json", "[") })).toMatch(/e\.json is not JSON: /);
    expect(refused({ networkFile: file("f.json", { ...parameters, networkID: 1 }) })).toMatch(
      /^network 1 is public: .*; use another networkID$/,
    );
  });
});

describe("--upgrades", () => {
  test("an era alone starts there and leaves the later ones without a time", () => {
    const times = timesOf("durango");
    expect(UPGRADE_NAMES.filter((name) => times[name] < PERIOD_START).at(-1)).toBe("durango");
    expect([times.etna, times.helicon]).toEqual([UNSCHEDULED, UNSCHEDULED]);
  });

  test("later ones are scheduled by a period from the start on, or by a time", () => {
    const times = timesOf("etna,fortuna=+10m,granite=2026-12-01T00:00:00Z");
    expect(times).toMatchObject({ fortuna: NOW + 600n, granite: 1_796_083_200n, helicon: UNSCHEDULED });
    expect(times.etna < PERIOD_START).toBe(true);
  });

  test.each([
    ["tomorrow", '--upgrades names "tomorrow"; the upgrades are cortina, durango, etna, fortuna, granite, helicon'],
    ["", '--upgrades names ""; the upgrades are cortina, durango, etna, fortuna, granite, helicon'],
    ["banff", "--upgrades names banff, which is before cortina; a devnet starts in cortina, durango, etna, fortuna, granite, helicon"],
    [
      "granite=+1m",
      '--upgrades begins with "granite=+1m"; begin with the era to start in, as in etna,fortuna=+10m,granite=2026-12-01T00:00:00Z',
    ],
    ["etna,durango=+1m", "--upgrades has durango after etna; the order is cortina, durango, etna, fortuna, granite, helicon"],
    ["etna,granite=+1m", "--upgrades has granite right after etna; fortuna comes between them, so give it a time too, as in fortuna=+10m"],
    ["etna,fortuna", '--upgrades has "fortuna"; say when, as in fortuna=+10m'],
    [
      "etna,fortuna=soon",
      "--upgrades has fortuna=soon; use a period from the start on such as +10m, or a time such as 2026-12-01T00:00:00Z",
    ],
    ["etna,fortuna=+2m,granite=+1m", /^--upgrades has granite at .*, before fortuna at .*; give times in order$/],
  ])("%j is refused", (upgrades, message) => {
    if (message instanceof RegExp) expect(refused({ upgrades })).toMatch(message);
    else expect(refused({ upgrades })).toBe(message);
  });

  test("a network.json whose Cortina is yet to come needs it", () => {
    const folder = recordingFolder("p-eras-old");
    const files = { genesisFile: join(folder, "genesis.json"), networkFile: join(folder, "network.json") };
    expect(refused(files)).toMatch(/^cortina is at .*, after the genesis at .*; a devnet starts in cortina.* or use --upgrades$/);
    expect(made({ ...files, upgrades: "cortina" }).network.upgrades.times.durango).toBe(UNSCHEDULED);
  });
});

describe("devnet.json", () => {
  test("goes on with the network of the first start, whatever the day", () => {
    const directory = scratchDirectory();
    const first = openDevnetNetwork(directory, { now: NOW, upgrades: "etna,fortuna=+10m" });
    const later = openDevnetNetwork(directory, { now: NOW + 400n * 86_400n, upgrades: "etna,fortuna=+10m" });
    expect(later).toEqual(first);
    expect(openDevnetNetwork(directory, { now: NOW + 400n * 86_400n })).toEqual(first);
  });

  test("keeps accounts, mnemonic and chain ID", () => {
    const directory = scratchDirectory();
    const mnemonic = "legal winner thank year wave sausage worth useful legal winner thank yellow";
    const first = openDevnetNetwork(directory, { now: NOW, accounts: 4, mnemonic, cChainId: 99 });
    expect(first.accountKeys).toHaveLength(4);
    expect(openDevnetNetwork(directory, { now: NOW + 1n })).toEqual(first);
  });

  test.each([
    [
      { upgrades: "granite" },
      /made with another --upgrades \(etna\); leave the flag out to continue with that network, or use another --data-dir$/,
    ],
    [{ cChainId: 43114 }, /made with another --c-chain-id \(7\); leave the flag out/],
    [{ accounts: 10 }, /made with another --accounts \(3\); leave the flag out/],
    [{ mnemonic: "another" }, /made without --mnemonic; leave the flag out/],
    [{ genesisTime: 1_767_672_000n }, /made without --genesis-time; leave the flag out/],
  ])("refuses a later start that asks for another network: %o", (options, message) => {
    const directory = scratchDirectory();
    openDevnetNetwork(directory, { now: NOW, upgrades: "etna", accounts: 3, cChainId: 7 });
    expect(messageOf(() => openDevnetNetwork(directory, { now: NOW, ...options }))).toMatch(message);
  });

  test("is not written where something else keeps its store, or where no folder can be", () => {
    const directory = scratchDirectory();
    mkdirSync(join(directory, "store"));
    expect(messageOf(() => openDevnetNetwork(directory, { now: NOW }))).toMatch(
      /holds a store that was not made by a devnet; use another --data-dir/,
    );
    const file = join(scratchDirectory(), "file");
    writeFileSync(file, "");
    expect(messageOf(() => openDevnetNetwork(file, { now: NOW }))).toMatch(/cannot be used as a folder: .*; use another --data-dir$/);
  });
});

describe("what people type", () => {
  test("periods and moments are read", () => {
    expect(["90", "90s", "10m", "1d12h", "1y"].map(parsePeriod)).toEqual([90n, 90n, 600n, 129_600n, 31_536_000n]);
    expect(["1764000000", "2026-12-01", "2026-12-01T01:00:00+01:00"].map(parseMoment)).toEqual([
      1_764_000_000n,
      1_796_083_200n,
      1_796_083_200n,
    ]);
    expect(messageOf(() => parsePeriod("1 day"))).toBe('"1 day" is not a period; use a period such as 90s, 10m, 1d12h or 1y');
    expect(messageOf(() => parseMoment("noon"))).toBe(
      '"noon" is not a time; use a time such as 2026-12-01T00:00:00Z, 2026-12-01 or Unix seconds',
    );
  });
});
