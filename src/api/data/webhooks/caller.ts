/** Whose webhooks a request is about: each API key has its own, and a secret of its own. */
import type { DataContext } from "../context.ts";
import { DataError } from "../errors.ts";
import type { WebhookDesk } from "./webhook-desk.ts";

/** of requests without an API key, where that is allowed */
const NO_KEY = "00000000";

/** Throws 401 without an API key, and 503 if this server keeps no webhooks. */
export function deskOf({ webhooks, caller }: DataContext): { readonly desk: WebhookDesk; readonly owner: string } {
  if (webhooks === undefined) {
    throw new DataError(
      503,
      "this server keeps no webhooks: its operator switched them off (webhookTargets), or another process indexes the chains and keeps them",
    );
  }
  if (caller.keyId === undefined && !webhooks.isOpen) {
    throw new DataError(401, "webhooks belong to an API key; send one in the header x-data-api-key");
  }
  return { desk: webhooks.desk, owner: caller.keyId ?? NO_KEY };
}
