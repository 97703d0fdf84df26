import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatId } from "../../src/base/bytes/cb58.ts";
import { parseDuration, parseTime } from "../../src/network/go-time.ts";
import { isActive, type Network, UPGRADE_NAMES, type Upgrades } from "../../src/network/network.ts";
import { formatNetworkFile, parseNetworkFile, parseUpgradesFile } from "../../src/network/network-file.ts";
import { fuji, localNetwork, mainnet, UNSCHEDULED, withSchedule } from "../../src/network/presets.ts";
import { messageOf } from "../base/codec/error-text.ts";
import { readJson } from "../conformance/json-lines.ts";
import { RECORDINGS, recordingFolder } from "../conformance/recordings.ts";

type Json = { [name: string]: Json } & { toString(): string };
const file = () => readJson<Json>(recordingFolder("latest-1"), "network.json");

describe("network.json", () => {
  test.each(RECORDINGS)("the one of %s is read, with the upgrades of its own file", (name) => {
    const network = parseNetworkFile(readJson(recordingFolder(name), "network.json"));
    expect(network.upgrades).toEqual(parseUpgradesFile(readJson(recordingFolder(name), "upgrades.json")));
    const isLocal = network.networkId === 12345;
    expect(network.name).toBe(isLocal ? "local" : `network-${network.networkId}`);
    expect(network.hrp).toBe(isLocal ? "local" : "custom");
  });

  test("amounts, durations and shares are taken as they are written", () => {
    const { staking, dynamicFees, validatorFees, upgrades, txFee } = parseNetworkFile(file());
    expect(staking).toMatchObject({
      minValidatorStake: 2_000_000_000_000n,
      minStakeDuration: 15n,
      maxStakeDuration: 3600n,
      uptimeRequirement: 0,
    });
    expect(dynamicFees).toMatchObject({ dbReadWeight: 1000n, maxGasCapacity: 400_000n });
    expect(validatorFees).toEqual({ capacity: 20n, target: 3n, minPrice: 512n, excessConversionConstant: 300n });
    expect(upgrades.graniteEpochDuration).toBe(2_000_000_000n);
    expect(txFee).toBe(1_000_000n);
  });

  test("scale-1 runs with the defaults of the local network but for its shortest stake", () => {
    const recorded = parseNetworkFile(readJson(recordingFolder("scale-1"), "network.json"));
    const defaults = localNetwork(recorded.networkId);
    expect(recorded).toEqual({ ...defaults, upgrades: recorded.upgrades, staking: { ...defaults.staking, minStakeDuration: 60n } });
  });

  function members(json: Json, path: string[] = []): string[][] {
    return Object.entries(json).flatMap(([name, value]) =>
      typeof value === "object" && value !== null ? members(value, [...path, name]) : [[...path, name]],
    );
  }
  const needed = members({
    upgrades: file().upgrades!,
    parameters: file().parameters!,
    networkID: file().networkID!,
    hrp: file().hrp!,
  } as Json);

  test.each(["", "AVAX", "\u001b[31m", "a b", "ä", "a".repeat(84)])("its hrp is no text that no address begins with, such as %j", (hrp) => {
    const use = "use 1 to 83 printable characters of ASCII, none of them upper case, such as avax";
    expect(messageOf(() => parseNetworkFile({ ...file(), hrp }))).toBe(`network.json: hrp is ${JSON.stringify(hrp).slice(0, 80)}; ${use}`);
  });

  test.each(needed.map((path) => path.join(".")))("without %s it is refused by name", (path) => {
    const json = file();
    const steps = path.split(".");
    const last = steps.pop()!;
    delete steps.reduce((value, step) => value[step]!, json)[last];
    expect(messageOf(() => parseNetworkFile(json))).toBe(`network.json: ${path} is missing`);
  });

  test.each([
    ["parameters.minStakeDuration", "15", 'is "15" (not a duration); use a duration in whole seconds such as 1h0m0s'],
    ["parameters.minStakeDuration", "1500ms", 'is "1500ms" (not whole seconds); use a duration in whole seconds such as 1h0m0s'],
    ["parameters.uptimeRequirement", "1.5", 'is "1.5"; use a share from 0 to 1 in quotes, such as 0.8'],
    ["parameters.minDelegationFee", "1000001", 'is "1000001"; use an integer from 0 to 1000000 in quotes'],
    ["parameters.txFee", 5, "is 5; use a text"],
    ["upgrades.etnaTime", "tomorrow", 'is "tomorrow" (not a time); use a time such as 2020-12-05T05:00:00Z'],
    ["upgrades.cortinaXChainStopVertexID", "11", 'is "11" (input string is smaller than the checksum size); use a vertex ID in cb58'],
  ])("%s of %j is refused", (path, value, message) => {
    const json = file();
    const [parent, member] = path.split(".") as [string, string];
    (json[parent] as Record<string, unknown>)[member] = value;
    expect(messageOf(() => parseNetworkFile(json))).toBe(`network.json: ${path} ${message}`);
  });
});

describe("a network written to a file", () => {
  const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  const share = fc.integer({ min: 0, max: 1_000_000 });
  const like = <T extends object>(values: T, special: { [N in keyof T]?: fc.Arbitrary<T[N]> }) =>
    fc.record(Object.fromEntries(Object.keys(values).map((name) => [name, special[name as keyof T] ?? u64]))) as fc.Arbitrary<T>;
  const { staking, dynamicFees, validatorFees } = localNetwork();
  const times = fc.array(fc.bigInt({ min: 0n, max: 253_402_300_799n }), {
    minLength: UPGRADE_NAMES.length,
    maxLength: UPGRADE_NAMES.length,
  });
  const small = fc.bigInt({ min: 0n, max: BigInt(Number.MAX_SAFE_INTEGER) });
  const networks = fc.record({
    networkId: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    upgrades: fc.record<Upgrades>({
      times: times.map((list) => Object.fromEntries(UPGRADE_NAMES.map((name, index) => [name, list[index]])) as Upgrades["times"]),
      apricotPhase4MinPChainHeight: small,
      cortinaXChainStopVertexId: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString("hex")),
      graniteEpochDuration: small,
    }),
    staking: like(staking, {
      minDelegationFee: share,
      uptimeRequirement: share,
      maxValidatorWeightFactor: fc.constant(staking.maxValidatorWeightFactor),
    }),
    dynamicFees: like(dynamicFees, {}),
    validatorFees: like(validatorFees, {}),
    txFee: u64,
    createAssetTxFee: u64,
  });

  test("is read back as it was", () => {
    const holds = fc.property(networks, (parts) => {
      const network: Network = { ...localNetwork(parts.networkId), ...parts };
      expect(parseNetworkFile(JSON.parse(formatNetworkFile(network)))).toEqual(network);
    });
    fc.assert(holds);
  });

  test.each(RECORDINGS)("is the one of %s but for what execution does not need", (name) => {
    const network = parseNetworkFile(readJson(recordingFolder(name), "network.json"));
    expect(parseNetworkFile(JSON.parse(formatNetworkFile(network)))).toEqual(network);
  });
});

describe("presets", () => {
  test.each([
    [mainnet, 1, "mainnet", "avax", "2026-09-22T15:00:00Z"],
    [fuji, 5, "fuji", "fuji", "2026-07-28T15:00:00Z"],
    [localNetwork(), 12345, "local", "local", "2020-12-05T05:00:00Z"],
    [localNetwork(77), 77, "network-77", "custom", "2020-12-05T05:00:00Z"],
  ])("%# has its number and name, and Helicon at its time", (network: Network, networkId, name, hrp, helicon) => {
    expect(network).toMatchObject({ networkId, name, hrp });
    const at = parseTime(helicon);
    expect([isActive(network, "helicon", at - 1n), isActive(network, "helicon", at)]).toEqual([false, true]);
  });

  test.each([mainnet, fuji])("a store of %# from before Helicon was scheduled has its time; what was scheduled stays", (preset) => {
    const withTimes = (times: Partial<Network["upgrades"]["times"]>): Network => ({
      ...preset,
      upgrades: { ...preset.upgrades, times: { ...preset.upgrades.times, ...times } },
    });
    expect(withSchedule(withTimes({ helicon: UNSCHEDULED }))).toEqual(preset);
    const other = withTimes({ granite: 7n, helicon: 8n });
    expect(withSchedule(other)).toBe(other);
    const own = { ...withTimes({ helicon: UNSCHEDULED }), networkId: 12345 };
    expect(withSchedule(own)).toBe(own);
  });

  test("upgrades follow one another in their order", () => {
    for (const { upgrades } of [mainnet, fuji, localNetwork()]) {
      const times = Object.values(upgrades.times);
      expect(times).toEqual(times.toSorted((a, b) => Number(a - b)));
    }
  });

  test("the X-chains of the public networks became linear at known vertices", () => {
    expect(formatId(mainnet.upgrades.cortinaXChainStopVertexId)).toBe("jrGWDh5Po9FMj54depyunNixpia5PN4aAYxfmNzU8n752Rjga");
    expect(formatId(fuji.upgrades.cortinaXChainStopVertexId)).toBe("2D1cmbiG36BqQMRyHt4kFhWarmatA1ighSpND3FeFgz3vFVtCZ");
  });
});

describe("Go durations", () => {
  test.each([
    ["1h0m0s", 3_600_000_000_000n],
    ["8760h", 31_536_000_000_000_000n],
    ["1.5s", 1_500_000_000n],
    ["2m3.000000004s", 123_000_000_004n],
    ["15µs", 15_000n],
  ])("%s is %i ns", (text, nanoseconds) => expect(parseDuration(text)).toBe(nanoseconds));

  test.each(["", "1", "s", "1d", "1h ", "-1s", "1s2"])("%j is none", (text) => {
    expect(() => parseDuration(text)).toThrow("not a duration");
  });
});
