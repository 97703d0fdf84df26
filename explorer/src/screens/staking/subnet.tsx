/**
 * One subnet: owners, blockchains, validators, the terms of an elastic one, the conversion of an L1. Two requests, one more for the terms, and
 * one for each page of validators.
 */
import { answerOf, data, rpc } from "../../api/client.ts";
import { networkInPaths } from "../../api/overview.ts";
import { useAnswer } from "../../api/queries.ts";
import { ChainText, spelled } from "../../components/chain-text.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Id, shortened } from "../../components/id.tsx";
import type { Params } from "../../components/screen.tsx";
import { Answer, Empty } from "../../components/states.tsx";
import { List, Table } from "../../components/table.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Time } from "../../components/time.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { ElasticTerms } from "./elastic-terms.tsx";
import { L1ValidatorList } from "./l1-validator-list.tsx";
import { Owner } from "./owner.tsx";
import { PRIMARY_NETWORK_ID, type Subnet, useValidators } from "./requests.ts";
import { BlockchainLink, nameOfSubnet } from "./subnet-columns.tsx";
import { ENDS, STAKE, STARTS } from "./validator-columns.tsx";

export function SubnetScreen({ params: { id = "", tab = "" } }: { readonly params: Params }) {
  const subnet = useAnswer(
    ["getSubnetById", id],
    async () => {
      const params = { path: { network: await networkInPaths(), subnetId: id } };
      return answerOf(data.GET("/v1/networks/{network}/subnets/{subnetId}", { params }));
    },
    { follows: "P" },
  );
  const name = subnet.data && nameOfSubnet(subnet.data);
  return (
    <>
      <Title text={name === undefined ? `Subnet ${shortened(id)}` : spelled(name)}>
        {subnet.data?.isL1 ? "L1" : "Subnet"} {name !== undefined && <ChainText text={name} longest={60} />}{" "}
        <small>
          <Id value={id} isWhole={name === undefined} hasCopy />
        </small>
      </Title>
      <Answer of={subnet}>
        {(answer) => (
          <>
            <SubnetFacts of={answer} />
            <Parts of={answer} tab={tab} />
          </>
        )}
      </Answer>
    </>
  );
}

interface NodeSubnet {
  /** the empty ID if it is not elastic */
  readonly subnetTransformationTxID: string;
  readonly conversionID: string;
}

const EMPTY_ID = "11111111111111111111111111111111LpoYY";

function SubnetFacts({ of: subnet }: { readonly of: Subnet }) {
  const { subnetId, isL1, subnetOwnershipInfo, createBlockIndex, createBlockTimestamp, l1ConversionTransactionHash } = subnet;
  const manager = subnet.l1ValidatorManagerDetails;
  const isPrimary = subnetId === PRIMARY_NETWORK_ID;
  const { data: node } = useAnswer(["getSubnet", subnetId], () => rpc<NodeSubnet>("bc/P", "platform.getSubnet", { subnetID: subnetId }), {
    follows: "P",
    isWanted: !isPrimary,
  });
  const transformation = node?.subnetTransformationTxID ?? EMPTY_ID;
  return (
    <>
      <section class="card">
        <Facts>
          <Fact name="Subnet ID">
            <Id value={subnetId} isWhole />
          </Fact>
          <Fact name="Kind">
            {isPrimary ? "the primary network" : isL1 ? "L1" : transformation === EMPTY_ID ? "permissioned subnet" : "elastic subnet"}
          </Fact>
          <Fact name="Owners">{isPrimary ? undefined : <Owner of={subnetOwnershipInfo} />}</Fact>
          <Fact name="Created">
            <Time seconds={createBlockTimestamp} />
            {createBlockIndex === "-1" ? (
              " by the genesis"
            ) : (
              <>
                {" "}
                at height <a href={to.block("P", createBlockIndex)}>{createBlockIndex}</a>, by{" "}
                <Id value={subnetId} href={to.transaction("P", subnetId)} />
              </>
            )}
          </Fact>
          <Fact name="Converted to an L1 by">
            {l1ConversionTransactionHash !== undefined && (
              <Id value={l1ConversionTransactionHash} href={to.transaction("P", l1ConversionTransactionHash)} hasCopy />
            )}
          </Fact>
          <Fact name="Conversion ID">{isL1 && node !== undefined && <Id value={node.conversionID} hasCopy />}</Fact>
          <Fact name="Its validators are managed by">
            {manager !== undefined && (
              <>
                <Id value={manager.contractAddress} hasCopy /> on{" "}
                <Id value={manager.blockchainId} href={to.blockchain(manager.blockchainId)} />
              </>
            )}
          </Fact>
        </Facts>
      </section>
      {transformation !== EMPTY_ID && <ElasticTerms txId={transformation} />}
    </>
  );
}

function Parts({ of: { subnetId, isL1, blockchains }, tab }: { readonly of: Subnet; readonly tab: string }) {
  const tabs = [
    { path: "", name: "Blockchains" },
    ...(isL1 ? [{ path: "l1-validators", name: "L1 validators" }] : []),
    { path: "validators", name: isL1 ? "Validators before the conversion" : "Validators" },
  ];
  return (
    <>
      <Tabs label="Of this subnet" base={to.subnet(subnetId)} tabs={tabs} current={tab} />
      <section class="card">
        {tab === "validators" && <SubnetValidators subnetId={subnetId} />}
        {tab === "l1-validators" && <L1ValidatorList query={{ subnetId }} empty="This L1 has no validator." />}
        {tab === "" &&
          (blockchains.length === 0 ? (
            <Empty>This subnet has no blockchain.</Empty>
          ) : (
            <Table
              label="Blockchains of this subnet"
              items={blockchains}
              keyOf={({ blockchainId }) => blockchainId}
              columns={[
                { name: "Name", cell: (chain) => <BlockchainLink of={chain} /> },
                { name: "Blockchain", cell: ({ blockchainId }) => <Id value={blockchainId} href={to.blockchain(blockchainId)} hasCopy /> },
                { name: "VM", cell: ({ vmId }) => <ChainText text={vmId} longest={60} /> },
                { name: "EVM chain ID", isNumber: true, cell: ({ evmChainId }) => (evmChainId === 0 ? null : `${evmChainId}`) },
                { name: "Created", cell: ({ createBlockTimestamp }) => <Time seconds={createBlockTimestamp} /> },
              ]}
            />
          ))}
      </section>
    </>
  );
}

function SubnetValidators({ subnetId }: { readonly subnetId: string }) {
  return (
    <List
      label="Validators of this subnet"
      of={useValidators({ subnetId })}
      keyOf={({ txHash }) => txHash}
      empty="This subnet never had a validator."
      columns={[
        { name: "Node", cell: ({ nodeId }) => <Id value={nodeId} href={to.validator(nodeId)} /> },
        { name: "State", cell: ({ validationStatus }) => validationStatus },
        STAKE,
        STARTS,
        ENDS,
        { name: "Transaction", cell: ({ txHash }) => <Id value={txHash} href={to.transaction("P", txHash)} /> },
      ]}
    />
  );
}
