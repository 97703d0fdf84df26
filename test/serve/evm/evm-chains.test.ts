import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ProgressObserver } from "../../../src/api/state/chain-progress.ts";
import { CommittedStates } from "../../../src/api/state/committed-states.ts";
import { FreshnessReader } from "../../../src/api/state/freshness.ts";
import { KeptAnswers } from "../../../src/api/state/kept-answers.ts";
import type { Change } from "../../../src/base/table/table.ts";
import { entryOf } from "../../../src/evm/chain-entry.ts";
import { evmChainSettings, evmChainStates, evmChains, evmUpstreams } from "../../../src/evm/index/tables.ts";
import { evmTokenRevisions } from "../../../src/evm/index/token-tables.ts";
import { completeSettings } from "../../../src/evm/ingest/complete-settings.ts";
import { formatSettings } from "../../../src/evm/settings-json.ts";
import { EvmChainsOfStore, type LiveEvmChain } from "../../../src/serve/evm/evm-chains.ts";
import { modelRpc } from "../../api/data/evm/evm-chain.ts";
import { change, openSmallStore, type SmallStore, smallNetwork } from "../small-store.ts";

const NOW = 1_800_000_000n;
const log = pino({ level: "silent" });
let small: SmallStore;
let states: CommittedStates;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Number(NOW) * 1000 });
  small = await openSmallStore();
  states = new CommittedStates(small.store, smallNetwork, { kept: new KeptAnswers(1000) });
});
afterEach(() => {
  vi.useRealTimers();
  return small.remove();
});

/** State of chain 1337, number 5. */
function stateAt(height: bigint, commits: bigint): Change[] {
  const value = { height, hash: "ab".repeat(32), timestamp: NOW - 100n, transactions: 0n, commits, hasTraces: true };
  return [change(evmChains, { chain: 5 }, { evmChainId: 1337n, startHeight: 0n }), change(evmChainStates, { chain: 5 }, value)];
}

function upstream(values: { headHeight: bigint; seenAt?: bigint; problem?: string }): Change {
  return change(evmUpstreams, { chain: 5 }, { headTimestamp: NOW - 10n, seenAt: NOW, problem: "", ...values });
}

function settingsNamed(name: string): Change {
  const facts = { evmChainId: 1337n, isAvalanche: true };
  const settings = completeSettings({ ...entryOf(["http://127.0.0.1:1"]), name }, facts);
  return change(evmChainSettings, { chain: 5 }, { settings: formatSettings(settings) });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("A committed state", () => {
  test("has EVM chains beside those of the primary network, in its headers under their EVM chain IDs", async () => {
    await small.store.commit(stateAt(7n, 8n));
    const { heights, evmChains: found } = await states.use((state) => state);
    expect(heights).toEqual(["Firn-Height-P", "10", "Firn-Height-X", "20", "Firn-Height-C", "30", "Firn-Height-1337", "7"]);
    expect(found).toMatchObject([{ chain: 5, evmChainId: 1337n, height: 7n, hasTraces: true }]);
  });

  test("is another one after each commit of an EVM chain and of a token service, and the same otherwise", async () => {
    const cacheNow = async () => {
      const cache = await states.use((state) => state.cache);
      await turn();
      return cache;
    };
    await small.store.commit(stateAt(7n, 8n));
    const first = await cacheNow();
    await small.store.commit([upstream({ headHeight: 9n })]);
    expect(await cacheNow()).toBe(first);
    await small.store.commit(stateAt(7n, 10n));
    const second = await cacheNow();
    expect(second).not.toBe(first);
    await small.store.commit([change(evmTokenRevisions, { chain: 5 }, { revision: 1n })]);
    expect(await cacheNow()).not.toBe(second);
  });
});

describe("An EVM chain's freshness", () => {
  const secondsBehind = async () => {
    const freshness = await states.use((state) => new FreshnessReader().of(state));
    return freshness.secondsBehind.get("1337");
  };
  const progress = async () => {
    const all = await new ProgressObserver(states, smallNetwork, { now: () => NOW * 1_000_000_000n }).observe();
    return all.find(({ name }) => name === "1337");
  };

  test.each([
    ["its nodes have no newer block", { headHeight: 7n }, 0, undefined],
    ["they have newer ones", { headHeight: 9n }, 90, undefined],
    ["they have not been heard of for long", { headHeight: 7n, seenAt: NOW - 31n }, 31, "no node of the chain has answered for 31s"],
    ["they have not been heard of for a moment", { headHeight: 7n, seenAt: NOW - 30n }, 0, undefined],
    ["something is wrong with them", { headHeight: 9n, problem: "no node answers" }, 90, "no node answers"],
  ])("tells the truth where %s", async (_, values, seconds, problem) => {
    await small.store.commit([...stateAt(7n, 8n), upstream(values)]);
    expect(await secondsBehind()).toBe(seconds);
    expect(await progress()).toMatchObject({ height: 7n, secondsBehind: seconds, problem, lastBlockAgeSeconds: 100 });
  });

  test("is perfect where blocks are made here, which needs no check of its own", async () => {
    await small.store.commit(stateAt(7n, 8n));
    expect(await secondsBehind()).toBe(0);
    expect(await progress()).toBeUndefined();
  });
});

describe("The EVM chains that a process serves", () => {
  test("are those of the store, also without a block, and the same objects until their settings change", async () => {
    const directory = new EvmChainsOfStore({ find: () => undefined }, log);
    const now = async () => {
      const chains = await states.use((state) => directory.of(state));
      await turn();
      return chains;
    };
    expect(await now()).toEqual([]);
    await small.store.commit([stateAt(7n, 8n)[0]!, settingsNamed("Ours")]);
    const first = await states.use(({ reader }) => directory.of({ reader, heights: [] } as never));
    expect(first.map(({ evmChainId, settings }) => [evmChainId, settings.name])).toEqual([[1337n, "Ours"]]);
    await small.store.commit(stateAt(7n, 8n));
    await turn();
    const second = await now();
    expect(second).toBe(first);
    await small.store.commit([...stateAt(8n, 9n), settingsNamed("Renamed")]);
    const [renamed] = await now();
    expect(renamed!.settings.name).toBe("Renamed");
  });

  test("have the connections that the process has at the moment", async () => {
    await small.store.commit([...stateAt(7n, 8n), settingsNamed("Ours")]);
    let live: LiveEvmChain | undefined;
    const directory = new EvmChainsOfStore({ find: (id) => (id === 1337n ? live : undefined) }, log);
    const [chain] = await states.use((state) => directory.of(state));
    expect(chain!.rpc).toBeUndefined();
    expect(chain!.reindexNft).toBeUndefined();
    live = { rpc: modelRpc(() => "0x1"), reindexNft: async () => true };
    expect(chain!.rpc).toBe(live.rpc);
    expect(await chain!.reindexNft!("00", 1n)).toBe(true);
  });
});
