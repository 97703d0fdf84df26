/**
 * Who keeps webhooks: the process that writes the store. Everything that crosses this interface is plain data, since the process that answers a
 * request may be another one. Every method rejects with a DataError that says what was wrong.
 */

/** The chain whose transactions a webhook tells of. */
export interface WebhookScope {
  readonly kind: "evm" | "primary";
  /** decimal: an EVM chain ID, or the number of a primary chain (`PrimaryChain`) */
  readonly chain: string;
}

interface Common {
  readonly url: string;
  readonly name: string;
  readonly description: string;
  readonly scope: WebhookScope;
  /** as clients know it: an EVM chain ID, `p-chain` or `x-chain` */
  readonly chainId: string;
  /** first topics, 0x and 64 hex digits in lower case; empty: any */
  readonly eventSignatures: readonly string[];
}

/** Tells of an EVM chain's transactions with watched addresses. */
export interface EvmWebhook extends Common {
  readonly eventType: "address_activity";
  readonly includeInternalTxs: boolean;
  readonly includeLogs: boolean;
}

export const ADDRESS_EVENTS = ["balance_change", "balance_threshold", "reward_distribution"] as const;

/** Tells of P's or X's transactions with watched addresses. */
export interface PrimaryWebhook extends Common {
  readonly eventType: "primary_network_address_activity";
  readonly subEvents: readonly (typeof ADDRESS_EVENTS)[number][];
  /** `threshold` in nAVAX, decimal */
  readonly balanceThreshold?: { readonly type: string; readonly threshold: string };
}

export const VALIDATOR_EVENTS = [
  "validator_stake",
  "delegator_stake",
  "reward_distribution",
  "l1_validator_balance_increased",
  "l1_validator_disabled",
  "l1_validator_removed",
  "l1_validator_balance_threshold",
] as const;

/** Tells how validators came, changed and went. */
export interface ValidatorWebhook extends Common {
  readonly eventType: "validator_activity";
  readonly keyType: "nodeId" | "subnetId";
  /** `NodeID-…`, or subnet IDs in cb58 */
  readonly keys: readonly string[];
  /** only validators that are in these, too; empty: all */
  readonly nodeIds: readonly string[];
  readonly subnetIds: readonly string[];
  readonly subEvents: readonly (typeof VALIDATOR_EVENTS)[number][];
  /** nAVAX, decimal */
  readonly l1BalanceThreshold?: string;
}

export type WebhookSettings = EvmWebhook | PrimaryWebhook | ValidatorWebhook;

/** A webhook as it is kept. */
export interface KeptWebhook {
  /** UUID */
  readonly id: string;
  readonly settings: WebhookSettings;
  readonly isActive: boolean;
  /** why it was switched off, unless a client did; empty: it was not */
  readonly problem: string;
  /** Unix seconds */
  readonly createdAt: number;
  /** the first of its addresses, hex without 0x; validators' webhooks have none */
  readonly addresses: readonly string[];
  /** of all */
  readonly addressCount: number;
  /** messages that are not delivered yet */
  readonly waiting: number;
}

export interface WebhookChanges {
  readonly name?: string;
  readonly description?: string;
  readonly url?: string;
  readonly isActive?: boolean;
  readonly includeInternalTxs?: boolean;
  readonly includeLogs?: boolean;
}

/** An attempt to deliver a message, and what came of it. */
export interface Delivery {
  readonly messageId: string;
  readonly state: "waiting" | "delivered" | "test";
  /** number of attempts that were made */
  readonly attempts: number;
  /** HTTP status of the last one; 0: none came */
  readonly status: number;
  /** why the last one failed; empty: it did not */
  readonly problem: string;
  /** Unix milliseconds: when the event was found, when it was delivered, when it is tried again */
  readonly createdAt: number;
  readonly deliveredAt?: number;
  readonly nextAttemptAt?: number;
  /** of the last attempt */
  readonly durationMs: number;
}

/** A part of a list. `next`: what to ask the next part with */
export interface Part<T, K> {
  readonly items: readonly T[];
  readonly next?: K;
}

export interface WebhookDesk {
  /** @param addresses hex without 0x, each once */
  create(owner: string, settings: WebhookSettings, addresses: readonly string[]): Promise<KeptWebhook>;
  /** In order of creation. */
  list(owner: string, wanted: { isActive?: boolean; after?: number; limit: number }): Promise<Part<KeptWebhook, number>>;
  get(owner: string, id: string): Promise<KeptWebhook>;
  update(owner: string, id: string, changes: WebhookChanges): Promise<KeptWebhook>;
  addresses(owner: string, id: string, wanted: { after?: string; limit: number }): Promise<Part<string, string> & { total: number }>;
  addAddresses(owner: string, id: string, addresses: readonly string[]): Promise<KeptWebhook>;
  removeAddresses(owner: string, id: string, addresses: readonly string[]): Promise<KeptWebhook>;
  /** Hex. */
  secret(owner: string): Promise<string>;
  rotateSecret(owner: string): Promise<string>;
  /** Newest first. */
  deliveries(owner: string, id: string, wanted: { before?: number; limit: number }): Promise<Part<Delivery, number>>;
  /** Sends a message that tells of nothing, once and at once. */
  test(owner: string, id: string): Promise<Delivery>;
}

/** The desk of a process, as its requests see it. */
export interface WebhookAccess {
  readonly desk: WebhookDesk;
  /** requests without an API key may use it, as on a devnet */
  readonly isOpen: boolean;
}
