import Type from "typebox";
import { dataRoute } from "../../route.ts";
import { evmAddress, parseEvmAddress } from "../parameters.ts";
import { currencyQuery, nativeTokenBalanceSchema } from "../token-schemas.ts";
import { blockNumberQuery, heightOf } from "./height.ts";
import { nativeTokenBalance } from "./native-token-balance.ts";

export const getNativeBalance = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/addresses/{address}/balances:getNative",
  operationId: "getNativeBalance",
  tag: "EVM: balances",
  summary: "Balance of the chain's own token, now or after a past block.",
  description: "Firn asks the chain's node: 503 if it does not answer, or no longer has the state of the block.",
  cost: "One row, and one request to the chain's node",
  computeUnits: 20,
  evm: "chain",
  params: Type.Object({ address: evmAddress("Account or contract") }),
  query: Type.Object({ ...blockNumberQuery, ...currencyQuery }),
  response: Type.Object({ nativeTokenBalance: nativeTokenBalanceSchema }),
  async handle({ params, query: { blockNumber, currency } }, context) {
    const address = parseEvmAddress(params.address);
    const { height } = await heightOf(blockNumber, context);
    return { nativeTokenBalance: await nativeTokenBalance(context, address, height, currency) };
  },
});
