/**
 * One node: what it validates now, and by tabs its validations, delegators, rewards, blocks, weight over time and L1 validations. Two requests,
 * and one or two for the open tab; the weight over time costs up to 14.
 */
import { rpc } from "../../api/client.ts";
import { useAnswer } from "../../api/queries.ts";
import { Amount, Avax, count } from "../../components/amount.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Copy, Id, shortened } from "../../components/id.tsx";
import type { Params } from "../../components/screen.tsx";
import { List } from "../../components/table.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Time } from "../../components/time.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { L1ValidatorList } from "./l1-validator-list.tsx";
import { Owner, type OwnerJson } from "./owner.tsx";
import { ProposedBlocks } from "./proposed-blocks.tsx";
import { PRIMARY_NETWORK_ID, useDelegators, useValidations, type Validator } from "./requests.ts";
import { Rewards } from "./rewards.tsx";
import { shortPercent, weightOf } from "./stake.ts";
import { DELEGATED, ENDS, STAKE, STARTS, SUBNET } from "./validator-columns.tsx";
import { WeightHistory } from "./weight-history.tsx";

const TABS = [
  { path: "", name: "Validations" },
  { path: "delegators", name: "Delegators" },
  { path: "rewards", name: "Rewards" },
  { path: "blocks", name: "Blocks" },
  { path: "weight", name: "Weight over time" },
  { path: "l1s", name: "L1s" },
];

export function ValidatorScreen({ params: { nodeId = "", tab = "" } }: { readonly params: Params }) {
  return (
    <>
      <Title text={shortened(nodeId)}>
        Node <Id value={nodeId} isWhole />
      </Title>
      <Now nodeId={nodeId} />
      <Tabs label="Of this node" base={to.validator(nodeId)} tabs={TABS} current={tab} />
      <section class="card">
        {tab === "" && <Validations nodeId={nodeId} />}
        {tab === "delegators" && <Delegators nodeId={nodeId} />}
        {tab === "rewards" && <Rewards nodeId={nodeId} />}
        {tab === "blocks" && <ProposedBlocks nodeId={nodeId} />}
        {tab === "weight" && <WeightHistory nodeId={nodeId} />}
        {tab === "l1s" && <L1ValidatorList query={{ nodeId }} empty="This node validates no L1." />}
      </section>
    </>
  );
}

/** What only the node's own method says; the rest is in the validation. */
interface CurrentValidator {
  readonly uptime?: string;
  readonly connected?: boolean;
  readonly validationRewardOwner?: OwnerJson;
  readonly delegationRewardOwner?: OwnerJson;
  readonly accruedDelegateeReward?: string;
}

/** The validation of the primary network that runs or is to come. */
function Now({ nodeId }: { readonly nodeId: string }) {
  const { items } = useValidations(nodeId);
  const current = items?.find(
    ({ subnetId, validationStatus }) =>
      subnetId === PRIMARY_NETWORK_ID && (validationStatus === "active" || validationStatus === "pending"),
  );
  const { data: node } = useAnswer(
    ["getCurrentValidators", nodeId],
    () => rpc<{ validators: readonly CurrentValidator[] }>("bc/P", "platform.getCurrentValidators", { nodeIDs: [nodeId] }),
    { follows: "P", isWanted: current?.validationStatus === "active" },
  );
  if (items === undefined) return null;
  if (current === undefined) return <p>This node is no validator of the primary network now.</p>;
  const { uptime, connected, validationRewardOwner, delegationRewardOwner, accruedDelegateeReward } = node?.validators[0] ?? {};
  return (
    <section class="card">
      <h2>Validates the primary network</h2>
      <Facts>
        <Fact name="State">{current.validationStatus}</Fact>
        <Fact name="Stake, own and delegated">
          <Avax value={weightOf(current)} />
        </Fact>
        <Fact name="Own stake">
          <Avax value={current.amountStaked} />
        </Fact>
        {"stakePercentage" in current && (
          <>
            <Fact name="Delegators">{count(current.delegatorCount)}</Fact>
            <Fact name="Can still be delegated">
              {current.delegationCapacity !== undefined && <Avax value={current.delegationCapacity} />}
            </Fact>
            <Fact name="Potential reward">
              <Avax value={current.potentialRewards.validationRewardAmount} />
            </Fact>
            <Fact name="Potential part of delegators' rewards">
              <Avax value={current.potentialRewards.delegationRewardAmount} />
            </Fact>
          </>
        )}
        <Fact name="Fee for delegators">{current.delegationFee !== undefined && `${shortPercent(current.delegationFee)} %`}</Fact>
        <Fact name="Uptime">{uptime !== undefined && uptimeText(uptime, connected)}</Fact>
        <Fact name="Starts">
          <Time seconds={current.startTimestamp} />
        </Fact>
        <Fact name="Ends">
          <Time seconds={current.endTimestamp} />
        </Fact>
        <Fact name="Kind">{current.stakingType === "autoRenewed" && "renews itself: the end is that of its cycle"}</Fact>
        <Fact name="Its reward goes to">{validationRewardOwner && <Owner of={validationRewardOwner} />}</Fact>
        <Fact name="Its part of delegators' rewards goes to">{delegationRewardOwner && <Owner of={delegationRewardOwner} />}</Fact>
        <Fact name="Earned from delegators so far">{accruedDelegateeReward !== undefined && <Avax value={accruedDelegateeReward} />}</Fact>
        <Fact name="BLS key">{current.blsCredentials !== undefined && <Id value={current.blsCredentials.publicKey} hasCopy />}</Fact>
        <Fact name="Proof that it has the key">
          {current.blsCredentials !== undefined && (
            <Copy text={current.blsCredentials.proofOfPossession} name="the proof of possession of the BLS key" />
          )}
        </Fact>
      </Facts>
    </section>
  );
}

/** A server that neither measures uptimes nor follows a node that does says 0. */
function uptimeText(uptime: string, connected: boolean | undefined): string {
  const text = `${shortPercent(uptime)} %`;
  return Number(uptime) === 0 ? `${text}, or not known here` : `${text}${connected ? ", connected" : ""}`;
}

function Validations({ nodeId }: { readonly nodeId: string }) {
  return (
    <List
      label="Validations of this node"
      of={useValidations(nodeId)}
      keyOf={({ txHash }) => txHash}
      empty="This node never staked as a validator."
      columns={[
        { name: "State", cell: ({ validationStatus }) => validationStatus },
        SUBNET,
        STAKE,
        DELEGATED,
        STARTS,
        ENDS,
        { name: "Reward", isNumber: true, cell: (validation) => <RewardOf of={validation} /> },
        { name: "Staked by", cell: ({ txHash }) => <Id value={txHash} href={to.transaction("P", txHash)} /> },
        { name: "Ended by", cell: (validation) => <EndOf of={validation} /> },
      ]}
    />
  );
}

function RewardOf({ of }: { readonly of: Validator }) {
  if (of.subnetId !== PRIMARY_NETWORK_ID) return null;
  if ("potentialRewards" in of) {
    return (
      <>
        <Avax value={of.potentialRewards.validationRewardAmount} /> <span class="quiet">to come</span>
      </>
    );
  }
  return "rewards" in of ? <Avax value={of.rewards.validationRewardAmount} /> : null;
}

function EndOf({ of }: { readonly of: Validator }) {
  const txHash = "rewards" in of ? of.rewards.rewardTxHash : "removeTxHash" in of ? of.removeTxHash : undefined;
  return txHash === undefined ? null : <Id value={txHash} href={to.transaction("P", txHash)} />;
}

/** The API does not say to which subnet a delegation is; those of an elastic subnet are in its own asset, so no unit is shown then. */
function Delegators({ nodeId }: { readonly nodeId: string }) {
  const { items = [], hasNextPage } = useValidations(nodeId);
  const isAllAvax =
    !hasNextPage && items.every((each) => each.subnetId === PRIMARY_NETWORK_ID || !("delegatorCount" in each && each.delegatorCount > 0));
  const amount = (value: string) => (isAllAvax ? <Avax value={value} /> : <Amount value={value} symbol="base units" />);
  return (
    <List
      label="Delegators of this node"
      of={useDelegators(nodeId)}
      keyOf={({ txHash }) => txHash}
      empty="Nobody delegates or delegated to this node."
      columns={[
        { name: "State", cell: ({ delegationStatus }) => delegationStatus },
        { name: "Delegated", isNumber: true, cell: ({ amountDelegated }) => amount(amountDelegated) },
        {
          name: "Net reward",
          isNumber: true,
          cell: (delegator) =>
            "netReward" in delegator ? (
              amount(delegator.netReward)
            ) : (
              <>
                {amount(delegator.estimatedNetReward)} <span class="quiet">to come</span>
              </>
            ),
        },
        { name: "Fee", isNumber: true, cell: ({ delegationFee }) => `${shortPercent(delegationFee)} %` },
        { name: "Starts", cell: ({ startTimestamp }) => <Time seconds={startTimestamp} /> },
        { name: "Ends", cell: ({ endTimestamp }) => <Time seconds={endTimestamp} /> },
        { name: "Reward goes to", cell: ({ rewardAddresses }) => <Owner of={{ addresses: rewardAddresses }} /> },
        { name: "Transaction", cell: ({ txHash }) => <Id value={txHash} href={to.transaction("P", txHash)} /> },
      ]}
    />
  );
}
