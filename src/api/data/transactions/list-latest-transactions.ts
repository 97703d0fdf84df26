import Type from "typebox";
import type { ShortId } from "../../../base/bytes/id.ts";
import { C_CHAIN, P_CHAIN, X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { MAX_ADDRESSES_GET, parseAddresses } from "../addresses.ts";
import type { ChainContext } from "../context.ts";
import { badRequest } from "../errors.ts";
import { cb58Id, parseIdParam } from "../ids.ts";
import { chainInfo, chainInfoSchema, chainNameOf } from "../network-labels.ts";
import { csv, pageOf, pageQuery, sortQuery, splitCsv, timeQuery } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { transactionSchema, txTypesQuery } from "./schemas.ts";
import { type TransactionFilter, transactionPage } from "./transaction-lists.ts";
import { classesOf, type TxTypeName } from "./type-names.ts";

export const listLatestTransactions = dataRoute({
  method: "GET",
  path: "/networks/{network}/blockchains/{blockchainId}/transactions",
  operationId: "listLatestPrimaryNetworkTransactions",
  tag: "Primary network: transactions",
  summary: "Transactions of a chain, of addresses, or of an L1 validator, in the chain's order.",
  description:
    "Filters by type and time need addresses or an L1 validator. A page may end early, after many UTXOs; only a page without a token is the " +
    "last one. On the C-chain these are imports and exports, found by owners of their UTXOs or by accounts.",
  cost:
    "O(pageSize + addresses × types) rows for the list, where a transaction counts once for each of the addresses that it names; and as many " +
    "as its transactions have UTXOs, at most some thousands",
  computeUnits: 100,
  chains: [P_CHAIN, X_CHAIN, C_CHAIN],
  query: Type.Object({
    ...pageQuery(),
    ...sortQuery,
    ...timeQuery,
    addresses: Type.Optional(
      csv("Owners of UTXOs that the transaction consumes or emits; on the C-chain also accounts, as 0x…. At most 64."),
    ),
    l1ValidationId: Type.Optional(cb58Id("P-chain only: transactions that created or changed this L1 validator")),
    txTypes: txTypesQuery,
  }),
  response: pageOf({ transactions: Type.Array(transactionSchema), chainInfo: chainInfoSchema }),
  async handle({ query }, context) {
    const { addresses, l1ValidationId, txTypes, startTimestamp, endTimestamp } = query;
    const { chain } = context;
    if (l1ValidationId !== undefined && chain !== P_CHAIN) {
      throw badRequest(`l1ValidationId selects transactions of the p-chain; the ${chainNameOf(chain)} has no L1 validators`);
    }
    if (addresses === undefined && l1ValidationId === undefined && (txTypes ?? startTimestamp ?? endTimestamp) !== undefined) {
      throw badRequest(
        `txTypes, startTimestamp and endTimestamp need addresses${chain === P_CHAIN ? " or l1ValidationId" : ""}: transactions of a whole chain are not filtered`,
      );
    }
    const filter: TransactionFilter = {
      ...(addresses !== undefined && addressFilter(addresses, context)),
      ...(l1ValidationId !== undefined && { l1ValidationId: parseIdParam("l1ValidationId", l1ValidationId) }),
      ...(txTypes !== undefined && { classes: classesOf(txTypes as TxTypeName[]) }),
    };
    return { ...(await transactionPage(chain, filter, query, context)), chainInfo: chainInfo(context) };
  },
});

/** Separates bech32 from 0x addresses. Even with the same bytes they differ: one owns UTXOs, the other is an account. */
function addressFilter(list: string, context: ChainContext): { addresses: ShortId[]; evmAddresses: ShortId[] } {
  const texts = splitCsv(list);
  const isAccount = (text: string) => context.chain === C_CHAIN && text.startsWith("0x");
  const [owners, accounts] = [texts.filter((text) => !isAccount(text)), texts.filter(isAccount)];
  const max = MAX_ADDRESSES_GET;
  const parse = (some: readonly string[]) =>
    some.length === 0 ? [] : parseAddresses(some.join(), context, { max, allowsEvm: context.chain === C_CHAIN });
  if (texts.length === 0) parseAddresses(list, context, { max });
  const [addresses, evmAddresses] = [parse(owners), parse(accounts)];
  const count = addresses.length + evmAddresses.length;
  if (count > max) throw badRequest(`addresses must name at most ${max} addresses, got ${count}`);
  return { addresses, evmAddresses };
}
