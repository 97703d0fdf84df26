/** Event logs: decoded as far as they are known, with their topics and data. */
import { useMemo } from "preact/hooks";
import type { components } from "../../api/data-api.d.ts";
import type { Pages } from "../../api/queries.ts";
import { count } from "../../components/amount.tsx";
import { Id } from "../../components/id.tsx";
import { Paged } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { to } from "../../router.ts";
import { useAbi } from "./abi/abi-store.ts";
import { decodeLog } from "./abi/decode.ts";
import { DecodedItem, RawBytes } from "./decoded.tsx";

export type EventLog = components["schemas"]["EventLog"];

interface LogListProps {
  readonly chainId: string;
  readonly of: Pages<EventLog>;
  readonly empty: string;
  /** whether the logs are of several transactions, or of one contract: what is the same for all is left out */
  readonly isOfContract?: boolean;
}

export function LogList({ chainId, of, empty, isOfContract = false }: LogListProps) {
  return (
    <Paged of={of} empty={empty}>
      {(logs) => (
        <ul class="plain-list">
          {logs.map((log) => (
            <li key={`${log.blockHash} ${log.logIndex}`}>
              <LogEntry chainId={chainId} of={log} isOfContract={isOfContract} />
            </li>
          ))}
        </ul>
      )}
    </Paged>
  );
}

function LogEntry({ chainId, of: log, isOfContract }: { readonly chainId: string; readonly of: EventLog; readonly isOfContract: boolean }) {
  const known = useAbi(chainId, log.address);
  const decoded = useMemo(() => decodeLog(log, known?.index), [log, known]);
  return (
    <>
      <p class="row">
        {isOfContract ? (
          <Id value={log.txHash} href={to.evmTransaction(chainId, log.txHash)} />
        ) : (
          <Id value={log.address} href={to.contract(chainId, log.address)} hasCopy />
        )}
        <span class="quiet">
          {isOfContract && (
            <>
              <Time seconds={log.blockTimestamp} /> · block <a href={to.evmBlock(chainId, log.blockNumber)}>{count(log.blockNumber)}</a> ·{" "}
            </>
          )}
          log {count(log.logIndex)}
        </span>
      </p>
      {decoded ? <DecodedItem chainId={chainId} of={decoded} /> : <p class="quiet">Not decoded: its event is not known.</p>}
      <details>
        <summary>Topics and data</summary>
        <ol class="fields" start={0}>
          {log.topics.map((topic, i) => (
            <li key={`${i} ${topic}`}>
              <Id value={topic} isWhole />
            </li>
          ))}
        </ol>
        <RawBytes hex={log.data} name="data" />
      </details>
    </>
  );
}
