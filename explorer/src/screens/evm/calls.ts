/** The calls of a transaction: one request, for which the server asks the chain's node. */
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { useAnswer } from "../../api/queries.ts";

export type Call = components["schemas"]["TransactionCall"];

export function useCalls(chainId: string, txHash: string) {
  return useAnswer(
    ["evmCalls", chainId, txHash],
    () => answerOf(data.GET("/v1/chains/{chainId}/transactions/{txHash}/calls", { params: { path: { chainId, txHash } } })),
    { isRetried: false },
  );
}
