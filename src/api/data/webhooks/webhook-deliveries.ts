import Type from "typebox";
import { pageOf, pageQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { deskOf } from "./caller.ts";
import { presentDelivery } from "./present-webhook.ts";
import { deliverySchema, webhookIdParam } from "./schemas.ts";

const COMMON = { tag: "Webhooks", needs: [], computeUnits: 20, params: webhookIdParam } as const;

export const listWebhookDeliveries = dataRoute({
  ...COMMON,
  method: "GET",
  path: "/webhooks/{id}/deliveries",
  operationId: "listWebhookDeliveries",
  summary: "The messages of a webhook, newest first: those that wait, and the last ones that were delivered.",
  cost: "O(pageSize) rows",
  caller: "read",
  query: Type.Object({ ...pageQuery() }),
  response: pageOf({ deliveries: Type.Array(deliverySchema) }),
  async handle({ params: { id }, query: { pageSize } }, context) {
    const { desk, owner } = deskOf(context);
    const { items, next } = await desk.deliveries(owner, id, {
      ...(context.after && { before: Number(context.after.message) }),
      limit: pageSize,
    });
    const position = next === undefined ? undefined : { message: next };
    return { deliveries: items.map(presentDelivery), ...context.nextPage(position) };
  },
});

export const testWebhook = dataRoute({
  ...COMMON,
  method: "POST",
  path: "/webhooks/{id}:test",
  operationId: "testWebhook",
  summary: "Posts a test message to the webhook's URL, once and at once, and answers what came of it.",
  description: 'The message is signed like any other; its `event` is `{"eventType":"test"}`. It takes 10 seconds at most.',
  cost: "One request to the URL",
  caller: "write",
  changes: true,
  status: 201,
  query: Type.Object({}),
  response: deliverySchema,
  async handle({ params: { id } }, context) {
    const { desk, owner } = deskOf(context);
    return presentDelivery(await desk.test(owner, id));
  },
});
