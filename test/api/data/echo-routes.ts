/** Routes that return their parameters, and routes that fail, for tests of everything around a handler. */

import Type from "typebox";
import { parseAddresses } from "../../../src/api/data/addresses.ts";
import { badRequest, DataError, notFound } from "../../../src/api/data/errors.ts";
import { cb58Id, parseIdParam } from "../../../src/api/data/ids.ts";
import { chainInfo, chainInfoSchema } from "../../../src/api/data/network-labels.ts";
import { csv, pageOf, pageQuery, repeated, sortQuery } from "../../../src/api/data/paging.ts";
import { type AnyDataRoute, dataRoute } from "../../../src/api/data/route.ts";
import { platformChain } from "../../../src/chains/platform/tables.ts";
import { C_CHAIN, P_CHAIN, X_CHAIN } from "../../../src/index/primary/primary-chain.ts";

const base = { tag: "Echo", summary: "Says what it was asked.", cost: "O(1)", computeUnits: 20 } as const;

/** How long the list is: a page more follows until then. */
export const LIST_LENGTH = 25;

const listEchoes = dataRoute({
  ...base,
  method: "GET",
  path: "/networks/{network}/blockchains/{blockchainId}/echoes:list",
  operationId: "listEchoes",
  chains: [P_CHAIN, X_CHAIN],
  query: Type.Object({
    ...pageQuery(),
    ...sortQuery,
    addresses: Type.Optional(csv("Addresses.")),
    txTypes: Type.Optional(repeated(["BaseTx", "ImportTx"], "Types.")),
  }),
  response: pageOf({ numbers: Type.Array(Type.Integer()), asked: Type.Unknown(), chainInfo: chainInfoSchema }),
  async handle({ query }, context) {
    const start = Number(context.after?.number ?? 0);
    const numbers = Array.from({ length: Math.min(query.pageSize, LIST_LENGTH - start) }, (_, index) => start + index + 1);
    const last = numbers.at(-1) ?? LIST_LENGTH;
    const next = last < LIST_LENGTH ? { number: last } : undefined;
    return { numbers, asked: query, chainInfo: chainInfo(context), ...context.nextPage(next) };
  },
});

const listEchoesByPost = dataRoute({
  ...base,
  method: "POST",
  path: "/networks/{network}/blockchains/{blockchainId}/echoes",
  operationId: "listEchoesByPost",
  chains: [P_CHAIN],
  query: Type.Object(pageQuery(1024)),
  body: Type.Object({ addresses: csv("Addresses.") }),
  response: pageOf({ addresses: Type.Array(Type.String()) }),
  async handle({ body, query }, context) {
    const addresses = parseAddresses(body.addresses, context, { max: 1024 });
    const start = Number(context.after?.number ?? 0);
    const end = start + query.pageSize;
    return { addresses: addresses.slice(start, end), ...context.nextPage(end < addresses.length ? { number: end } : undefined) };
  },
});

const getEcho = dataRoute({
  ...base,
  method: "GET",
  path: "/networks/{network}/echoes/{echoId}",
  operationId: "getEcho",
  params: Type.Object({ echoId: cb58Id("Which echo.") }),
  query: Type.Object({}),
  response: Type.Object({ echoId: Type.String(), clock: Type.Integer(), platformHeight: Type.Integer() }),
  handle: async ({ params }, context) => ({
    echoId: parseIdParam("echoId", params.echoId),
    clock: Number(context.readClock()),
    platformHeight: Number(context.platformHeight),
  }),
});

const readHeight = dataRoute({
  ...base,
  method: "GET",
  path: "/networks/{network}/height",
  operationId: "readHeight",
  needs: [C_CHAIN],
  query: Type.Object({}),
  response: Type.Object({ height: Type.Integer() }),
  handle: async (_, { reader }) => ({ height: Number((await reader.get(platformChain, { slot: 0 }))?.height) }),
});

const giveWrongAnswer = dataRoute({
  ...base,
  method: "GET",
  path: "/wrong-answer",
  operationId: "giveWrongAnswer",
  query: Type.Object({}),
  response: Type.Object({ height: Type.Integer() }),
  handle: async () => ({ height: "secret text" }) as unknown as { height: number },
});

const FAILURES = { 400: badRequest, 404: notFound, 502: (message: string) => new DataError(502, message) };

const fail = dataRoute({
  ...base,
  method: "GET",
  path: "/failures/{status}",
  operationId: "fail",
  needs: [],
  params: Type.Object({ status: Type.Union([Type.Literal("400"), Type.Literal("404"), Type.Literal("502")]) }),
  query: Type.Object({}),
  response: Type.Object({}),
  handle: async ({ params }) => {
    throw FAILURES[params.status](`failed with ${params.status}`);
  },
});

export const echoRoutes: readonly AnyDataRoute[] = [listEchoes, listEchoesByPost, getEcho, readHeight, giveWrongAnswer, fail];
