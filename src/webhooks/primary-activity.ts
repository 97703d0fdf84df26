/**
 * Transactions of P and X with watched addresses or validators, and what becomes of L1 validators without one. Balances are those before and after
 * the second of the block, whenever it is read. A block costs the rows of its transactions; the state of L1 validators, where a webhook asks for
 * it, a row for each at the tip.
 */

import { transactionsOf } from "../api/data/blocks/present.ts";
import type { ChainContext } from "../api/data/context.ts";
import { chainNameOf } from "../api/data/network-labels.ts";
import { presentTransactions } from "../api/data/transactions/present.ts";
import type { AssetTransaction, PlatformTransaction } from "../api/data/transactions/schemas.ts";
import { type Balances, presentBalances } from "../api/data/utxos/get-balances.ts";
import type { PrimaryWebhook } from "../api/data/webhooks/webhook-desk.ts";
import { decodeBech32 } from "../base/bytes/bech32.ts";
import { formatId } from "../base/bytes/cb58.ts";
import type { Id } from "../base/bytes/id.ts";
import { readBalances } from "../index/primary/balances/balance-reader.ts";
import { chainIdOf, P_CHAIN, type PrimaryChain } from "../index/primary/primary-chain.ts";
import { primaryBlocks } from "../index/primary/transactions/transaction-tables.ts";
import { sourceTips } from "../index/tables.ts";
import type { ChainActivity, FoundEvent, Watch } from "./activity.ts";
import type { Webhook } from "./registry.ts";
import { eventsOfL1s, rewardsOf, validatorEventsOf } from "./validator-activity.ts";

export async function primaryActivity(context: ChainContext): Promise<ChainActivity | undefined> {
  const height = context.heightOf(context.chain);
  if (height === undefined) return undefined;
  const chainId = chainIdOf(context.chain, context.network);
  const [block, source] = await Promise.all([blockAt(height, context), context.reader.get(sourceTips, { chainId })]);
  // the X-chain has no blocks before it became linear
  if (block === undefined) return undefined;
  return new PrimaryActivity(context, { height, hash: block.blockId }, source?.height ?? 0n);
}

function blockAt(height: bigint, { reader, chain }: ChainContext) {
  return reader.get(primaryBlocks, { chain, height });
}

class PrimaryActivity implements ChainActivity {
  readonly tip: ChainActivity["tip"];
  readonly head: bigint;
  readonly #context: ChainContext;

  constructor(context: ChainContext, tip: ChainActivity["tip"], head: bigint) {
    this.#context = context;
    this.tip = tip;
    this.head = head;
  }

  async hashAt(height: bigint): Promise<Id | undefined> {
    return (await blockAt(height, this.#context))?.blockId;
  }

  async eventsOf(height: bigint, watch: Watch): Promise<FoundEvent[]> {
    const block = await blockAt(height, this.#context);
    if (block === undefined || block.txCount === 0) return [];
    const txIds = await transactionsOf(block, this.#context);
    const { chain } = this.#context;
    const shown = txIds.map((txId) => ({ txId, height }));
    const transactions = (await presentTransactions<PrimaryChain>(chain, shown, this.#context)) as ShownTransaction[];
    const owners = transactions.map(ownersOf);
    const watchers = await watch.watchersOf(new Set(owners.flat()));
    const events: FoundEvent[] = [];
    for (const [i, transaction] of transactions.entries()) {
      events.push(...(await this.#ofAddresses(transaction, owners[i]!, block.timestamp, watchers)));
      if (chain === P_CHAIN) events.push(...(await validatorEventsOf(transaction as PlatformTransaction, watch.webhooks, this.#context)));
    }
    return events;
  }

  async eventsAtTip(watch: Watch) {
    return this.#context.chain === P_CHAIN ? eventsOfL1s(watch.webhooks, this.tip, this.#context) : { events: [], changes: [] };
  }

  async #ofAddresses(
    transaction: ShownTransaction,
    owners: readonly string[],
    timestamp: bigint,
    watchers: ReadonlyMap<string, readonly Webhook[]>,
  ): Promise<FoundEvent[]> {
    const asking = new Set(owners.flatMap((owner) => watchers.get(owner) ?? []));
    const events: FoundEvent[] = [];
    for (const webhook of [...asking].sort((a, b) => a.number - b.number)) {
      const own = owners.filter((owner) => watchers.get(owner)?.some(({ number }) => number === webhook.number));
      events.push(...(await this.#ofWebhook(webhook, transaction, own, timestamp)));
    }
    return events;
  }

  async #ofWebhook(webhook: Webhook, transaction: ShownTransaction, own: readonly string[], timestamp: bigint): Promise<FoundEvent[]> {
    const { subEvents, balanceThreshold } = webhook.settings as PrimaryWebhook;
    const { chain, label } = this.#context;
    const shared = {
      network: label,
      chainId: chainNameOf(chain),
      addresses: textsOf(transaction, own),
      transaction,
    };
    const events: object[] = [];
    if (subEvents.includes("balance_change") || balanceThreshold !== undefined) {
      const [previousBalances, balances] = [await this.#balances(own, timestamp), await this.#balances(own, timestamp + 1n)];
      if (subEvents.includes("balance_change")) events.push({ eventType: "balance_change", ...shared, previousBalances, balances });
      if (balanceThreshold !== undefined) {
        const threshold = BigInt(balanceThreshold.threshold);
        const [before, after] = [previousBalances, balances].map((one) => this.#avaxIn(one, balanceThreshold.type));
        if (before! >= threshold && after! < threshold) {
          events.push({
            eventType: "balance_threshold",
            ...shared,
            balanceThresholdFilter: thresholdOf(balanceThreshold),
            previousBalances,
            balances,
          });
        }
      }
    }
    const rewards = rewardsOf(transaction).filter(({ addresses }) => addresses.some((address) => own.includes(hexOf(address))));
    if (subEvents.includes("reward_distribution") && rewards.length > 0) {
      events.push({ eventType: "reward_distribution", ...shared, rewards });
    }
    return events.map((event) => ({ webhook, event }));
  }

  /** Balances of all these addresses together, from before a second. */
  async #balances(owners: readonly string[], at: bigint): Promise<Balances> {
    const { reader, chain } = this.#context;
    return presentBalances(await readBalances(reader, chain, owners, { at, clock: at }), this.#context);
  }

  #avaxIn(balances: Balances, type: string): bigint {
    const entries = (balances as Readonly<Record<string, readonly { assetId: string; amount: string }[]>>)[type] ?? [];
    return entries.filter(({ assetId }) => assetId === this.#avax).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  }

  get #avax(): string {
    return formatId(this.#context.network.avaxAssetId);
  }
}

type ShownTransaction = PlatformTransaction | AssetTransaction;

function thresholdOf({ type, threshold }: NonNullable<PrimaryWebhook["balanceThreshold"]>) {
  return { balanceType: type, balanceThreshold: threshold };
}

/** Hex, each once. */
function ownersOf({ consumedUtxos, emittedUtxos }: ShownTransaction): string[] {
  return [...new Set([...consumedUtxos, ...emittedUtxos].flatMap(({ addresses }) => addresses.map(hexOf)))];
}

function hexOf(text: string): string {
  return decodeBech32(text).bytes.toString("hex");
}

/** As the transaction writes them. */
function textsOf({ consumedUtxos, emittedUtxos }: ShownTransaction, owners: readonly string[]): string[] {
  const texts = new Set([...consumedUtxos, ...emittedUtxos].flatMap(({ addresses }) => addresses));
  return [...texts].filter((text) => owners.includes(hexOf(text)));
}
