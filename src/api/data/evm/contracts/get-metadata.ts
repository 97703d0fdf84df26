import Type from "typebox";
import { evmContracts } from "../../../../evm/index/tables.ts";
import { dataRoute } from "../../route.ts";
import { evmAddress, parseEvmAddress } from "../parameters.ts";
import { presentContracts } from "./present-contract.ts";
import { contractSchema } from "./schemas.ts";

export const getContractMetadata = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/addresses/{address}",
  operationId: "getContractMetadata",
  tag: "EVM: contracts",
  summary: "Name, symbol, standard and deployer of a contract.",
  description: "An account, or a contract that is not a token, is `UNKNOWN`.",
  cost: "6 rows",
  computeUnits: 20,
  evm: "chain",
  isOfState: true,
  params: Type.Object({ address: evmAddress("Contract or account") }),
  query: Type.Object({}),
  response: contractSchema,
  async handle({ params }, context) {
    const contract = parseEvmAddress(params.address);
    const creation = await context.reader.get(evmContracts, { chain: context.evmChain.chain, contract });
    const [presented] = await presentContracts([{ contract, creation }], context);
    return presented!;
  },
});
