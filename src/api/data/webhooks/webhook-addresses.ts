import Type from "typebox";
import { formatAddress } from "../evm/present-token.ts";
import { pageOf, pageQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { deskOf } from "./caller.ts";
import { presentWebhook } from "./present-webhook.ts";
import { readEvmAddresses } from "./read-webhook.ts";
import { addressesBody, evmWebhookSchema, webhookIdParam } from "./schemas.ts";
import type { KeptWebhook } from "./webhook-desk.ts";

const COMMON = { tag: "Webhooks", needs: [], computeUnits: 20, params: webhookIdParam, path: "/webhooks/{id}/addresses" } as const;
const CHANGES = {
  ...COMMON,
  caller: "write",
  changes: true,
  cost: "Two rows for each address",
  query: Type.Object({}),
  body: addressesBody,
  response: evmWebhookSchema,
} as const;

export const getAddressesFromWebhook = dataRoute({
  ...COMMON,
  method: "GET",
  caller: "read",
  operationId: "getAddressesFromWebhook",
  summary: "The addresses that a webhook of an EVM chain watches, in ascending order.",
  cost: "O(pageSize) rows",
  query: Type.Object({ ...pageQuery() }),
  response: pageOf(
    { addresses: Type.Array(Type.String()), totalAddresses: Type.Integer({ description: "Number of all of them." }) },
    "ListWebhookAddressesResponse",
  ),
  async handle({ params: { id }, query: { pageSize } }, context) {
    const { desk, owner } = deskOf(context);
    const { items, next, total } = await desk.addresses(owner, id, {
      ...(context.after && { after: `${context.after.address}` }),
      limit: pageSize,
    });
    const position = next === undefined ? undefined : { address: next };
    return { addresses: items.map(formatAddress), totalAddresses: total, ...context.nextPage(position) };
  },
});

export const addAddressesToWebhook = dataRoute({
  ...CHANGES,
  method: "PATCH",
  operationId: "addAddressesToWebhook",
  summary: "Lets a webhook of an EVM chain watch more addresses.",
  async handle({ params: { id }, body }, context) {
    const { desk, owner } = deskOf(context);
    return presentEvm(await desk.addAddresses(owner, id, readEvmAddresses(body.addresses, "addresses")), context);
  },
});

export const removeAddressesFromWebhook = dataRoute({
  ...CHANGES,
  method: "DELETE",
  operationId: "removeAddressesFromWebhook",
  summary: "Lets a webhook of an EVM chain watch fewer addresses.",
  async handle({ params: { id }, body }, context) {
    const { desk, owner } = deskOf(context);
    return presentEvm(await desk.removeAddresses(owner, id, readEvmAddresses(body.addresses, "addresses")), context);
  },
});

/** The desk refuses the addresses of other webhooks. */
function presentEvm(kept: KeptWebhook, context: Parameters<typeof presentWebhook>[1]) {
  const shown = presentWebhook(kept, context);
  if (shown.eventType !== "address_activity") throw new Error("only webhooks of EVM chains change their addresses");
  return shown;
}
