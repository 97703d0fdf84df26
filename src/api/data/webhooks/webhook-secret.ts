import Type from "typebox";
import { namedObject } from "../named-object.ts";
import { dataRoute } from "../route.ts";
import { deskOf } from "./caller.ts";

const COMMON = {
  tag: "Webhooks",
  needs: [],
  cost: "One row",
  query: Type.Object({}),
  response: namedObject("SharedSecretsResponse", { secret: Type.String({ description: "64 hex digits" }) }),
} as const;

export const getSharedSecret = dataRoute({
  ...COMMON,
  method: "GET",
  path: "/webhooks:getSharedSecret",
  operationId: "getSharedSecret",
  summary: "The secret with which the messages of the API key's webhooks are signed.",
  description: "404 before one is made. The key needs the privilege `write`, since whoever has the secret can sign messages.",
  caller: "write",
  computeUnits: 10,
  async handle(_request, context) {
    const { desk, owner } = deskOf(context);
    return { secret: await desk.secret(owner) };
  },
});

export const generateOrRotateSharedSecret = dataRoute({
  ...COMMON,
  method: "POST",
  path: "/webhooks:generateOrRotateSharedSecret",
  operationId: "generateOrRotateSharedSecret",
  summary: "Makes a new secret for the API key. Messages are signed with it from then on, also those that wait.",
  caller: "write",
  changes: true,
  status: 201,
  computeUnits: 20,
  async handle(_request, context) {
    const { desk, owner } = deskOf(context);
    return { secret: await desk.rotateSecret(owner) };
  },
});
