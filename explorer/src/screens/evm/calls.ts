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

/** The call that failed first with what the transaction failed with: the calls around it passed its data on. */
export function originOfFailure(calls: readonly Call[]): Call | undefined {
  const [root] = calls;
  if (root?.error === undefined) return undefined;
  let origin = root;
  for (const call of calls) {
    if (call.depth === 0) continue;
    const isInside = call.depth > origin.depth && call.error !== undefined && call.output === root.output && call.output !== "0x";
    if (isInside) origin = call;
  }
  return origin;
}
