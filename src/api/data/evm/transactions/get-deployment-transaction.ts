import Type from "typebox";
import { evmContracts } from "../../../../evm/index/tables.ts";
import { notFound } from "../../errors.ts";
import { dataRoute } from "../../route.ts";
import { evmAddress, parseEvmAddress } from "../parameters.ts";
import { formatAddress } from "../present-token.ts";
import { currencyQuery } from "../token-schemas.ts";
import { completeTransactionSchema } from "../transaction-schemas.ts";
import { completeTransaction } from "./complete-transaction.ts";

export const getDeploymentTransaction = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/contracts/{address}/transactions:getDeployment",
  operationId: "getDeploymentTransaction",
  tag: "EVM: contracts",
  summary: "The transaction that deployed a contract, with its transfers and internal transactions.",
  description: "If the address was used again after a self-destruction, this is the newest deployment.",
  cost: "O(transfers and internal transactions of the transaction) rows",
  computeUnits: 20,
  evm: "chain",
  isOfState: true,
  params: Type.Object({ address: evmAddress("The contract") }),
  query: Type.Object(currencyQuery),
  response: completeTransactionSchema,
  async handle({ params, query: { currency } }, context) {
    const contract = parseEvmAddress(params.address);
    const { chain, evmChainId } = context.evmChain;
    const deployment = await context.reader.get(evmContracts, { chain, contract });
    if (deployment === undefined) throw notFound(`chain ${evmChainId} has no deployment of ${formatAddress(contract)} here`);
    return completeTransaction({ height: deployment.height, index: deployment.index }, currency, context);
  },
});
