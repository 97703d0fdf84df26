/** What is known of a contract. One request. */
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { useAnswer } from "../../api/queries.ts";
import { ChainText } from "../../components/chain-text.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import { to } from "../../router.ts";

export type Contract = components["schemas"]["Contract"];

export function useContract(chainId: string, address: string, isWanted = true) {
  return useAnswer(
    ["evmContract", chainId, address],
    () => answerOf(data.GET("/v1/chains/{chainId}/addresses/{address}", { params: { path: { chainId, address } } })),
    { isWanted },
  );
}

/** The name of a contract, or what there is instead. */
export function contractName({ name, address }: Contract): string {
  return name || `${address.slice(0, 10)}…${address.slice(-8)}`;
}

export function ContractFacts({ chainId, of }: { readonly chainId: string; readonly of: Contract }) {
  const { address, name, ercType, deploymentDetails } = of;
  const symbol = "symbol" in of ? of.symbol : undefined;
  return (
    <Facts>
      <Fact name="Address">
        <Id value={address} href={to.evmAddress(chainId, address)} isWhole />
      </Fact>
      <Fact name="Name">{name && <ChainText text={name} />}</Fact>
      <Fact name="Symbol">{symbol && <ChainText text={symbol} />}</Fact>
      <Fact name="Standard">{ercType === "UNKNOWN" ? "no token that Firn knows" : <a href={to.token(chainId, address)}>{ercType}</a>}</Fact>
      <Deployment chainId={chainId} of={deploymentDetails} />
    </Facts>
  );
}

export function Deployment({
  chainId,
  of,
}: {
  readonly chainId: string;
  readonly of: components["schemas"]["ContractDeploymentDetails"] | undefined;
}) {
  if (of === undefined) return <Fact name="Deployment">No indexed transaction created a contract here.</Fact>;
  return (
    <>
      <Fact name="Deployed in">
        <Id value={of.txHash} href={to.evmTransaction(chainId, of.txHash)} hasCopy />
      </Fact>
      <Fact name="Deployed by">
        <Id value={of.deployerAddress} href={to.evmAddress(chainId, of.deployerAddress)} hasCopy />
      </Fact>
      {of.deployerContractAddress !== undefined && (
        <Fact name="Through the contract">
          <Id value={of.deployerContractAddress} href={to.evmAddress(chainId, of.deployerContractAddress)} hasCopy />
        </Fact>
      )}
    </>
  );
}
