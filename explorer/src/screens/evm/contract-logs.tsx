/** The logs of a contract, newest first; of one event, if its ABI is known. One request for each page. */
import { useState } from "preact/hooks";
import { answerOf, data } from "../../api/client.ts";
import { usePages } from "../../api/queries.ts";
import { count } from "../../components/amount.tsx";
import { signatureOf, topicOf } from "./abi/abi-item.ts";
import { useAbi } from "./abi/abi-store.ts";
import { LogList } from "./logs.tsx";
import { IfAvailable } from "./parts.tsx";

const PAGE_SIZE = 25;

export function ContractLogs({ chainId, address }: { readonly chainId: string; readonly address: string }) {
  const [topic0, setTopic] = useState("");
  const logs = usePages(
    ["evmContractLogs", chainId, address, topic0],
    (pageToken) =>
      answerOf(
        data.GET("/v1/chains/{chainId}/logs", {
          params: {
            path: { chainId },
            query: { address, pageSize: PAGE_SIZE, ...(topic0 && { topic0 }), ...(pageToken && { pageToken }) },
          },
        }),
      ),
    (page) => page.logs,
    { follows: chainId, isRetried: false },
  );
  const events = useAbi(chainId, address)?.abi.filter(({ type, anonymous }) => type === "event" && !anonymous) ?? [];
  const first = logs.data?.pages[0]?.logsFromBlock;
  return (
    <section class="card">
      <h2>Logs</h2>
      {events.length > 0 && (
        <p class="filters">
          <label>
            Event
            <select value={topic0} onChange={({ currentTarget }) => setTopic(currentTarget.value)}>
              <option value="">all</option>
              {events.map((event) => (
                <option key={signatureOf(event)} value={topicOf(event)}>
                  {signatureOf(event)}
                </option>
              ))}
            </select>
          </label>
        </p>
      )}
      {first !== undefined && (
        <p class="notice">
          Logs of blocks before {count(first)} are missing: a version of Firn that did not keep logs indexed these blocks.
        </p>
      )}
      <IfAvailable of={logs}>
        <LogList chainId={chainId} of={logs} empty="There is no such log." isOfContract />
      </IfAvailable>
    </section>
  );
}
