/** The logs of one transaction. One request for each page, and one for the source of each contract. */
import { answerOf, data } from "../../api/client.ts";
import { usePages } from "../../api/queries.ts";
import { LogList } from "./logs.tsx";
import { IfAvailable } from "./parts.tsx";
import { useSources } from "./source.ts";

const PAGE_SIZE = 25;

export function TransactionLogs({ chainId, txHash }: { readonly chainId: string; readonly txHash: string }) {
  const logs = usePages(
    ["evmTransactionLogs", chainId, txHash],
    (pageToken) =>
      answerOf(
        data.GET("/v1/chains/{chainId}/transactions/{txHash}/logs", {
          params: { path: { chainId, txHash }, query: { pageSize: PAGE_SIZE, ...(pageToken && { pageToken }) } },
        }),
      ),
    (page) => page.logs,
    { isRetried: false },
  );
  useSources(chainId, logs.items?.map(({ address }) => address) ?? []);
  return (
    <section class="card">
      <h2>Logs</h2>
      <IfAvailable of={logs}>
        <LogList chainId={chainId} of={logs} empty="The transaction has no logs." />
      </IfAvailable>
    </section>
  );
}
