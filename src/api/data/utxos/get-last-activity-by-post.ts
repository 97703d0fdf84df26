import Type from "typebox";
import { C_CHAIN, P_CHAIN, X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { MAX_ADDRESSES_POST, parseAddresses } from "../addresses.ts";
import { dataRoute } from "../route.ts";
import { LAST_ACTIVITY_COST, LAST_ACTIVITY_RULES, lastActivity, lastActivitySchema } from "./last-activity.ts";
import { minAmountQuery } from "./least-whole.ts";
import { addressesBody } from "./list-utxos-by-post.ts";

export const getLastActivityTimestampByAddressesV2 = dataRoute({
  method: "POST",
  path: "/networks/{network}/blockchains/{blockchainId}/lastActivityTimestampByAddresses",
  operationId: "getLastActivityTimestampByAddressesV2",
  tag: "Primary network: UTXOs",
  summary: "When any of many addresses was last active on a chain.",
  description: LAST_ACTIVITY_RULES,
  cost: LAST_ACTIVITY_COST,
  computeUnits: 100,
  chains: [P_CHAIN, X_CHAIN, C_CHAIN],
  query: Type.Object(minAmountQuery),
  body: addressesBody,
  response: lastActivitySchema,
  handle: ({ query, body }, context) => lastActivity(query, parseAddresses(body.addresses, context, { max: MAX_ADDRESSES_POST }), context),
});
