/** A contract: who made it, its ABI as the user gives it, calls that read it, and its logs. Two requests; a tab asks for what it shows. */

import { ChainText } from "../../components/chain-text.tsx";
import type { Params } from "../../components/screen.tsx";
import { Answer } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { ContractAbi } from "./contract-abi.tsx";
import { ContractFacts, contractName, useContract } from "./contract-facts.tsx";
import { ContractLogs } from "./contract-logs.tsx";
import { ChainLink, type EvmChain, OfChain } from "./evm-chain.tsx";

const CONTRACT_TABS = [
  { path: "", name: "ABI" },
  { path: "logs", name: "Logs" },
];

export function ContractScreen({ params }: { readonly params: Params }) {
  return (
    <OfChain chainId={params.chainId!}>
      {(chain) => <ContractOfChain chain={chain} address={params.address!} tab={params.tab ?? ""} />}
    </OfChain>
  );
}

function ContractOfChain({ chain, address, tab }: { readonly chain: EvmChain; readonly address: string; readonly tab: string }) {
  const { chainId } = chain;
  const contract = useContract(chainId, address);
  const name = contract.data === undefined ? address : contractName(contract.data);
  return (
    <>
      <Title text={`Contract ${name}`}>
        Contract <ChainText text={name} longest={80} /> of <ChainLink chain={chain} />
      </Title>
      <Answer of={contract}>
        {(answer) => (
          <>
            <section class="card">
              <ContractFacts chainId={chainId} of={answer} />
            </section>
            <Tabs label="Parts of the contract" base={to.contract(chainId, address)} tabs={CONTRACT_TABS} current={tab} />
            {tab === "logs" ? (
              <ContractLogs chainId={chainId} address={answer.address} />
            ) : (
              <ContractAbi chain={chain} address={answer.address} />
            )}
          </>
        )}
      </Answer>
    </>
  );
}
