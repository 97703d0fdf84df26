/** The address as a contract: who deployed it, its ABI, reads and writes; and which contracts it deployed. Three requests, and those of its reads. */
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { useAnswer, usePages } from "../../api/queries.ts";
import { ChainText } from "../../components/chain-text.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import { Answer } from "../../components/states.tsx";
import { type Column, List } from "../../components/table.tsx";
import { to } from "../../router.ts";
import { ContractAbi } from "../evm/contract-abi.tsx";
import { OfChain } from "../evm/evm-chain.tsx";
import { type AccountChain, ChainPicker } from "./evm-chains.tsx";
import type { TabProps } from "./tab-props.ts";

type Contract = components["schemas"]["Contract"];

export function EvmContract({ address, overview, chainId }: TabProps) {
  return (
    <ChainPicker address={address} overview={overview} chainId={chainId} tab="contract">
      {(chain) => <ContractOf chain={chain} address={address} />}
    </ChainPicker>
  );
}

function ContractOf({ chain: { evmChainId }, address }: { readonly chain: AccountChain; readonly address: string }) {
  const path = { chainId: evmChainId, address };
  const contract = useAnswer(
    ["contract", evmChainId, address],
    () => answerOf(data.GET("/v1/chains/{chainId}/addresses/{address}", { params: { path } })),
    { follows: evmChainId },
  );
  const deployed = usePages(
    ["deployed", evmChainId, address],
    (pageToken) => {
      const params = { path, query: pageToken === undefined ? {} : { pageToken } };
      return answerOf(data.GET("/v1/chains/{chainId}/contracts/{address}/deployments", { params }));
    },
    ({ contracts }) => contracts,
    { follows: evmChainId },
  );
  return (
    <>
      <section class="card">
        <h2>Contract</h2>
        <Answer of={contract}>{(known) => <ContractFacts chainId={evmChainId} contract={known} />}</Answer>
      </section>
      {contract.data !== undefined && isContract(contract.data) && (
        <OfChain chainId={evmChainId} isPart>
          {(known) => <ContractAbi chain={known} address={contract.data.address} />}
        </OfChain>
      )}
      <section class="card">
        <h2>Contracts that it deployed</h2>
        <List label="Contracts" of={deployed} columns={columns(evmChainId)} keyOf={(each) => each.address} empty="It deployed none." />
      </section>
    </>
  );
}

function isContract({ ercType, deploymentDetails }: Contract): boolean {
  return ercType !== "UNKNOWN" || deploymentDetails !== undefined;
}

function ContractFacts({ chainId, contract }: { readonly chainId: string; readonly contract: Contract }) {
  const { name, ercType, deploymentDetails: deployment } = contract;
  const isToken = ercType !== "UNKNOWN";
  if (!isContract(contract)) {
    return (
      <p>
        No indexed transaction deployed a contract here, and it is not known as a token. It may be an account, or a contract of the genesis.{" "}
        <a href={to.contract(chainId, contract.address)}>Look for its logs</a>
      </p>
    );
  }
  return (
    <Facts>
      <Fact name="Kind">
        {isToken ? <a href={to.token(chainId, contract.address)}>{ercType} token</a> : "a contract that is no known token"}
      </Fact>
      <Fact name="Logs">
        <a href={`${to.contract(chainId, contract.address)}/logs`}>of the contract</a>
      </Fact>
      <Fact name="Name">{name && <ChainText text={name} />}</Fact>
      <Fact name="Symbol">{"symbol" in contract && contract.symbol && <ChainText text={contract.symbol} />}</Fact>
      <Fact name="Deployed by">
        {deployment && <Id value={deployment.deployerAddress} href={to.evmAddress(chainId, deployment.deployerAddress)} />}
      </Fact>
      <Fact name="Through the contract">
        {deployment?.deployerContractAddress && (
          <Id value={deployment.deployerContractAddress} href={to.evmAddress(chainId, deployment.deployerContractAddress)} />
        )}
      </Fact>
      <Fact name="In the transaction">
        {deployment && <Id value={deployment.txHash} href={to.evmTransaction(chainId, deployment.txHash)} />}
      </Fact>
    </Facts>
  );
}

function columns(chainId: string): readonly Column<Contract>[] {
  return [
    { name: "Contract", cell: ({ address }) => <Id value={address} href={to.evmAddress(chainId, address)} /> },
    { name: "Kind", cell: ({ ercType }) => (ercType === "UNKNOWN" ? "contract" : ercType) },
    { name: "Name", cell: ({ name }) => name && <ChainText text={name} longest={60} /> },
    {
      name: "Transaction",
      cell: ({ deploymentDetails: deployment }) =>
        deployment && <Id value={deployment.txHash} href={to.evmTransaction(chainId, deployment.txHash)} />,
    },
  ];
}
