/** When locked amounts of a chain unlock. One request, when it is opened: the largest UTXOs tell it. */
import { useState } from "preact/hooks";
import { useAnswer } from "../../api/queries.ts";
import { AssetAmount, type NamedAsset } from "../../components/asset-amount.tsx";
import { Answer, Empty } from "../../components/states.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Time, useNow } from "../../components/time.tsx";
import { type PrimaryAlias, to } from "../../router.ts";
import { type AnyUtxo, readUtxos } from "./primary.ts";
import { lockOf } from "./utxo-state.ts";

const MOST_UTXOS = 100;

interface Unlocking {
  /** Unix seconds */
  readonly until: bigint;
  readonly isStakeable: boolean;
  readonly asset: NamedAsset;
  readonly amount: bigint;
}

export function LockTimes({ chain, address }: { readonly chain: PrimaryAlias; readonly address: string }) {
  const [isOpen, setOpen] = useState(false);
  const utxos = useAnswer(
    ["locks", chain, address],
    () => readUtxos(chain, address, { pageSize: MOST_UTXOS, sortBy: "amount" }, undefined),
    { follows: chain, isWanted: isOpen },
  );
  return (
    <details class="card" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>When locks on the {chain}-chain end</summary>
      {isOpen && (
        <Answer of={utxos}>
          {({ utxos: largest, nextPageToken }) => (
            <>
              <Locks utxos={largest} />
              {nextPageToken !== undefined && (
                <p class="quiet">
                  These are the {MOST_UTXOS} largest UTXOs; <a href={`${to.address(address)}/utxos`}>all UTXOs</a> have their own locks.
                </p>
              )}
            </>
          )}
        </Answer>
      )}
    </details>
  );
}

const COLUMNS: readonly Column<Unlocking>[] = [
  { name: "Until", cell: ({ until }) => <Time seconds={until} /> },
  { name: "Lock", cell: ({ isStakeable }) => (isStakeable ? "can be staked before" : "cannot be used before") },
  { name: "Amount", isNumber: true, cell: ({ amount, asset }) => <AssetAmount amount={amount} asset={asset} /> },
];

function Locks({ utxos }: { readonly utxos: readonly AnyUtxo[] }) {
  const locks = unlockings(utxos, BigInt(useNow()));
  if (locks.length === 0) return <Empty>None of them is locked.</Empty>;
  return (
    <Table
      label="Ends of locks"
      columns={COLUMNS}
      items={locks}
      keyOf={({ until, isStakeable, asset }) => `${until} ${isStakeable} ${asset.assetId}`}
    />
  );
}

/** Sums of what unlocks at the same time, the next one first. */
export function unlockings(utxos: readonly AnyUtxo[], now: bigint): Unlocking[] {
  const sums = new Map<string, Unlocking>();
  for (const utxo of utxos) {
    const { until, isStakeable } = lockOf(utxo);
    if (until <= now) continue;
    const key = `${until} ${isStakeable} ${utxo.asset.assetId} ${utxo.asset.type}`;
    const amount = (sums.get(key)?.amount ?? 0n) + BigInt(utxo.asset.amount);
    sums.set(key, { until, isStakeable, asset: utxo.asset, amount });
  }
  return [...sums.values()].sort((a, b) => (a.until < b.until ? -1 : Number(a.until > b.until)));
}
