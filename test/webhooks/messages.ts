/** The messages in the queues of a store, as their receivers get them. */
import { inflateRawSync } from "node:zlib";
import { type Store, scanAll } from "../../src/store/store.ts";
import { webhookMessages } from "../../src/webhooks/webhook-tables.ts";
import type { ReceivedMessage } from "./receiver.ts";

export interface QueuedMessage extends ReceivedMessage {
  readonly height: bigint;
  readonly isRemoval: boolean;
}

/** In their order. */
export async function messagesOf(store: Store, webhook: number): Promise<QueuedMessage[]> {
  const messages: QueuedMessage[] = [];
  for await (const { value } of scanAll(store, webhookMessages, { webhook })) {
    const { height, isRemoval } = value;
    messages.push({ ...(JSON.parse(inflateRawSync(value.body).toString()) as ReceivedMessage), height, isRemoval });
  }
  return messages;
}
