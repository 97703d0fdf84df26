/** Columns of lists of subnets, and how their parts are shown. */
import { ChainText } from "../../components/chain-text.tsx";
import { Id } from "../../components/id.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { to } from "../../router.ts";
import { Owner } from "./owner.tsx";
import { type Blockchain, PRIMARY_NETWORK_ID, type Subnet } from "./requests.ts";

type C = Column<Subnet>;
const SHOWN_CHAINS = 5;

export function BlockchainLink({ of: { blockchainId, blockchainName } }: { readonly of: Blockchain }) {
  return (
    <a href={to.blockchain(blockchainId)}>
      {blockchainName === "" ? <Id value={blockchainId} /> : <ChainText text={blockchainName} longest={60} />}
    </a>
  );
}

/** People know a subnet by the name of its first blockchain. */
export function nameOfSubnet({ subnetId, blockchains }: Pick<Subnet, "subnetId" | "blockchains">): string | undefined {
  if (subnetId === PRIMARY_NETWORK_ID) return "Primary network";
  return blockchains[0]?.blockchainName || undefined;
}

export function SubnetLink({ of }: { readonly of: Pick<Subnet, "subnetId" | "blockchains"> }) {
  const name = nameOfSubnet(of);
  if (name === undefined) return <Id value={of.subnetId} href={to.subnet(of.subnetId)} />;
  return (
    <>
      <a href={to.subnet(of.subnetId)} title={of.subnetId}>
        <ChainText text={name} longest={60} />
      </a>{" "}
      <span class="quiet">
        <Id value={of.subnetId} />
      </span>
    </>
  );
}

export const SUBNET_ID: C = { name: "Subnet", cell: (subnet) => <SubnetLink of={subnet} /> };
export const L1: C = { ...SUBNET_ID, name: "L1" };
export const CHAINS: C = {
  name: "Blockchains",
  cell: ({ blockchains }) => (
    <>
      {blockchains.slice(0, SHOWN_CHAINS).map((chain, i) => (
        <span key={chain.blockchainId}>
          {i > 0 && ", "}
          <BlockchainLink of={chain} />
        </span>
      ))}
      {blockchains.length === 0 && <span class="quiet">none</span>}
      {blockchains.length > SHOWN_CHAINS && <span class="quiet"> and {blockchains.length - SHOWN_CHAINS} more</span>}
    </>
  ),
};
export const KIND: C = { name: "Kind", cell: ({ isL1 }) => (isL1 ? <span class="badge">L1</span> : "subnet") };
export const OWNER: C = { name: "Owners", cell: ({ subnetOwnershipInfo }) => <Owner of={subnetOwnershipInfo} /> };
export const MANAGER: C = {
  name: "Manager of its validators",
  cell: ({ l1ValidatorManagerDetails: manager }) =>
    manager === undefined ? null : (
      <>
        <Id value={manager.contractAddress} /> on <Id value={manager.blockchainId} href={to.blockchain(manager.blockchainId)} />
      </>
    ),
};
export const CREATED: C = { name: "Created", cell: ({ createBlockTimestamp }) => <Time seconds={createBlockTimestamp} /> };
