/** UTXOs of an address on one chain: one request for a page. */
import { useState } from "preact/hooks";
import type { Overview } from "../../api/overview.ts";
import { usePages } from "../../api/queries.ts";
import { AssetAmount } from "../../components/asset-amount.tsx";
import { Id } from "../../components/id.tsx";
import { type Column, List } from "../../components/table.tsx";
import { Time, useNow } from "../../components/time.tsx";
import { type PrimaryAlias, to } from "../../router.ts";
import { type AnyUtxo, aliasOf, primaryChains, readUtxos, type UtxoFilter } from "./primary.ts";
import type { TabProps } from "./tab-props.ts";
import { lockOf, originOf, spentAt } from "./utxo-state.ts";

const PAGE_SIZE = 25;

export function Utxos({ address, overview }: TabProps) {
  const chains = primaryChains(overview);
  const [chain, setChain] = useState<PrimaryAlias>(chains[0]!);
  const [includeSpent, setIncludeSpent] = useState(false);
  const [sortBy, setSortBy] = useState<"timestamp" | "amount">("timestamp");
  const [assetId, setAssetId] = useState("");
  const filter: UtxoFilter = { pageSize: PAGE_SIZE, includeSpent, sortBy, assetId: chain === "X" && assetId !== "" ? assetId : undefined };
  const utxos = usePages(
    ["UTXOs", chain, address, filter],
    (pageToken) => readUtxos(chain, address, filter, pageToken),
    ({ utxos: page }): readonly AnyUtxo[] => page,
    { follows: chain },
  );
  return (
    <section class="card">
      <h2>UTXOs</h2>
      <div class="filters">
        <label>
          Chain{" "}
          <select value={chain} onChange={({ currentTarget }) => setChain(currentTarget.value as PrimaryAlias)}>
            {chains.map((each) => (
              <option key={each} value={each}>
                {each === "C" ? "C-chain (imports and exports)" : `${each}-chain`}
              </option>
            ))}
          </select>
        </label>
        <label>
          Order{" "}
          <select value={sortBy} onChange={({ currentTarget }) => setSortBy(currentTarget.value as "timestamp" | "amount")}>
            <option value="timestamp">newest first</option>
            <option value="amount">largest first</option>
          </select>
        </label>
        <label>
          <input type="checkbox" checked={includeSpent} onChange={({ currentTarget }) => setIncludeSpent(currentTarget.checked)} />
          spent ones too
        </label>
        {chain === "X" && (
          <label>
            Asset ID{" "}
            <input value={assetId} onChange={({ currentTarget }) => setAssetId(currentTarget.value.trim())} placeholder="all assets" />
          </label>
        )}
      </div>
      <p class="quiet">
        An output of several owners is listed only where this address alone can spend it. Outputs that need more signatures are in the
        transactions of the <a href={`${to.address(address)}/history`}>history</a>.
      </p>
      <List
        label="UTXOs"
        of={utxos}
        columns={columns(address, chain, overview)}
        keyOf={({ utxoId }) => utxoId}
        empty="There is no such UTXO."
      />
    </section>
  );
}

function columns(address: string, chain: PrimaryAlias, overview: Overview): readonly Column<AnyUtxo>[] {
  return [
    { name: "Amount", isNumber: true, cell: ({ asset }) => <AssetAmount amount={BigInt(asset.amount)} asset={asset} /> },
    { name: "State", cell: (utxo) => <State utxo={utxo} chain={chain} overview={overview} /> },
    { name: "Owners", cell: (utxo) => <Owners utxo={utxo} address={address} /> },
    { name: "Created", cell: (utxo) => <Created utxo={utxo} overview={overview} /> },
    { name: "Spent", cell: (utxo) => <Spent utxo={utxo} overview={overview} /> },
  ];
}

interface UtxoProps {
  readonly utxo: AnyUtxo;
  readonly overview: Overview;
}

function State({ utxo, chain, overview }: UtxoProps & { readonly chain: PrimaryAlias }) {
  const now = BigInt(useNow());
  const { until, isStakeable } = lockOf(utxo);
  const [created, consumed] = [aliasOf(utxo.createdOnChainId, overview), aliasOf(utxo.consumedOnChainId, overview)];
  const parts: preact.ComponentChildren[] = [];
  if ("staked" in utxo && utxo.staked) {
    parts.push(
      <>
        staked{" "}
        {utxo.utxoEndTimestamp !== undefined && (
          <>
            until <Time seconds={utxo.utxoEndTimestamp} />
          </>
        )}
      </>,
    );
  }
  if (until > now) {
    parts.push(
      <>
        {isStakeable ? "only staked" : "locked"} until <Time seconds={until} />
      </>,
    );
  }
  if (created !== consumed)
    parts.push(consumed === chain ? `exported by the ${created ?? "other"}-chain` : `exported to the ${consumed ?? "other"}-chain`);
  if ("utxoType" in utxo && !/^(?:transfer|stake)$/i.test(utxo.utxoType)) parts.push(utxo.utxoType);
  if (utxo.consumingTxHash !== undefined) parts.push("spent");
  if (parts.length === 0) parts.push("unlocked");
  return (
    <>
      {parts.map((part, i) => (
        <div key={i}>{part}</div>
      ))}
    </>
  );
}

function Owners({ utxo: { addresses, threshold }, address }: { readonly utxo: AnyUtxo; readonly address: string }) {
  if (addresses.length === 1 && threshold === 1) return <>this address</>;
  return (
    <>
      {threshold} of {addresses.length} must sign
      {addresses.map((owner) => (
        <div key={owner}>{owner === address ? "this address" : <Id value={owner} href={to.address(owner)} />}</div>
      ))}
    </>
  );
}

function Created({ utxo, overview }: UtxoProps) {
  const { txId, index, timestamp } = originOf(utxo);
  return (
    <>
      <TxLink id={txId} chain={aliasOf(utxo.createdOnChainId, overview)} /> · output {index}
      <div>
        <Time seconds={timestamp} />
      </div>
    </>
  );
}

function Spent({ utxo, overview }: UtxoProps) {
  const at = spentAt(utxo);
  if (utxo.consumingTxHash === undefined) return <>–</>;
  return (
    <>
      <TxLink id={utxo.consumingTxHash} chain={aliasOf(utxo.consumedOnChainId, overview)} />
      {at !== undefined && (
        <div>
          <Time seconds={at} />
        </div>
      )}
    </>
  );
}

function TxLink({ id, chain }: { readonly id: string; readonly chain: PrimaryAlias | undefined }) {
  return <Id value={id} href={chain && to.transaction(chain, id)} />;
}
