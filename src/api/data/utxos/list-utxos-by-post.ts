import Type from "typebox";
import { C_CHAIN, P_CHAIN, X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { MAX_ADDRESSES_POST, parseAddresses } from "../addresses.ts";
import { namedObject } from "../named-object.ts";
import { csv, pageQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { listUtxos, UTXO_COST, UTXO_RULES, utxoFilters, utxoPage } from "./utxo-query.ts";

const LARGEST_PAGE = 1024;

/** The body of POST routes, which take more addresses than a URL can hold. */
export const addressesBody = namedObject("PrimaryNetworkAddressesBodyDto", { addresses: csv(`At most ${MAX_ADDRESSES_POST} addresses.`) });

export const getUtxosByAddressesV2 = dataRoute({
  method: "POST",
  path: "/networks/{network}/blockchains/{blockchainId}/utxos",
  operationId: "getUtxosByAddressesV2",
  tag: "Primary network: UTXOs",
  summary: "UTXOs of many addresses, unspent ones or all, by time or amount.",
  description: UTXO_RULES,
  cost: UTXO_COST,
  computeUnits: 100,
  chains: [P_CHAIN, X_CHAIN, C_CHAIN],
  query: Type.Object({ ...pageQuery(LARGEST_PAGE), ...utxoFilters }),
  body: addressesBody,
  response: utxoPage,
  handle: ({ query, body }, context) => listUtxos(query, parseAddresses(body.addresses, context, { max: MAX_ADDRESSES_POST }), context),
});
