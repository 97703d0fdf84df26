import Type from "typebox";
import { dataRoute } from "../../route.ts";
import { evmAddress, parseEvmAddress } from "../parameters.ts";
import { knownToken, presentTokens } from "./known-tokens.ts";
import { chainTokenSchema } from "./schemas.ts";

export const getChainToken = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/tokens/{address}",
  operationId: "getToken",
  tag: "EVM: tokens",
  summary: "A token of any kind: name, supply, number of holders and of transfers.",
  description: "404 if it never logged a transfer, or if its contract turned out not to be a token.",
  cost: "6 rows",
  computeUnits: 10,
  evm: "chain",
  isOfState: true,
  params: Type.Object({ address: evmAddress("Contract of the token") }),
  query: Type.Object({}),
  response: chainTokenSchema,
  async handle({ params }, context) {
    const token = parseEvmAddress(params.address);
    const [shown] = await presentTokens([await knownToken(token, context)], context);
    return shown!;
  },
});
