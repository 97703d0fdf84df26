/** What the Data API says about a P-chain transaction beyond its inputs and outputs. */

import type { components } from "../../api/data-api.d.ts";
import { Amount, Avax, count } from "../../components/amount.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Fact } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import { Scrolled } from "../../components/scrolled.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { duration, Time, useNow } from "../../components/time.tsx";
import { to } from "../../router.ts";
import { EMPTY_ID } from "./chains.ts";
import type { PlatformTransaction } from "./flows.ts";
import { millionths } from "./members.tsx";
import { Blockchain, Owners, Subnet, TxLink } from "./pieces.tsx";

type L1Validator = components["schemas"]["L1ValidatorDetailsTransaction"];

export function ApiFacts({ of: tx, type }: { readonly of: PlatformTransaction; readonly type: string }) {
  const { startTimestamp: start, endTimestamp: end } = tx;
  const now = useNow();
  return (
    <>
      {tx.nodeId !== undefined && (
        <Fact name="Node">
          <Id value={tx.nodeId} href={to.validator(tx.nodeId)} hasCopy />
        </Fact>
      )}
      {tx.subnetId !== undefined && (
        <Fact name="Subnet">
          <Subnet id={tx.subnetId} />
        </Fact>
      )}
      {start !== undefined && BigInt(end ?? 0) > 0n && (
        <Fact name={type === "AddAutoRenewedValidatorTx" ? "Cycle" : "Period"}>
          <div>
            {start > now ? "begins" : "began"} <Time seconds={start} />
          </div>
          <div>
            {BigInt(end!) > BigInt(now) ? "ends" : "ended"} <Time seconds={end!} />
          </div>
          <span class="quiet">{duration(Number(end) - start)} in all</span>
        </Fact>
      )}
      {tx.delegationFeePercent !== undefined && (
        <Fact name="Delegation fee">{percent(tx.delegationFeePercent)} of delegators' rewards</Fact>
      )}
      {tx.estimatedReward !== undefined && (
        <Fact name="Promised reward">
          {tx.subnetId === undefined || tx.subnetId === EMPTY_ID ? (
            <Avax value={tx.estimatedReward} />
          ) : (
            <>
              <Amount value={tx.estimatedReward} /> <span class="quiet">smallest units of the subnet's asset</span>
            </>
          )}
        </Fact>
      )}
      {tx.rewardTxHash !== undefined && (
        <Fact name="Ended by">
          <TxLink id={tx.rewardTxHash} chain="P" />
        </Fact>
      )}
      {tx.stakingTxHash !== undefined && (
        <Fact name="Staking transaction">
          <TxLink id={tx.stakingTxHash} chain="P" />
        </Fact>
      )}
      {tx.subnetOwnershipInfo !== undefined && (
        <Fact name={type === "TransferSubnetOwnershipTx" ? "New owners" : "Owners"}>
          <Owners {...tx.subnetOwnershipInfo} />
        </Fact>
      )}
      {tx.blockchainInfo !== undefined && <Creation of={tx.blockchainInfo} txId={tx.txHash} />}
      {tx.l1ValidatorManagerDetails !== undefined && (
        <Fact name="Validators' manager">
          contract <code class="hex">{tx.l1ValidatorManagerDetails.contractAddress}</code> on{" "}
          <Blockchain id={tx.l1ValidatorManagerDetails.blockchainId} />
        </Fact>
      )}
      {tx.period !== undefined && <Fact name="Length of a cycle">{duration(Number(tx.period))}</Fact>}
      {tx.autoCompoundRewardShares !== undefined && <Fact name="Restaked part of rewards">{millionths(tx.autoCompoundRewardShares)}</Fact>}
      {tx.validatorAuthority !== undefined && (
        <Fact name="Can change it">
          <Owners {...tx.validatorAuthority} />
        </Fact>
      )}
      {tx.blsCredentials !== undefined && (
        <Fact name="BLS key">
          <Id value={tx.blsCredentials.publicKey} hasCopy />
        </Fact>
      )}
      {tx.blsCredentials?.proofOfPossession !== undefined && (
        <Fact name="Proof of possession">
          <Id value={tx.blsCredentials.proofOfPossession} hasCopy />
        </Fact>
      )}
    </>
  );
}

/** `10.0000000000000000` as `10 %` */
function percent(text: string): string {
  return `${text.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "")} %`;
}

function Creation({ of, txId }: { readonly of: components["schemas"]["BlockchainInfo"]; readonly txId: string }) {
  const genesis = of.genesisData === undefined ? undefined : JSON.stringify(of.genesisData, null, 2);
  return (
    <>
      <Fact name="Blockchain">
        <Id value={txId} href={to.blockchain(txId)} hasCopy />
      </Fact>
      <Fact name="Name">
        <ChainText text={of.chainName} />
      </Fact>
      <Fact name="Virtual machine">
        <Id value={of.vmId} hasCopy />
      </Fact>
      {genesis !== undefined && (
        <Fact name="Genesis">
          <details>
            <summary>{count(genesis.length)} characters</summary>
            <Scrolled text={genesis} />
          </details>
        </Fact>
      )}
    </>
  );
}

const COLUMNS: readonly Column<L1Validator>[] = [
  { name: "Validator", cell: ({ validationId }) => <Id value={validationId} href={to.l1Validator(validationId)} hasCopy /> },
  { name: "Node", cell: ({ nodeId }) => <Id value={nodeId} /> },
  { name: "Subnet", cell: ({ subnetId }) => <Subnet id={subnetId} /> },
  { name: "Weight", isNumber: true, cell: ({ weight }) => (BigInt(weight) === 0n ? "0 (removed)" : count(weight)) },
  {
    name: "Balance",
    isNumber: true,
    cell: ({ remainingBalance }) => (
      <>
        <Avax value={`${remainingBalance}`} />
        {BigInt(remainingBalance) === 0n && <div class="quiet">inactive</div>}
      </>
    ),
  },
  {
    name: "Change of balance",
    isNumber: true,
    cell: ({ balanceChange }) => (balanceChange === undefined ? "none" : <Avax value={`${balanceChange}`} />),
  },
];

/** The L1 validators that the transaction created or changed. */
export function L1Validators({ of }: { readonly of: readonly L1Validator[] }) {
  if (of.length === 0) return null;
  return (
    <section class="card">
      <h2>L1 validators right after it</h2>
      <Table label="L1 validators right after it" columns={COLUMNS} items={of} keyOf={({ validationId }) => validationId} />
    </section>
  );
}
