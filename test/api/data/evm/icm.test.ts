/** Routes of interchain messages, page by page, against what random actions did between two indexed chains and one that is not. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Position } from "../../../../src/api/data/context.ts";
import { getIcmSummary } from "../../../../src/api/data/evm/icm/get-icm-summary.ts";
import { getIcmTimeseries } from "../../../../src/api/data/evm/icm/get-icm-timeseries.ts";
import { getIcmMessage } from "../../../../src/api/data/evm/icm/get-message.ts";
import { getTeleporterMetrics } from "../../../../src/api/data/evm/icm/get-teleporter-metrics.ts";
import { listIcmMessages, listIcmMessagesByAddress } from "../../../../src/api/data/evm/icm/list-messages.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { formatEvmAddress } from "../../../../src/base/bytes/evm-address.ts";
import { INTERVALS } from "../../../../src/base/time/intervals.ts";
import type { Store } from "../../../../src/store/store.ts";
import { PEOPLE } from "../../../evm/decode/intents.ts";
import { CHAIN_IDS, type IcmAction, type IcmWorld, icmWorld, type KnownMessage, MESSENGER, worldOf } from "../../../evm/index/icm-world.ts";
import { startOfTime } from "../../../evm/index/metrics-oracle.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { network } from "../../../index/primary/utxos/utxo-world.ts";
import { ask, walk } from "../staking/request.ts";
import { evmChain } from "./evm-chain.ts";
import { withIndexedChains } from "./indexed-store.ts";

const CHAINS = CHAIN_IDS.slice(0, 2).map((blockchainId, i) => {
  const chain = evmChain({ chain: 3 + i, evmChainId: BigInt(100 + i) });
  return { ...chain, settings: { ...chain.settings, blockchainId } };
});
const ASKED = { network, clock: 0n, evmChains: CHAINS };
const IDS = CHAIN_IDS.map(formatId);

function withWorld({ chains }: IcmWorld, check: (store: Store) => Promise<void>) {
  return withIndexedChains(new Map(chains.map((blocks, i) => [CHAINS[i]!.chain, blocks])), check, { messengers: [MESSENGER] });
}

const timeOf = ({ sent, received }: KnownMessage) => (sent ?? received)!.timestamp;

/** Known messages, newest first. */
function listed({ messages }: IcmWorld): KnownMessage[] {
  const known = messages.filter(({ sent, received }) => sent !== undefined || received !== undefined);
  return known.sort((a, b) => Number(timeOf(b) - timeOf(a)) || (a.messageId > b.messageId ? -1 : 1));
}

function shownOf(message: KnownMessage, isList: boolean) {
  const { messageId, source, destination, nonce, from, to, fee, data, receipts, sent, received, isExecuted, hasReceipt } = message;
  const hasReward = sent !== undefined && fee > 0n;
  const messenger = formatEvmAddress(MESSENGER);
  const evmChainId = (chain: number) => (chain < 2 ? `${100 + chain}` : "");
  const transaction = (side: NonNullable<KnownMessage["sent"]>) => ({
    ...{ txHash: `0x${side.txHash}`, timestamp: Number(side.timestamp), gasSpent: "21000" },
  });
  return {
    ...{ messageId, icmContractAddress: messenger, teleporterContractAddress: messenger },
    ...{ sourceBlockchainId: IDS[source]!, destinationBlockchainId: IDS[destination]! },
    ...{ sourceEvmChainId: evmChainId(source), destinationEvmChainId: evmChainId(destination) },
    ...{ messageNonce: `${nonce}`, from: formatEvmAddress(from), to: formatEvmAddress(to) },
    ...(isList && data.length > 4096 ? {} : { data: `0x${data.toString("hex")}` }),
    messageExecuted: received !== undefined && isExecuted,
    receipts: receipts.map((receipt) => ({
      receivedMessageNonce: `${receipt.nonce}`,
      relayerRewardAddress: formatEvmAddress(receipt.relayer),
    })),
    receiptDelivered: hasReceipt,
    rewardDetails: {
      ...{ address: formatEvmAddress(hasReward ? "20".repeat(20) : "00".repeat(20)), name: "", symbol: "", decimals: 0 },
      ...{ ercType: "ERC-20", value: hasReward ? `${fee}` : "0" },
    },
    ...(sent && { sourceTransaction: transaction(sent) }),
    ...(received && {
      destinationTransaction: {
        ...transaction(received),
        ...{ rewardRedeemer: formatEvmAddress(received.redeemer), delivererAddress: formatEvmAddress(received.deliverer) },
      },
    }),
    status: received === undefined ? "pending" : sent === undefined ? "delivered_source_not_indexed" : "delivered",
    ...(source === 2 ? { notIndexed: "source" } : destination === 2 ? { notIndexed: "destination" } : {}),
  };
}

const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 1 });
const filters = fc.record({
  source: optional(fc.nat(2)),
  destination: optional(fc.nat(2)),
  either: optional(fc.nat(2)),
  from: optional(fc.constantFrom(...PEOPLE)),
  to: optional(fc.constantFrom(...PEOPLE)),
  pageSize: fc.constantFrom(1, 2, 3, 10, 100),
  isByNumber: fc.boolean(),
});

test("lists have every known message once, with both sides, whatever they are asked for", async () => {
  await fc.assert(
    fc.asyncProperty(icmWorld, fc.array(filters, { minLength: 6, maxLength: 6 }), async (world, asked) => {
      await withWorld(world, async (store) => {
        for (const { source, destination, either, from, to, pageSize, isByNumber } of asked) {
          const chainText = (chain: number) => (isByNumber && chain < 2 ? `${100 + chain}` : IDS[chain]!);
          const query = {
            pageSize: `${pageSize}`,
            ...(source !== undefined && { sourceBlockchainId: chainText(source) }),
            ...(destination !== undefined && { destinationBlockchainId: chainText(destination) }),
            ...(either !== undefined && { blockchainId: chainText(either) }),
            ...(from !== undefined && { from: `0x${from}` }),
            ...(to !== undefined && { to: `0x${to}` }),
          };
          const expected = listed(world).filter(
            (message) =>
              (source === undefined || message.source === source) &&
              (destination === undefined || message.destination === destination) &&
              (either === undefined || message.source === either || message.destination === either) &&
              (from === undefined || message.from === from) &&
              (to === undefined || message.to === to),
          );
          expect(await walk(listIcmMessages, store, ASKED, query, "messages")).toEqual(expected.map((message) => shownOf(message, true)));
        }
        for (const party of PEOPLE) {
          const expected = listed(world).filter(({ from, to }) => from === party || to === party);
          const found = await walk(listIcmMessagesByAddress, store, ASKED, { pageSize: "3" }, "messages", { address: `0x${party}` });
          expect(found).toEqual(expected.map((message) => shownOf(message, true)));
        }
      });
    }),
    { numRuns: 30 },
  );
});

test("a message is found by its ID, on any of its sides", async () => {
  await fc.assert(
    fc.asyncProperty(icmWorld, async (world) => {
      await withWorld(world, async (store) => {
        for (const [i, message] of world.messages.entries()) {
          const asking = ask(getIcmMessage, store, ASKED, {}, { params: { messageId: `${i % 2 === 0 ? "0x" : ""}${message.messageId}` } });
          if (message.sent === undefined && message.received === undefined) await expect(asking).rejects.toMatchObject({ status: 404 });
          else expect((await asking).body).toEqual(shownOf(message, false));
        }
      });
    }),
    { numRuns: 20 },
  );
});

const WINDOWS = { lastHour: 1, lastDay: 24, lastWeek: 168, lastMonth: 720, last90Days: 2160, lastYear: 8760 };
const GROUPS = ["srcBlockchainId", "destBlockchainId", "srcBlockchainId,destBlockchainId"];

test("numbers of messages equal those of the actions, by interval and window, of any chains and groups", async () => {
  const pairs = fc.record({ source: optional(fc.nat(2)), destination: optional(fc.nat(2)), groupBy: optional(fc.constantFrom(...GROUPS)) });
  await fc.assert(
    fc.asyncProperty(icmWorld, pairs, fc.nat(3), fc.constantFrom(1, 2, 7, 2160), async (world, pair, interval, size) => {
      const { source, destination, groupBy } = pair;
      // each of the hours of years has an item
      const pageSize = groupBy === undefined && interval < 2 ? 2160 : size;
      const known = listed(world).filter(
        (message) =>
          (source === undefined || message.source === source) && (destination === undefined || message.destination === destination),
      );
      const groupOf = (message: KnownMessage) => ({
        srcBlockchainId: groupBy?.includes("src") ? IDS[message.source]! : source === undefined ? "" : IDS[source]!,
        destBlockchainId: groupBy?.includes("dest") ? IDS[message.destination]! : destination === undefined ? "" : IDS[destination]!,
      });
      const newest = Math.max(...world.chains.map((blocks) => Number(blocks.at(-1)!.timestamp)));
      await withWorld(world, async (store) => {
        const query = {
          ...(source !== undefined && { srcBlockchainId: IDS[source]! }),
          ...(destination !== undefined && { destBlockchainId: IDS[destination]! }),
          ...(groupBy !== undefined && { groupBy }),
        };
        const found = (await walk(
          getIcmTimeseries,
          store,
          ASKED,
          { ...query, timeInterval: INTERVALS[interval]!, pageSize: `${pageSize}` },
          "results",
        )) as {
          value: bigint;
          timestamp: number;
        }[];
        const counts = new Map<string, number>();
        for (const message of known) {
          const name = JSON.stringify({ timestamp: startOfTime(interval, Number(timeOf(message))), ...groupOf(message) });
          counts.set(name, (counts.get(name) ?? 0) + 1);
        }
        const shown = found.map(({ value, ...rest }) => [JSON.stringify(rest), Number(value)] as const);
        expect(new Map(shown.filter(([, value]) => value > 0))).toEqual(counts);
        expect(new Set(shown.map(([name]) => name)).size).toBe(shown.length);
        expect(found.map(({ timestamp }) => timestamp)).toEqual(found.map(({ timestamp }) => timestamp).sort((a, b) => b - a));

        const { body } = await ask(getIcmSummary, store, ASKED, query);
        const valuesOf = (messages: readonly KnownMessage[]) => ({
          ...Object.fromEntries(
            Object.entries(WINDOWS).map(([name, hours]) => {
              const first = startOfTime(0, newest) - (hours - 1) * 3600;
              return [name, messages.filter((message) => Number(timeOf(message)) >= first).length];
            }),
          ),
          allTime: messages.length,
        });
        expect(body.result).toEqual({
          ...valuesOf(known),
          ...named(source, destination),
        });
        const groups = new Map<string, KnownMessage[]>();
        for (const message of known) {
          const name = JSON.stringify(groupOf(message));
          groups.set(name, [...(groups.get(name) ?? []), message]);
        }
        const results = [...groups].map(([name, messages]) => ({ ...valuesOf(messages), ...(JSON.parse(name) as object) }));
        if (groupBy !== undefined) expect(new Set(body.results as object[])).toEqual(new Set(results));
      });
    }),
    { numRuns: 40 },
  );
});

function named(source: number | undefined, destination: number | undefined) {
  return {
    srcBlockchainId: source === undefined ? "" : IDS[source]!,
    destBlockchainId: destination === undefined ? "" : IDS[destination]!,
  };
}

test("transactions that sent or received messages are counted once", async () => {
  await fc.assert(
    fc.asyncProperty(icmWorld, async (world) => {
      const hashesOf = (side: "sent" | "received") => new Set(world.messages.flatMap((message) => message[side]?.txHash ?? [])).size;
      await withWorld(world, async (store) => {
        for (const [metric, expected] of [
          ["teleporterSourceTxnCount", hashesOf("sent")],
          ["teleporterDestinationTxnCount", hashesOf("received")],
          ["teleporterTotalTxnCount", hashesOf("sent") + hashesOf("received")],
        ] as const) {
          const { body } = await ask(getTeleporterMetrics, store, ASKED, {}, { params: { chainId: "total", metric } });
          expect(body).toEqual({ result: { value: expected } });
        }
      });
    }),
    { numRuns: 30 },
  );
});

const step = {
  chain: 0,
  other: 1,
  from: PEOPLE[0]!,
  to: PEOPLE[1]!,
  isSuccess: true,
  length: 0 as const,
  fee: 0n,
  receipts: 0,
  isSameTransaction: false,
};
const many = (kind: "send" | "deliver", count: number): IcmAction[] =>
  Array.from({ length: count }, (_, i) => ({ ...step, kind, pick: 0, step: i === 0 ? 3600 : 0 }));

test("a page reads as many rows, however long the lists are", async () => {
  const rowsOf = async (count: number) => {
    const counting = { rows: 0 };
    await withWorld(worldOf([...many("send", count), ...many("deliver", 1)]), async (store) => {
      const reader = new CountingReader(store);
      const { body } = await ask(listIcmMessages, reader, ASKED, { pageSize: "2" });
      expect(body.messages).toHaveLength(2);
      counting.rows = reader.rows;
    });
    return counting.rows;
  };
  expect(await rowsOf(300)).toBe(await rowsOf(30));
});

test("a page that would pass over a thousand messages ends early, and the next one goes on", async () => {
  const world = worldOf([...many("send", 1200), ...many("deliver", 1200)]);
  await withWorld(world, async (store) => {
    const found: unknown[] = [];
    let after: Position | undefined;
    let pages = 0;
    do {
      const counting = new CountingReader(store);
      const { body, next } = await ask(listIcmMessages, counting, ASKED, { pageSize: "100" }, { after });
      found.push(...(body.messages as object[]));
      expect(counting.rows).toBeLessThan(8000);
      after = next;
      pages++;
    } while (after !== undefined);
    expect(found).toEqual(listed(world).map((message) => shownOf(message, true)));
    expect(pages).toBeGreaterThan(12);
  });
});

test.each([
  [{ from: "0x12" }, "from must be 0x and 40 hex digits"],
  [{ sourceBlockchainId: "C" }, "sourceBlockchainId must be an ID"],
])("a parameter that is none is refused", async (query, message) => {
  const [world] = fc.sample(icmWorld, { numRuns: 1, seed: 1 });
  await withWorld(world!, async (store) => {
    await expect(ask(listIcmMessages, store, ASKED, query)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    });
    expect((await ask(listIcmMessages, store, ASKED, { sourceBlockchainId: "999" })).body).toEqual({ messages: [] });
  });
});
