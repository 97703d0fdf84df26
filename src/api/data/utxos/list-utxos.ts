import Type from "typebox";
import { C_CHAIN, P_CHAIN, X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { MAX_ADDRESSES_GET, parseAddresses } from "../addresses.ts";
import { csv, pageQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { listUtxos, UTXO_COST, UTXO_RULES, utxoFilters, utxoPage } from "./utxo-query.ts";

export const getUtxosByAddresses = dataRoute({
  method: "GET",
  path: "/networks/{network}/blockchains/{blockchainId}/utxos",
  operationId: "getUtxosByAddresses",
  tag: "Primary network: UTXOs",
  summary: "UTXOs of addresses, unspent ones or all, by time or amount.",
  description: UTXO_RULES,
  cost: UTXO_COST,
  computeUnits: 100,
  chains: [P_CHAIN, X_CHAIN, C_CHAIN],
  query: Type.Object({ addresses: Type.Optional(csv(`Owners, at most ${MAX_ADDRESSES_GET}.`)), ...pageQuery(), ...utxoFilters }),
  response: utxoPage,
  handle({ query }, context) {
    const { addresses } = query;
    const owners = addresses === undefined ? undefined : parseAddresses(addresses, context, { max: MAX_ADDRESSES_GET });
    return listUtxos(query, owners, context);
  },
});
