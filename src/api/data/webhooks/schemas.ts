/** Webhooks in requests and answers, in the form of the official SDKs. */
import Type, { type Static } from "typebox";
import { namedObject } from "../named-object.ts";
import { ADDRESS_EVENTS, VALIDATOR_EVENTS } from "./webhook-desk.ts";

const names = <const T extends string>(values: readonly T[]) => Type.Unsafe<T>(Type.Union(values.map((value) => Type.Literal(value))));

/** of the body of one request; more are added by further ones */
export const MOST_ADDRESSES_SENT = 1_000;
/** keys of a validators' webhook, and addresses of P or X */
export const MOST_KEYS = 1_000;
const MOST_SIGNATURES = 100;

const texts = (maxItems: number, description: string) => Type.Array(Type.String(), { maxItems, description });
const BALANCES = [
  "unlockedUnstaked",
  "unlockedStaked",
  "lockedPlatform",
  "lockedStakeable",
  "lockedStaked",
  "pendingStaked",
  "unlocked",
  "locked",
  "atomicMemoryUnlocked",
  "atomicMemoryLocked",
] as const;

const eventSignatures = texts(
  MOST_SIGNATURES,
  "First topics of events, 0x and 64 hex digits. A webhook of an EVM chain tells only of transactions with such an event of a watched address.",
);
const addressEvents = Type.Array(names(ADDRESS_EVENTS), { maxItems: ADDRESS_EVENTS.length });
const validatorEvents = Type.Array(names(VALIDATOR_EVENTS), { maxItems: VALIDATOR_EVENTS.length });
const thresholdFilter = namedObject("PrimaryNetworkBalanceThresholdFilter", {
  balanceType: names(BALANCES),
  balanceThreshold: Type.String({ description: "nAVAX, decimal. Told once the balance is below it and was not before." }),
});
const feeThreshold = Type.String({ description: "nAVAX, decimal: of an L1 validator's balance." });

const url = Type.String({ maxLength: 2048, description: "http or https; where messages are posted." });
const name = Type.String({ maxLength: 200 });
const description = Type.String({ maxLength: 2000 });
const status = names(["active", "inactive"]);
const INTERNALS = "Whether messages have the transaction's internal transactions.";
const LOGS = "Whether messages have the transaction's logs.";

/** The members of all three kinds; which are needed depends on `eventType`. */
export const createWebhookBody = namedObject("CreateWebhookRequest", {
  eventType: names(["address_activity", "primary_network_address_activity", "validator_activity"]),
  url,
  name: Type.Optional(name),
  description: Type.Optional(description),
  chainId: Type.Optional(
    Type.String({ description: "An EVM chain ID or blockchain ID for `address_activity`; `p-chain` or `x-chain` for addresses there." }),
  ),
  network: Type.Optional(Type.String({ description: "`mainnet` or `fuji`, for the primary network's events." })),
  includeInternalTxs: Type.Optional(Type.Boolean({ default: false, description: INTERNALS })),
  includeLogs: Type.Optional(Type.Boolean({ default: false, description: LOGS })),
  metadata: namedObject("CreateWebhookMetadata", {
    addresses: Type.Optional(texts(MOST_ADDRESSES_SENT, "For `address_activity`: 0x and 40 hex digits each.")),
    eventSignatures: Type.Optional(eventSignatures),
    keyType: Type.Optional(names(["addresses", "nodeId", "subnetId"])),
    keys: Type.Optional(texts(MOST_KEYS, "For the primary network: addresses in bech32, node IDs, or subnet IDs, as `keyType` says.")),
    subEvents: Type.Optional(
      Type.Object({
        addressActivitySubEvents: Type.Optional(addressEvents),
        validatorActivitySubEvents: Type.Optional(validatorEvents),
      }),
    ),
    nodeIds: Type.Optional(texts(MOST_KEYS, "With subnet IDs as keys: only these nodes.")),
    subnetIds: Type.Optional(texts(MOST_KEYS, "With node IDs as keys: only in these subnets.")),
    balanceThresholdFilter: Type.Optional(thresholdFilter),
    l1ValidatorFeeBalanceThreshold: Type.Optional(feeThreshold),
  }),
});
export type CreateWebhookBody = Static<typeof createWebhookBody>;

const common = {
  id: Type.String({ description: "UUID" }),
  url: Type.String({ description: "Where messages are posted." }),
  chainId: Type.String({ description: "An EVM chain ID, `p-chain` or `x-chain`." }),
  status,
  createdAt: Type.Integer({ description: "Unix seconds" }),
  name: Type.String(),
  description: Type.String(),
  waitingMessages: Type.Integer({ description: "Messages that are not delivered yet." }),
  deactivationReason: Type.Optional(Type.String({ description: "Why it was switched off, unless a client did." })),
};
const signatures = { eventSignatures: Type.Optional(Type.Array(Type.String())) };

export const evmWebhookSchema = namedObject("EVMAddressActivityResponse", {
  ...common,
  eventType: Type.Literal("address_activity"),
  metadata: namedObject("AddressActivityMetadata", {
    addresses: Type.Array(Type.String(), { description: "The first 100; `/v1/webhooks/{id}/addresses` lists all." }),
    ...signatures,
  }),
  includeInternalTxs: Type.Boolean({ description: INTERNALS }),
  includeLogs: Type.Boolean({ description: LOGS }),
});

const primaryWebhookSchema = namedObject("PrimaryNetworkAddressActivityResponse", {
  ...common,
  eventType: Type.Literal("primary_network_address_activity"),
  metadata: namedObject("PrimaryNetworkAddressActivityMetadata", {
    keyType: Type.Literal("addresses"),
    keys: Type.Array(Type.String(), { description: "The first 100 addresses." }),
    subEvents: Type.Object({ addressActivitySubEvents: addressEvents }),
    balanceThresholdFilter: Type.Optional(thresholdFilter),
    ...signatures,
  }),
});

const validatorWebhookSchema = namedObject("ValidatorActivityResponse", {
  ...common,
  eventType: Type.Literal("validator_activity"),
  metadata: namedObject("ValidatorActivityMetadata", {
    keyType: names(["nodeId", "subnetId"]),
    keys: Type.Array(Type.String()),
    subEvents: Type.Object({ validatorActivitySubEvents: validatorEvents }),
    nodeIds: Type.Optional(Type.Array(Type.String())),
    subnetIds: Type.Optional(Type.Array(Type.String())),
    l1ValidatorFeeBalanceThreshold: Type.Optional(feeThreshold),
    ...signatures,
  }),
});

export const webhookSchema = Type.Union([evmWebhookSchema, primaryWebhookSchema, validatorWebhookSchema], { $id: "Webhook" });
export type WebhookForm = Static<typeof webhookSchema>;

export const updateWebhookBody = namedObject("UpdateWebhookRequest", {
  name: Type.Optional(name),
  description: Type.Optional(description),
  url: Type.Optional(url),
  status: Type.Optional(status),
  includeInternalTxs: Type.Optional(Type.Boolean({ description: INTERNALS })),
  includeLogs: Type.Optional(Type.Boolean({ description: LOGS })),
});

export const addressesBody = namedObject("AddressesChangeRequest", {
  addresses: texts(MOST_ADDRESSES_SENT, "0x and 40 hex digits each."),
});

export const deliverySchema = namedObject("WebhookDelivery", {
  messageId: Type.String({ description: "UUID; the same in each attempt." }),
  state: names(["waiting", "delivered", "test"]),
  attempts: Type.Integer({ description: "Attempts that were made." }),
  responseStatus: Type.Integer({ description: "HTTP status of the last attempt's answer; 0: none came." }),
  problem: Type.Optional(Type.String({ description: "Why the last attempt failed." })),
  createdAtMilliseconds: Type.Integer({ description: "Unix milliseconds: when the event was found." }),
  deliveredAtMilliseconds: Type.Optional(Type.Integer({ description: "Unix milliseconds." })),
  nextAttemptAtMilliseconds: Type.Optional(Type.Integer({ description: "When it is tried again. Messages behind it wait for it." })),
  durationMilliseconds: Type.Integer({ description: "How long the last attempt took." }),
});

export const webhookIdParam = Type.Object({ id: Type.String({ minLength: 1, description: "UUID of the webhook." }) });
export const statusQuery = Type.Optional(
  Type.Unsafe<"active" | "inactive">({ ...status, description: "Only webhooks that are on, or off." }),
);
