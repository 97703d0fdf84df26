/**
 * Webhooks, what they watch, and the messages that they wait to deliver. Table IDs 370–379. `webhook` is the store's own number of one, which
 * rises with each. Chains are named by what clients know them by, not by the store's numbers: `kind` 0 is an EVM chain by its EVM chain ID, `kind`
 * 1 a primary chain by its number. None of this follows from blocks, so `firn reindex` keeps it, and so does a devnet that is reverted.
 */
import { bool, bytes, fixedHex, list, sentence, struct, u8, u16, u32, u64 } from "../base/codec/codec.ts";
import { id, shortId, table } from "../base/table/table.ts";

/** UUID, without dashes */
const uuid = fixedHex(16);

/** Few rows, which the process that writes the store holds in memory. */
export const webhooks = table({
  id: 370,
  name: "webhooks",
  key: { webhook: u32 },
  value: {
    uuid,
    /** ID of the API key */
    owner: fixedHex(4),
    /** JSON of `WebhookSettings` */
    settings: bytes,
    isActive: bool,
    /** why it was switched off; empty: a client did, or it is on */
    problem: sentence,
    /** Unix seconds */
    createdAt: u64,
    /** the last block before those that it is told of: when it was made, or switched on again */
    since: u64,
    /** number of `webhook_addresses` */
    addresses: u32,
  },
});

/** The number of the next webhook: none is used again, since `webhook_blocks` may still name those that are gone. One row. */
export const webhookNumbers = table({ id: 379, name: "webhook_numbers", key: { slot: u8 }, value: { next: u32 } });

/** How far the messages of a webhook are delivered. Numbers of messages begin at 1. */
export const webhookQueues = table({
  id: 371,
  name: "webhook_queues",
  key: { webhook: u32 },
  value: {
    /** the oldest message that is kept, the first that waits, the next one; equal: there are none */
    kept: u64,
    first: u64,
    next: u64,
    /** bytes of the messages that wait */
    waitingBytes: u64,
    /** failed attempts to deliver the first one that waits */
    attempts: u8,
    /** Unix milliseconds: when it is tried again; 0: at once */
    tryAt: u64,
  },
});

/** With which the messages of an API key's webhooks are signed. */
export const webhookSecrets = table({ id: 372, name: "webhook_secrets", key: { owner: fixedHex(4) }, value: { secret: bytes } });

/** The addresses of a webhook. */
export const webhookAddresses = table({ id: 373, name: "webhook_addresses", key: { webhook: u32, address: shortId }, value: {} });

/** The webhooks of an address, active or not, in ascending order. */
export const webhookWatchers = table({
  id: 374,
  name: "webhook_watchers",
  key: { kind: u8, chain: u64, address: shortId },
  value: { webhooks: list(u32) },
});

/** Messages that wait, and the last ones that were delivered. */
export const webhookMessages = table({
  id: 375,
  name: "webhook_messages",
  key: { webhook: u32, number: u64 },
  value: {
    uuid,
    /** Unix milliseconds */
    createdAt: u64,
    /** of the block that it tells of */
    height: u64,
    blockHash: id,
    /** it tells that an earlier message's block was replaced */
    isRemoval: bool,
    /** JSON of the message, deflated */
    body: bytes,
    /** Unix milliseconds; 0: it waits */
    deliveredAt: u64,
    attempts: u8,
    /** HTTP status of the last attempt; 0: none came */
    status: u16,
    /** why it failed; empty: it did not */
    problem: sentence,
    /** of the last attempt */
    durationMs: u32,
  },
});

/** The last block of each chain whose events are among the messages. Absent: no webhook asks for the chain. */
export const webhookCursors = table({
  id: 376,
  name: "webhook_cursors",
  key: { kind: u8, chain: u64 },
  value: { height: u64, hash: id },
});

/** The last blocks, with the messages that tell of them: a replaced branch is noticed by their hashes, and told of. */
export const webhookBlocks = table({
  id: 377,
  name: "webhook_blocks",
  key: { kind: u8, chain: u64, height: u64 },
  value: { hash: id, messages: list(struct({ webhook: u32, number: u64 })) },
});

/** L1 validators of which a webhook has told that they are disabled (`alarm` 0) or below its threshold (1), and still are. */
export const webhookAlarms = table({
  id: 378,
  name: "webhook_alarms",
  key: { webhook: u32, alarm: u8, validationId: id },
  value: {},
});
