/** Rewards of a node and of its delegators: those to come, and those that were paid. */
import { Amount } from "../../components/amount.tsx";
import { Id } from "../../components/id.tsx";
import { type Column, List } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { to } from "../../router.ts";
import { Owner } from "./owner.tsx";
import { useHistoricalRewards, usePendingRewards } from "./requests.ts";

interface Reward {
  readonly rewardType: "VALIDATOR" | "DELEGATOR" | "VALIDATOR_FEE";
  readonly txHash: string;
  readonly addresses: readonly string[];
  readonly amountStaked: string;
  readonly endTimestamp: number;
}

const TYPES = { VALIDATOR: "validator", DELEGATOR: "delegator", VALIDATOR_FEE: "validator's part" } as const;

const COMMON: readonly Column<Reward>[] = [
  { name: "For", cell: ({ rewardType }) => TYPES[rewardType] },
  { name: "Goes to", cell: ({ addresses }) => <Owner of={{ addresses }} /> },
  { name: "Staked by", cell: ({ txHash }) => <Id value={txHash} href={to.transaction("P", txHash)} /> },
  { name: "Ends", cell: ({ endTimestamp }) => <Time seconds={endTimestamp} /> },
];

export function Rewards({ nodeId }: { readonly nodeId: string }) {
  return (
    <>
      <h2>To come</h2>
      <List
        label="Rewards to come"
        of={usePendingRewards(nodeId)}
        keyOf={({ txHash, rewardType }) => `${txHash} ${rewardType}`}
        empty="No reward is to come."
        columns={[
          ...COMMON,
          // the stake is in the asset of its reward
          {
            name: "Staked",
            isNumber: true,
            cell: ({ amountStaked, estimatedReward }) => <AssetAmount of={{ ...estimatedReward, amount: amountStaked }} />,
          },
          { name: "Reward", isNumber: true, cell: ({ estimatedReward }) => <AssetAmount of={estimatedReward} /> },
          { name: "Over", isNumber: true, cell: ({ progress }) => `${Math.floor(progress * 100) / 100} %` },
        ]}
      />
      <h2>Paid</h2>
      <List
        label="Paid rewards"
        of={useHistoricalRewards(nodeId)}
        keyOf={({ utxoId }) => utxoId}
        empty="No reward was paid yet."
        columns={[
          ...COMMON,
          { name: "Staked", isNumber: true, cell: ({ amountStaked, reward }) => <AssetAmount of={{ ...reward, amount: amountStaked }} /> },
          { name: "Reward", isNumber: true, cell: ({ reward }) => <AssetAmount of={reward} /> },
          { name: "Paid by", cell: ({ rewardTxHash }) => <Id value={rewardTxHash} href={to.transaction("P", rewardTxHash)} /> },
        ]}
      />
    </>
  );
}

interface AmountJson {
  readonly amount: string;
  readonly denomination: number;
  readonly symbol: string;
}

function AssetAmount({ of: { amount, denomination, symbol } }: { readonly of: AmountJson }) {
  return <Amount value={amount} decimals={denomination} symbol={symbol} />;
}
