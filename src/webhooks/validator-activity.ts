/** Events of validators: by P's transactions, and of L1 validators that ran out of balance, which no transaction tells of. */
import type { ChainContext } from "../api/data/context.ts";
import { presentTransactions } from "../api/data/transactions/present.ts";
import type { AssetTransaction, PlatformTransaction } from "../api/data/transactions/schemas.ts";
import type { PlatformUtxo } from "../api/data/utxos/schemas.ts";
import type { ValidatorWebhook } from "../api/data/webhooks/webhook-desk.ts";
import { formatId, formatNodeId, parseId, parseNodeId } from "../base/bytes/cb58.ts";
import type { Change, Row } from "../base/table/table.ts";
import { platformChain, platformL1Validators } from "../chains/platform/tables.ts";
import { l1Balance } from "../index/primary/l1s/l1-balance.ts";
import { P_CHAIN } from "../index/primary/primary-chain.ts";
import { scanAll } from "../store/store.ts";
import type { BlockPlace, FoundEvent } from "./activity.ts";
import type { Webhook } from "./registry.ts";
import { webhookAlarms } from "./webhook-tables.ts";

type SubEvent = ValidatorWebhook["subEvents"][number];

/** A validator as a transaction names it. */
interface Named {
  readonly nodeId: string | undefined;
  readonly subnetId: string | undefined;
}

const STAKES: ReadonlySet<string> = new Set([
  "AddValidatorTx",
  "AddPermissionlessValidatorTx",
  "AddSubnetValidatorTx",
  "AddAutoRenewedValidatorTx",
  "RegisterL1ValidatorTx",
  "ConvertSubnetToL1Tx",
]);
const DELEGATES: ReadonlySet<string> = new Set(["AddDelegatorTx", "AddPermissionlessDelegatorTx"]);

const DISABLED = 0;
const BELOW = 1;

function asksFor({ settings }: Webhook, event: SubEvent): boolean {
  return settings.eventType === "validator_activity" && settings.subEvents.includes(event);
}

function isMeant({ settings }: Webhook, { nodeId, subnetId }: Named): boolean {
  const { keyType, keys, nodeIds, subnetIds } = settings as ValidatorWebhook;
  const isIn = (list: readonly string[], name: string | undefined) => name !== undefined && list.includes(name);
  return keyType === "nodeId"
    ? isIn(keys, nodeId) && (subnetIds.length === 0 || isIn(subnetIds, subnetId))
    : isIn(keys, subnetId) && (nodeIds.length === 0 || isIn(nodeIds, nodeId));
}

/** The rewards that the transaction paid, not those that its own staker got later. */
export function rewardsOf(transaction: PlatformTransaction | AssetTransaction): PlatformUtxo[] {
  if (!transaction.txType.startsWith("Reward")) return [];
  return (transaction.emittedUtxos as PlatformUtxo[]).filter(({ rewardType }) => rewardType !== undefined);
}

/** In the order of the webhooks. */
export async function validatorEventsOf(
  transaction: PlatformTransaction,
  webhooks: readonly Webhook[],
  context: ChainContext,
): Promise<FoundEvent[]> {
  const asking = webhooks.filter(({ settings }) => settings.eventType === "validator_activity");
  if (asking.length === 0) return [];
  const { txType, l1ValidatorDetails = [] } = transaction;
  const [event, named] = await eventOf(transaction, context);
  if (event === undefined) return [];
  const events: FoundEvent[] = [];
  for (const webhook of asking.filter((one) => asksFor(one, event))) {
    const meant = named.filter((one) => isMeant(webhook, one));
    if (meant.length === 0) continue;
    const validators = l1ValidatorDetails.filter((detail) => isMeant(webhook, detail));
    const told = { eventType: event, network: context.label, ...(validators.length > 0 && { validators }), transaction };
    const disabled = txType === "DisableL1ValidatorTx" ? validators : [];
    const changes = disabled.map(({ validationId }) => alarm(webhook, DISABLED, parseId(validationId), {}));
    events.push({ webhook, event: told, changes });
  }
  return events;
}

/** The event that a transaction is, and the validators that it is about. */
async function eventOf(transaction: PlatformTransaction, context: ChainContext): Promise<[SubEvent | undefined, readonly Named[]]> {
  const { txType, nodeId, subnetId, l1ValidatorDetails = [] } = transaction;
  const named = l1ValidatorDetails.length > 0 ? l1ValidatorDetails : [{ nodeId, subnetId }];
  if (STAKES.has(txType)) return ["validator_stake", named];
  if (DELEGATES.has(txType)) return ["delegator_stake", named];
  switch (txType) {
    case "IncreaseL1ValidatorBalanceTx":
      return ["l1_validator_balance_increased", named];
    case "DisableL1ValidatorTx":
      return ["l1_validator_disabled", named];
    case "SetL1ValidatorWeightTx":
      return ["l1_validator_removed", l1ValidatorDetails.filter(({ weight }) => weight === 0n)];
    default:
      if (rewardsOf(transaction).length === 0) return [undefined, []];
      return ["reward_distribution", [{ nodeId, subnetId: await rewardedSubnet(transaction, context) }]];
  }
}

/** That of the staking transaction. */
async function rewardedSubnet({ stakingTxHash }: PlatformTransaction, context: ChainContext): Promise<string | undefined> {
  if (stakingTxHash === undefined) return undefined;
  const [staking] = await presentTransactions(P_CHAIN, [{ txId: parseId(stakingTxHash) }], context);
  return staking?.subnetId;
}

function alarm(webhook: Webhook, kind: number, validationId: string, value: object | undefined): Change {
  return { table: webhookAlarms, key: { webhook: webhook.number, alarm: kind, validationId }, value } as Change;
}

/** A state of an L1 validator that is told of once, when it becomes so. */
interface Alarm {
  readonly kind: number;
  readonly event: SubEvent;
  isSo(balance: bigint, settings: ValidatorWebhook): boolean;
}

const ALARMS: readonly Alarm[] = [
  { kind: DISABLED, event: "l1_validator_disabled", isSo: (balance) => balance === 0n },
  {
    kind: BELOW,
    event: "l1_validator_balance_threshold",
    isSo: (balance, { l1BalanceThreshold }) => balance < BigInt(l1BalanceThreshold ?? 0),
  },
];

/**
 * Compares the L1 validators that webhooks ask for with what was told of them.
 * @param tip its state is the context's
 */
export async function eventsOfL1s(webhooks: readonly Webhook[], tip: BlockPlace, context: ChainContext) {
  const asking = ALARMS.flatMap((one) => webhooks.filter((webhook) => asksFor(webhook, one.event)).map((webhook) => ({ webhook, ...one })));
  const events: FoundEvent[] = [];
  const changes: Change[] = [];
  if (asking.length === 0) return { events, changes };
  const { reader, label } = context;
  const { accruedFees, timestamp } = (await reader.get(platformChain, { slot: 0 }))!;
  const validators: Row<typeof platformL1Validators>[] = [];
  for await (const row of scanAll(reader, platformL1Validators)) validators.push(row);
  for (const { webhook, kind, event, isSo } of asking) {
    const settings = webhook.settings as ValidatorWebhook;
    const isKey = keyTest(settings);
    const told = new Set<string>();
    for await (const { key } of scanAll(reader, webhookAlarms, { webhook: webhook.number, alarm: kind })) told.add(key.validationId);
    for (const { key, value } of validators) {
      const { validationId } = key;
      if (!isKey(value)) continue;
      const balance = l1Balance(value, accruedFees);
      if (!isSo(balance, settings)) continue;
      if (told.delete(validationId)) continue;
      changes.push(alarm(webhook, kind, validationId, {}));
      events.push({
        webhook,
        event: {
          eventType: event,
          network: label,
          ...(settings.l1BalanceThreshold !== undefined && { l1ValidatorFeeBalanceThreshold: settings.l1BalanceThreshold }),
          validators: [
            {
              validationId: formatId(validationId),
              nodeId: formatNodeId(value.nodeId),
              subnetId: formatId(value.subnetId),
              weight: value.weight,
              remainingBalance: balance,
            },
          ],
          blockNumber: `${tip.height}`,
          blockHash: formatId(tip.hash),
          blockTimestamp: timestamp,
        },
      });
    }
    // no longer so, or gone
    for (const validationId of told) changes.push(alarm(webhook, kind, validationId, undefined));
  }
  return { events, changes };
}

/** The same as `isMeant`, of rows: thousands of them are compared at each block. */
function keyTest({ keyType, keys, nodeIds, subnetIds }: ValidatorWebhook) {
  const nodes = new Set((keyType === "nodeId" ? keys : nodeIds).map(parseNodeId));
  const subnets = new Set((keyType === "subnetId" ? keys : subnetIds).map(parseId));
  return ({ nodeId, subnetId }: { readonly nodeId: string; readonly subnetId: string }) =>
    (nodes.size === 0 || nodes.has(nodeId)) && (subnets.size === 0 || subnets.has(subnetId));
}
