/** What an address stakes, and the rewards that it can expect and got. Three lists: one request each, and one for a further page. */
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { networkInPaths } from "../../api/overview.ts";
import { usePages } from "../../api/queries.ts";
import { AssetAmount } from "../../components/asset-amount.tsx";
import { Id } from "../../components/id.tsx";
import { type Column, List } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { to } from "../../router.ts";
import type { TabProps } from "./tab-props.ts";

type Schemas = components["schemas"];
type Transaction = Schemas["PChainTransaction"];
type Pending = Schemas["PendingReward"];
type Paid = Schemas["HistoricalReward"];

const P = "P";

function page(pageToken: string | undefined) {
  return pageToken === undefined ? {} : { pageToken };
}

export function Staking({ address }: TabProps) {
  const stakes = usePages(
    ["stakes", address],
    async (pageToken) => {
      const path = { network: await networkInPaths(), blockchainId: "p-chain" } as const;
      const params = { path, query: { addresses: address, ...page(pageToken) } };
      return answerOf(data.GET("/v1/networks/{network}/blockchains/{blockchainId}/transactions:listStaking", { params }));
    },
    ({ transactions }) => transactions as readonly Transaction[],
    { follows: P },
  );
  const pending = usePages(
    ["pending rewards", address],
    async (pageToken) => {
      const params = { path: { network: await networkInPaths() }, query: { addresses: address, ...page(pageToken) } };
      return answerOf(data.GET("/v1/networks/{network}/rewards:listPending", { params }));
    },
    ({ pendingRewards }) => pendingRewards,
    { follows: P },
  );
  const paid = usePages(
    ["paid rewards", address],
    async (pageToken) => {
      const params = { path: { network: await networkInPaths() }, query: { addresses: address, ...page(pageToken) } };
      return answerOf(data.GET("/v1/networks/{network}/rewards", { params }));
    },
    ({ historicalRewards }) => historicalRewards,
    { follows: P },
  );
  return (
    <>
      <section class="card">
        <h2>Active and pending stakes</h2>
        <p class="quiet">Validations and delegations that consumed or will return outputs of this address.</p>
        <List label="Stakes" of={stakes} columns={STAKES} keyOf={({ txHash }) => txHash} empty="It stakes nothing at the moment." />
      </section>
      <section class="card">
        <h2>Rewards to expect</h2>
        <List
          label="Rewards to expect"
          of={pending}
          columns={PENDING}
          keyOf={({ txHash, rewardType }) => `${txHash} ${rewardType}`}
          empty="It can expect no reward."
        />
      </section>
      <section class="card">
        <h2>Rewards paid</h2>
        <List label="Rewards paid" of={paid} columns={PAID} keyOf={({ utxoId }) => utxoId} empty="It was paid no reward." />
      </section>
    </>
  );
}

const transaction = <I extends { readonly txHash: string }>(name: string): Column<I> => ({
  name,
  cell: ({ txHash }) => <Id value={txHash} href={to.transaction(P, txHash)} />,
});
const node = <I extends { readonly nodeId?: string | undefined }>(): Column<I> => ({
  name: "Validator",
  cell: ({ nodeId }) => nodeId && <Id value={nodeId} href={to.validator(nodeId)} />,
});
const end = <I extends { readonly endTimestamp?: number | undefined }>(): Column<I> => ({
  name: "End",
  cell: ({ endTimestamp }) => endTimestamp !== undefined && <Time seconds={endTimestamp} />,
});

const STAKES: readonly Column<Transaction>[] = [
  transaction("Transaction"),
  { name: "Type", cell: ({ txType }) => txType },
  node(),
  {
    name: "Stake",
    isNumber: true,
    cell: ({ amountStaked }) =>
      amountStaked.map((asset) => (
        <div key={asset.assetId}>
          <AssetAmount amount={BigInt(asset.amount)} asset={asset} />
        </div>
      )),
  },
  end(),
];

const REWARDS = { VALIDATOR: "own stake", DELEGATOR: "delegation", VALIDATOR_FEE: "share of its delegators' rewards" } as const;

const PENDING: readonly Column<Pending>[] = [
  transaction("Staking transaction"),
  node(),
  { name: "For", cell: ({ rewardType }) => REWARDS[rewardType] },
  {
    name: "Stake",
    isNumber: true,
    cell: ({ amountStaked, estimatedReward }) => <AssetAmount amount={BigInt(amountStaked)} asset={estimatedReward} />,
  },
  { name: "Reward", isNumber: true, cell: ({ estimatedReward: reward }) => <AssetAmount amount={BigInt(reward.amount)} asset={reward} /> },
  { name: "Over", isNumber: true, cell: ({ progress }) => `${progress} %` },
  end(),
];

const PAID: readonly Column<Paid>[] = [
  { name: "Paid in", cell: ({ rewardTxHash }) => <Id value={rewardTxHash} href={to.transaction(P, rewardTxHash)} /> },
  transaction("Staking transaction"),
  node(),
  { name: "For", cell: ({ rewardType }) => REWARDS[rewardType] },
  { name: "Reward", isNumber: true, cell: ({ reward }) => <AssetAmount amount={BigInt(reward.amount)} asset={reward} /> },
  end(),
];
