import Type from "typebox";
import { pageOf, pageQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { deskOf } from "./caller.ts";
import { presentWebhook } from "./present-webhook.ts";
import { readWebhook, readWebhookUrl } from "./read-webhook.ts";
import { createWebhookBody, statusQuery, updateWebhookBody, webhookIdParam, webhookSchema } from "./schemas.ts";

const COMMON = { tag: "Webhooks", needs: [], response: webhookSchema } as const;
const READS = { ...COMMON, caller: "read", computeUnits: 10, query: Type.Object({}) } as const;
const CHANGES = { ...COMMON, caller: "write", changes: true, computeUnits: 20, query: Type.Object({}) } as const;

export const createWebhook = dataRoute({
  ...CHANGES,
  method: "POST",
  path: "/webhooks",
  operationId: "createWebhook",
  summary: "Creates a webhook: Firn posts a message to its URL for each event from now on.",
  description:
    "`address_activity` tells of transactions of an EVM chain, `primary_network_address_activity` of those of P or X, `validator_activity` of validators. A webhook belongs to the API key that made it; the key needs the privilege `write`.",
  cost: "A row for each address",
  evm: "all",
  status: 201,
  body: createWebhookBody,
  async handle({ body }, context) {
    const { desk, owner } = deskOf(context);
    const { settings, addresses } = readWebhook(body, context);
    return presentWebhook(await desk.create(owner, settings, addresses), context);
  },
});

export const listWebhooks = dataRoute({
  ...READS,
  method: "GET",
  path: "/webhooks",
  operationId: "listWebhooks",
  summary: "The webhooks of the API key, in order of creation.",
  cost: "O(pageSize), from memory, and 100 rows for each of addresses",
  query: Type.Object({ status: statusQuery, ...pageQuery() }),
  response: pageOf({ webhooks: Type.Array(webhookSchema) }, "ListWebhooksResponse"),
  async handle({ query: { status, pageSize } }, context) {
    const { desk, owner } = deskOf(context);
    const { items, next } = await desk.list(owner, {
      ...(status !== undefined && { isActive: status === "active" }),
      ...(context.after && { after: Number(context.after.webhook) }),
      limit: pageSize,
    });
    const position = next === undefined ? undefined : { webhook: next };
    return { webhooks: items.map((kept) => presentWebhook(kept, context)), ...context.nextPage(position) };
  },
});

export const getWebhook = dataRoute({
  ...READS,
  method: "GET",
  path: "/webhooks/{id}",
  operationId: "getWebhook",
  summary: "One webhook.",
  cost: "100 rows",
  params: webhookIdParam,
  async handle({ params: { id } }, context) {
    const { desk, owner } = deskOf(context);
    return presentWebhook(await desk.get(owner, id), context);
  },
});

export const updateWebhook = dataRoute({
  ...CHANGES,
  method: "PATCH",
  path: "/webhooks/{id}",
  operationId: "updateWebhook",
  summary: "Changes a webhook, or switches it on again.",
  description:
    "A webhook that is switched on again delivers the messages that still wait, and tells of events from then on: not of those while it was off.",
  cost: "100 rows",
  params: webhookIdParam,
  body: updateWebhookBody,
  async handle({ params: { id }, body: { status, url, ...changes } }, context) {
    const { desk, owner } = deskOf(context);
    const updated = await desk.update(owner, id, {
      ...changes,
      ...(url !== undefined && { url: readWebhookUrl(url) }),
      ...(status !== undefined && { isActive: status === "active" }),
    });
    return presentWebhook(updated, context);
  },
});

export const deactivateWebhook = dataRoute({
  ...CHANGES,
  method: "DELETE",
  path: "/webhooks/{id}",
  operationId: "deactivateWebhook",
  summary: "Switches a webhook off. It stays in lists; creating many more removes those that are off, the oldest first.",
  cost: "100 rows",
  params: webhookIdParam,
  async handle({ params: { id } }, context) {
    const { desk, owner } = deskOf(context);
    return presentWebhook(await desk.update(owner, id, { isActive: false }), context);
  },
});
