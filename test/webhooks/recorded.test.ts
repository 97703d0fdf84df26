/** Events of P and X in recordings, against plain loops over the transactions that the Data API lists. */
import pino from "pino";
import { expect, test } from "vitest";
import { defaultDataSettings } from "../../src/api/data/context.ts";
import { ADDRESS_EVENTS, VALIDATOR_EVENTS, type WebhookSettings } from "../../src/api/data/webhooks/webhook-desk.ts";
import { decodeBech32 } from "../../src/base/bytes/bech32.ts";
import type { Change } from "../../src/base/table/table.ts";
import { storeNetwork } from "../../src/ingest/store-network.ts";
import type { Store } from "../../src/store/store.ts";
import { NEW_QUEUE, PRIMARY_KIND } from "../../src/webhooks/registry.ts";
import { openWebhooks } from "../../src/webhooks/webhook-service.ts";
import { webhookAddresses, webhookWatchers } from "../../src/webhooks/webhook-tables.ts";
import { checkpointsOf, importUntil } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { openToRead, openToWrite } from "../conformance/stores.ts";
import { serveStoreHere } from "../serve/serve-here.ts";
import { draw, drawn } from "../share.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { messagesOf } from "./messages.ts";

interface Utxo {
  readonly addresses: readonly string[];
  readonly rewardType?: string;
}

interface Transaction {
  readonly txHash: string;
  readonly txType: string;
  readonly blockNumber: string;
  readonly blockHeight: number;
  readonly blockTimestamp: number;
  readonly timestamp: number;
  readonly consumedUtxos: readonly Utxo[];
  readonly emittedUtxos: readonly Utxo[];
  readonly nodeId?: string;
  readonly subnetId?: string;
  readonly stakingTxHash?: string;
  readonly l1ValidatorDetails?: readonly { readonly nodeId: string; readonly subnetId: string; readonly weight: number }[];
}

async function askPlainly(url: URL | string): Promise<unknown> {
  return (await fetch(url)).json();
}

async function everyTransaction(base: string): Promise<Transaction[]> {
  const all: Transaction[] = [];
  const url = new URL(`${base}/transactions?pageSize=100&sortOrder=asc`);
  for (;;) {
    const page = (await askPlainly(url)) as { transactions: Transaction[]; nextPageToken?: string };
    all.push(...page.transactions);
    if (page.nextPageToken === undefined) return all;
    url.searchParams.set("pageToken", page.nextPageToken);
  }
}

const COMMON = { url: "http://127.0.0.1:1/", name: "", description: "", eventSignatures: [] };
const hex = (address: string) => decodeBech32(address).bytes.toString("hex");

/** Made before the first block. @param first number of the first one */
async function withWebhooks(store: Store, first: number, all: readonly (readonly [WebhookSettings, readonly string[]])[]) {
  const { network } = await storeNetwork(store, "");
  const service = await openWebhooks({
    ...{ store, network, log: pino({ level: "silent" }), now: () => 0 },
    evmChains: { of: async () => [] },
    settings: defaultDataSettings,
  });
  const watchers = new Map<string, number[]>();
  for (const [i, [settings, addresses]] of all.entries()) {
    const number = first + i;
    const row = {
      ...{ uuid: `${number}`.padStart(32, "0"), owner: "00000000", settings: Buffer.from(JSON.stringify(settings)), isActive: true },
      ...{ problem: "", createdAt: 0n, since: 0n, addresses: addresses.length },
    };
    for (const address of addresses) {
      const name = `${settings.scope.chain} ${address}`;
      watchers.set(name, [...(watchers.get(name) ?? []), number]);
    }
    const listed = addresses.map((address) => ({ table: webhookAddresses, key: { webhook: number, address }, value: {} }) as Change);
    await service.registry.commit(listed, [{ number, row, settings, queue: NEW_QUEUE }]);
  }
  const rows = [...watchers].map(([name, webhooks]) => {
    const [chain, address] = name.split(" ");
    return {
      table: webhookWatchers,
      key: { kind: PRIMARY_KIND, chain: BigInt(chain!), address },
      value: { webhooks },
    } as unknown as Change;
  });
  await store.commit(rows);
  return service;
}

const isReward = ({ txType }: Transaction) => txType.startsWith("Reward");

/** The events of an address's webhook, as `type txHash`. */
function addressEvents(transactions: readonly Transaction[], watched: readonly string[]): string[] {
  return transactions.flatMap((transaction) => {
    const { consumedUtxos, emittedUtxos, txHash } = transaction;
    const isWatched = ({ addresses }: Utxo) => addresses.some((address) => watched.includes(address));
    const events: string[] = [];
    if ([...consumedUtxos, ...emittedUtxos].some(isWatched)) events.push(`balance_change ${txHash}`);
    const paid = emittedUtxos.filter(({ rewardType }) => rewardType !== undefined);
    if (isReward(transaction) && paid.some(isWatched)) events.push(`reward_distribution ${txHash}`);
    return events;
  });
}

function validatorEvent(transaction: Transaction, all: ReadonlyMap<string, Transaction>) {
  const { txType, l1ValidatorDetails = [], nodeId, subnetId, stakingTxHash = "" } = transaction;
  const one = [{ nodeId, subnetId }];
  if (/^(Add.*ValidatorTx)$/.test(txType)) return { event: "validator_stake", named: one };
  if (/^(RegisterL1ValidatorTx|ConvertSubnetToL1Tx)$/.test(txType)) return { event: "validator_stake", named: l1ValidatorDetails };
  if (/^Add.*DelegatorTx$/.test(txType)) return { event: "delegator_stake", named: one };
  if (txType === "IncreaseL1ValidatorBalanceTx") return { event: "l1_validator_balance_increased", named: l1ValidatorDetails };
  if (txType === "DisableL1ValidatorTx") return { event: "l1_validator_disabled", named: l1ValidatorDetails };
  if (txType === "SetL1ValidatorWeightTx") {
    return { event: "l1_validator_removed", named: l1ValidatorDetails.filter(({ weight }) => weight === 0) };
  }
  const hasPaid = transaction.emittedUtxos.some(({ rewardType }) => rewardType !== undefined);
  if (!isReward(transaction) || !hasPaid) return undefined;
  return { event: "reward_distribution", named: [{ nodeId, subnetId: all.get(stakingTxHash)!.subnetId }] };
}

test.each(drawn("recordings of webhooks", ["latest-1", "eras-1"] as const, 1))(
  "of %s are told of as its transactions say, with the balances of that time",
  async (recording) => {
    const folder = recordingFolder(recording);
    const directory = scratchDirectory();
    await importUntil(folder, directory, checkpointsOf(folder).at(-1)!.heights, "replay");
    const reading = await openToRead(directory);
    const { network } = await storeNetwork(reading, directory);
    await reading.close();
    const store = await openToWrite(directory, network);
    const serving = await serveStoreHere({ store, network }, directory, { settings: { ...defaultDataSettings, hasRealTypeNames: true } });
    const base = `${serving.url}/v1/networks/fuji/blockchains`;
    for (const [chain, name] of ["p-chain", "x-chain"].entries()) {
      const listed = await everyTransaction(`${base}/${name}`);
      // genesis, and what was in vertices, is in no block
      const transactions = listed.filter(({ blockNumber, blockHeight }) => Number(blockNumber ?? blockHeight ?? 0) > 0);
      const byHash = new Map(listed.map((transaction) => [transaction.txHash, transaction]));
      const owners = [
        ...new Set(
          transactions.flatMap(({ consumedUtxos, emittedUtxos }) =>
            [...consumedUtxos, ...emittedUtxos].flatMap(({ addresses }) => addresses),
          ),
        ),
      ];
      const watched = draw(`owners of ${recording} ${name}`, owners, 9);
      const scope = { kind: "primary", chain: `${chain}` } as const;
      const addresses = [watched.slice(0, 1), watched.slice(1, 3), watched.slice(3)].filter(({ length }) => length > 0);
      const nodes = [
        ...new Set(
          transactions.flatMap(({ nodeId, l1ValidatorDetails = [] }) =>
            [nodeId ?? [], ...l1ValidatorDetails.map((one) => one.nodeId)].flat(),
          ),
        ),
      ];
      const subnets = [
        ...new Set(
          transactions.flatMap(({ subnetId, l1ValidatorDetails = [] }) =>
            [subnetId ?? [], ...l1ValidatorDetails.map((one) => one.subnetId)].flat(),
          ),
        ),
      ];
      const validators =
        chain === 1 || nodes.length === 0
          ? []
          : [
              { keyType: "subnetId", keys: subnets, nodeIds: [], subnetIds: [] } as const,
              { keyType: "nodeId", keys: draw("nodes", nodes, 3), nodeIds: [], subnetIds: [] } as const,
              { keyType: "subnetId", keys: draw("subnets", subnets, 2), nodeIds: draw("more nodes", nodes, 8), subnetIds: [] } as const,
            ];
      const subEvents = VALIDATOR_EVENTS.filter((event) => event !== "l1_validator_balance_threshold");
      const first = 1 + 10 * chain;
      const { feed } = await withWebhooks(store, first, [
        ...addresses.map(
          (keys) =>
            [
              { ...COMMON, scope, chainId: name, eventType: "primary_network_address_activity", subEvents: ADDRESS_EVENTS },
              keys.map(hex),
            ] as const,
        ),
        ...validators.map(
          (keys) => [{ ...COMMON, scope, chainId: name, eventType: "validator_activity", subEvents, ...keys }, []] as const,
        ),
      ]);
      while (await feed.step(scope));
      for (const [i, keys] of addresses.entries()) {
        const messages = await messagesOf(store, first + i);
        expect(messages.map(({ event }) => `${event.eventType} ${event.transaction.txHash}`)).toEqual(addressEvents(transactions, keys));
        const changes = messages.filter(({ event }) => event.eventType === "balance_change");
        for (const { event } of draw(`messages ${recording} ${name} ${i}`, changes, 12)) {
          const time = event.transaction.blockTimestamp ?? event.transaction.timestamp;
          const at = async (second: number) =>
            (
              (await askPlainly(`${base}/${name}/balances?addresses=${event.addresses.join(",")}&blockTimestamp=${second}`)) as {
                balances: object;
              }
            ).balances;
          expect([event.previousBalances, event.balances]).toEqual([await at(time), await at(time + 1)]);
        }
      }
      for (const [i, { keyType, keys, nodeIds }] of validators.entries()) {
        const found = transactions.flatMap((transaction) => {
          const { event, named = [] } = validatorEvent(transaction, byHash) ?? {};
          const isMeant = ({ nodeId = "", subnetId = "" }: { nodeId?: string | undefined; subnetId?: string | undefined }) =>
            keyType === "nodeId"
              ? keys.includes(nodeId)
              : keys.includes(subnetId) && (nodeIds.length === 0 || (nodeIds as readonly string[]).includes(nodeId));
          return named.some(isMeant) ? [`${event} ${transaction.txHash}`] : [];
        });
        const messages = await messagesOf(store, first + addresses.length + i);
        const told = messages.filter(({ event }) => event.transaction !== undefined);
        expect(told.map(({ event }) => `${event.eventType} ${event.transaction.txHash}`)).toEqual(found);
      }
    }
    await serving.stop();
    await store.close();
  },
);
