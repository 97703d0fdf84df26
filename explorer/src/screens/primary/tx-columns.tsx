/** Columns of lists of transactions. */
import { ChainText } from "../../components/chain-text.tsx";
import { Id } from "../../components/id.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { type PrimaryAlias, to } from "../../router.ts";
import { useChains } from "./chains.ts";
import { burnedOf, flowsOf, type Transaction } from "./flows.ts";
import { movesOf } from "./moves.ts";
import { assets } from "./pieces.tsx";
import { txType } from "./tx-types.ts";

export function txColumns(chain: PrimaryAlias): readonly Column<Transaction>[] {
  return [
    { name: "Transaction", cell: ({ txHash }) => <Id value={txHash} href={to.transaction(chain, txHash)} hasCopy /> },
    {
      name: "Type",
      cell: ({ txType: type }) => (
        <>
          {txType(chain, type).name} <div class="quiet">{type}</div>
        </>
      ),
    },
    { name: "Time", cell: (tx) => <Time seconds={"blockTimestamp" in tx ? tx.blockTimestamp : tx.timestamp} /> },
    { name: "Block", isNumber: true, cell: (tx) => <BlockOf chain={chain} tx={tx} /> },
    { name: "Moved", isNumber: true, cell: (tx) => <Moved chain={chain} tx={tx} /> },
    { name: "Fee", isNumber: true, cell: (tx) => assets(burnedOf(tx)) },
  ];
}

/** Without change: what others got, was staked, went to another chain and so on. */
function Moved({ chain, tx }: { readonly chain: PrimaryAlias; readonly tx: Transaction }) {
  const ownChainId = useChains()?.idOf(chain);
  if (ownChainId === undefined) return null;
  return (
    <>
      {movesOf(tx, flowsOf(tx), ownChainId).map(({ verb, amounts }) => (
        <div key={verb}>
          <span class="quiet">{verb}</span> {assets(amounts)}
        </div>
      ))}
    </>
  );
}

function BlockOf({ chain, tx }: { readonly chain: PrimaryAlias; readonly tx: Transaction }) {
  if ("vertices" in tx) {
    const [first] = tx.vertices;
    return first === undefined ? <>genesis</> : <a href={to.vertex(first.hash)}>vertex</a>;
  }
  const height = "blockNumber" in tx ? tx.blockNumber : `${tx.blockHeight}`;
  return <a href={to.block(chain, height)}>{height}</a>;
}

export function nameOfAsset({ name, symbol }: { readonly name: string; readonly symbol: string }) {
  return (
    <>
      <ChainText text={name} /> (<ChainText text={symbol} longest={24} />)
    </>
  );
}
