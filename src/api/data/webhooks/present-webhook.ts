/** Presents webhooks and deliveries as the official SDKs know them. */
import type { Static } from "typebox";
import type { DataContext } from "../context.ts";
import { formatAddress } from "../evm/present-token.ts";
import { addressTexts } from "../validators/present.ts";
import type { CreateWebhookBody, deliverySchema, WebhookForm } from "./schemas.ts";
import type { Delivery, KeptWebhook } from "./webhook-desk.ts";

type BalanceType = NonNullable<CreateWebhookBody["metadata"]["balanceThresholdFilter"]>["balanceType"];

export function presentWebhook(kept: KeptWebhook, context: Pick<DataContext, "network">): WebhookForm {
  const { settings } = kept;
  const shared = {
    id: kept.id,
    url: settings.url,
    chainId: settings.chainId,
    status: kept.isActive ? ("active" as const) : ("inactive" as const),
    createdAt: kept.createdAt,
    name: settings.name,
    description: settings.description,
    waitingMessages: kept.waiting,
    ...(kept.problem !== "" && { deactivationReason: kept.problem }),
  };
  const signatures = { ...(settings.eventSignatures.length > 0 && { eventSignatures: [...settings.eventSignatures] }) };
  switch (settings.eventType) {
    case "address_activity": {
      const { eventType, includeInternalTxs, includeLogs } = settings;
      return {
        ...shared,
        eventType,
        metadata: { addresses: kept.addresses.map(formatAddress), ...signatures },
        includeInternalTxs,
        includeLogs,
      };
    }
    case "primary_network_address_activity": {
      const { balanceThreshold, subEvents } = settings;
      return {
        ...shared,
        eventType: settings.eventType,
        metadata: {
          keyType: "addresses",
          keys: addressTexts(kept.addresses, context.network),
          subEvents: { addressActivitySubEvents: [...subEvents] },
          ...(balanceThreshold && {
            balanceThresholdFilter: { balanceType: balanceThreshold.type as BalanceType, balanceThreshold: balanceThreshold.threshold },
          }),
          ...signatures,
        },
      };
    }
    default: {
      const { keyType, keys, nodeIds, subnetIds, subEvents, l1BalanceThreshold } = settings;
      return {
        ...shared,
        eventType: settings.eventType,
        metadata: {
          keyType,
          keys: [...keys],
          subEvents: { validatorActivitySubEvents: [...subEvents] },
          ...(nodeIds.length > 0 && { nodeIds: [...nodeIds] }),
          ...(subnetIds.length > 0 && { subnetIds: [...subnetIds] }),
          ...(l1BalanceThreshold !== undefined && { l1ValidatorFeeBalanceThreshold: l1BalanceThreshold }),
          ...signatures,
        },
      };
    }
  }
}

export function presentDelivery(delivery: Delivery): Static<typeof deliverySchema> {
  const { messageId, state, attempts, status, problem, createdAt, deliveredAt, nextAttemptAt, durationMs } = delivery;
  return {
    messageId,
    state,
    attempts,
    responseStatus: status,
    ...(problem !== "" && { problem }),
    createdAtMilliseconds: createdAt,
    ...(deliveredAt !== undefined && { deliveredAtMilliseconds: deliveredAt }),
    ...(nextAttemptAt !== undefined && { nextAttemptAtMilliseconds: nextAttemptAt }),
    durationMilliseconds: durationMs,
  };
}
