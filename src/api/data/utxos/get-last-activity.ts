import Type from "typebox";
import { C_CHAIN, P_CHAIN, X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { MAX_ADDRESSES_GET, parseAddresses } from "../addresses.ts";
import { csv } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { LAST_ACTIVITY_COST, LAST_ACTIVITY_RULES, lastActivity, lastActivitySchema } from "./last-activity.ts";
import { minAmountQuery } from "./least-whole.ts";

export const getLastActivityTimestampByAddresses = dataRoute({
  method: "GET",
  path: "/networks/{network}/blockchains/{blockchainId}/lastActivityTimestampByAddresses",
  operationId: "getLastActivityTimestampByAddresses",
  tag: "Primary network: UTXOs",
  summary: "When addresses were last active on a chain.",
  description: LAST_ACTIVITY_RULES,
  cost: LAST_ACTIVITY_COST,
  computeUnits: 100,
  chains: [P_CHAIN, X_CHAIN, C_CHAIN],
  query: Type.Object({ addresses: Type.Optional(csv(`Owners, at most ${MAX_ADDRESSES_GET}.`)), ...minAmountQuery }),
  response: lastActivitySchema,
  handle({ query }, context) {
    const { addresses } = query;
    const owners = addresses === undefined ? undefined : parseAddresses(addresses, context, { max: MAX_ADDRESSES_GET });
    return lastActivity(query, owners, context);
  },
});
