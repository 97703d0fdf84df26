/** Moving the clock: every change on the way is in a block of its own time, and uptimes decide about rewards. */
import { describe, expect, test } from "vitest";
import { sha256 } from "../../src/base/bytes/hash.ts";
import { PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../../src/base/bytes/id.ts";
import { parseBlock } from "../../src/chains/platform/block.ts";
import { buildGenesis } from "../../src/chains/platform/genesis/genesis-config.ts";
import { platformStakers } from "../../src/chains/platform/tables.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { systemWallClock } from "../../src/devnet/devnet-clock.ts";
import { payOnPlatform } from "../../src/devnet/faucet/platform-payment.ts";
import { blocks } from "../../src/index/tables.ts";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import type { GenesisConfig } from "../../src/network/genesis-file.ts";
import { localGenesis } from "../../src/network/local-genesis.ts";
import type { Network } from "../../src/network/network.ts";
import { formatNetworkFile } from "../../src/network/network-file.ts";
import { localNetwork } from "../../src/network/presets.ts";
import { scanAll } from "../../src/store/store.ts";
import { eventuallyHolds } from "../patience.ts";
import { AVAX, DAY, heightOf, NOW, startNetwork, stranger } from "./engine-network.ts";

const YEAR = 365n * DAY;
const COUNT = 100;

/** A network of that many validators that end one after the other, each minute one, the last after a year. */
function networkOf(count: number) {
  const genesis = localGenesis({ startTime: NOW });
  const { rewardAddress, delegationFee } = genesis.initialStakers[0]!;
  const initialStakers = Array.from({ length: count }, (_, index) => ({ rewardAddress, delegationFee, nodeId: nodeId(index) }));
  const network = localNetwork();
  const config = { ...genesis, initialStakers, initialStakeDurationOffset: 60n };
  return instanceOf(network, config);
}

function instanceOf(network: Network, genesis: GenesisConfig) {
  return { network: networkInstance(network, buildGenesis(genesis)), networkFile: Buffer.from(formatNetworkFile(network)) };
}

/** In the order in which they leave. */
async function genesisValidators({ store }: Devnet): Promise<string[]> {
  const rows = await store.scan(platformStakers, { limit: 10 });
  return rows.sort((a, b) => Number(a.value.endTime - b.value.endTime)).map(({ value }) => value.nodeId);
}

function nodeId(index: number): string {
  return sha256(Buffer.from(`node ${index}`)).toString("hex", 0, 20);
}

/** Of each decision on P, in order: what it was and its time. */
async function decisions({ store }: Devnet) {
  const found: { kind: string; time: bigint | undefined }[] = [];
  for await (const { value } of scanAll(store, blocks, { chainId: PLATFORM_CHAIN_ID })) {
    const block = parseBlock(value.bytes);
    if (block.kind === "BanffCommitBlock" || block.kind === "BanffAbortBlock") found.push({ kind: block.kind, time: block.time });
  }
  return found;
}

describe("a year", () => {
  test("sees every validator off by a decision at the time of its end", async () => {
    const { devnet } = await startNetwork({}, networkOf(COUNT));
    await devnet.advanceTime(YEAR);
    expect(await heightOf(devnet, "P")).toBe(2n * BigInt(COUNT));
    expect(devnet.clock.seconds()).toBe(NOW + YEAR);
    const times = (await decisions(devnet)).map(({ time }) => time);
    expect(times).toEqual(Array.from({ length: COUNT }, (_, index) => NOW + YEAR - 60n * BigInt(COUNT - 1 - index)));
  });

  test("can be walked through in steps, with the same blocks", async () => {
    const [{ devnet }, { devnet: inSteps }] = [await startNetwork({}, networkOf(5)), await startNetwork({}, networkOf(5))];
    await devnet.setTime(NOW + YEAR);
    for (const to of [NOW + DAY, NOW + YEAR - 130n, NOW + YEAR - 120n, NOW + YEAR]) await inSteps.setTime(to);
    expect(await decisions(inSteps)).toEqual(await decisions(devnet));
  });

  test("does not go by backwards", async () => {
    const { devnet } = await startNetwork();
    await expect(devnet.setTime(NOW - 1n)).rejects.toThrow(`does not go back to ${NOW - 1n}`);
  });

  test("is followed by blocks without anybody's doing once the clock runs into a change", async () => {
    const { devnet } = await startNetwork({}, { ...networkOf(2), wallClock: systemWallClock, startTime: NOW + YEAR - 61n });
    await eventuallyHolds(async () => expect(await heightOf(devnet, "P")).toBe(2n));
  });

  test("is broken off by a stop, and what came of it stays", async () => {
    const custom = networkOf(COUNT);
    const { devnet, directory, wallClock } = await startNetwork({}, custom);
    const walking = devnet.advanceTime(YEAR);
    const outcome = expect(walking).rejects.toThrow("the network was stopped");
    await devnet.stop();
    await outcome;
    const { devnet: again } = await startNetwork({ directory, wallClock }, custom);
    expect(again.clock.seconds()).toBeLessThan(NOW + YEAR);
    await again.setTime(NOW + YEAR);
    expect(await heightOf(again, "P")).toBe(2n * BigInt(COUNT));
  });

  test("that a network was off is made up for when it starts again", async () => {
    const custom = networkOf(3);
    const { devnet, directory, wallClock } = await startNetwork({}, custom);
    await devnet.stop();
    wallClock.now += YEAR * 1_000_000_000n;
    const { devnet: again } = await startNetwork({ directory, wallClock }, custom);
    await again.mine();
    expect((await decisions(again)).map(({ time }) => time)).toEqual([NOW + YEAR - 120n, NOW + YEAR - 60n, NOW + YEAR]);
    expect(again.clock.seconds()).toBe(NOW + YEAR);
  });
});

describe("uptimes", () => {
  test.each([
    { upgrades: "helicon", requirement: 900_000 },
    { upgrades: "granite", requirement: 800_000 },
  ])("below what $upgrades requires cost the reward, and no other validator's", async ({ upgrades, requirement }) => {
    const { devnet } = await startNetwork({ upgrades });
    const validators = await genesisValidators(devnet);
    await devnet.setUptime(validators[0]!, requirement - 1);
    await devnet.setUptime(validators[1]!, requirement);
    expect(devnet.uptime(PRIMARY_NETWORK_ID, validators[0]!)).toBe(requirement - 1);
    await devnet.advanceTime(YEAR);
    expect((await decisions(devnet)).map(({ kind }) => kind)).toEqual(["BanffAbortBlock", ...new Array(4).fill("BanffCommitBlock")]);
  });

  test("are a share", async () => {
    const { devnet } = await startNetwork();
    await expect(devnet.setUptime(nodeId(0), 1_000_001)).rejects.toThrow("the uptime is 1000001 millionths; use 0 to 1000000");
  });
});

describe("gas on the P-chain", () => {
  test("that a transaction has to wait for comes with time", async () => {
    const network = { ...localNetwork(), dynamicFees: { ...localNetwork().dynamicFees, maxGasCapacity: 9_000n, maxGasPerSecond: 1_000n } };
    const { devnet } = await startNetwork({}, instanceOf(network, localGenesis({ startTime: NOW })));
    const people = [stranger("carol", "P"), stranger("dan", "P")];
    for (const { text } of people) {
      await devnet.advanceTime(DAY);
      await devnet.fund(text, AVAX);
    }
    const { store } = devnet;
    const payments = people.map(({ privateKey, address }) =>
      payOnPlatform(
        { store, network: devnet.network, key: privateKey, owner: address, clock: NOW },
        { to: address, amount: AVAX / 2n, gasPrice: 1n },
      ),
    );
    await devnet.advanceTime(DAY);
    const ids = await Promise.all((await Promise.all(payments)).map(({ bytes }) => devnet.issue(PLATFORM_CHAIN_ID, bytes)));
    const waiting = () => ids.filter((txId) => devnet.status(PLATFORM_CHAIN_ID, txId)?.kind === "processing");
    expect(waiting()).toHaveLength(1);
    await devnet.advanceTime(10n);
    expect(waiting()).toHaveLength(0);
    expect(await heightOf(devnet, "P")).toBe(4n);
  });
});
