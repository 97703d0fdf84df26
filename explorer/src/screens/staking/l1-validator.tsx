/** One validator of an L1. Three requests, and one for each page of its transactions. */
import { answerOf, data } from "../../api/client.ts";
import { networkInPaths } from "../../api/overview.ts";
import { usePages } from "../../api/queries.ts";
import { Avax, count } from "../../components/amount.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import type { Params } from "../../components/screen.tsx";
import { Answer } from "../../components/states.tsx";
import { List } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { L1Balance } from "./l1-balance.tsx";
import { Lasts } from "./l1-validator-list.tsx";
import { FeeFacts } from "./l1s.tsx";
import { Owner } from "./owner.tsx";
import { type L1Validator, useFeeState, useL1Validators } from "./requests.ts";

export function L1ValidatorScreen({ params: { validationId = "" } }: { readonly params: Params }) {
  const found = useL1Validators({ l1ValidationId: validationId, includeInactiveL1Validators: true });
  return (
    <>
      <Title text={`L1 validator ${validationId}`}>
        L1 validator <Id value={validationId} isWhole />
      </Title>
      <section class="card">
        <Answer of={{ ...found, data: found.items }}>
          {([validator]) =>
            validator === undefined ? (
              <p>No L1 has this validator now. If there are transactions below, it was removed; its weight became 0.</p>
            ) : (
              <L1ValidatorFacts of={validator} />
            )
          }
        </Answer>
      </section>
      <FeeFacts />
      <History validationId={validationId} balance={balanceOf(found.items)} />
    </>
  );
}

function L1ValidatorFacts({ of: validator }: { readonly of: L1Validator }) {
  const { data: fees } = useFeeState();
  const { nodeId, subnetId, weight, remainingBalance, creationTimestamp, remainingBalanceOwner, deactivationOwner } = validator;
  const isActive = BigInt(remainingBalance) > 0n;
  return (
    <Facts>
      <Fact name="State">{isActive ? "active" : <Lasts balance={0n} fees={fees} />}</Fact>
      <Fact name="Node">
        <Id value={nodeId} href={to.validator(nodeId)} hasCopy />
      </Fact>
      <Fact name="L1">
        <Id value={subnetId} href={to.subnet(subnetId)} hasCopy />
      </Fact>
      <Fact name="Weight">{count(weight)}</Fact>
      <Fact name="Balance">
        <Avax value={`${remainingBalance}`} />
      </Fact>
      {isActive && (
        <Fact name="Used up, at the present price">
          <Lasts balance={BigInt(remainingBalance)} fees={fees} />
        </Fact>
      )}
      <Fact name="Registered">
        <Time seconds={creationTimestamp} />
      </Fact>
      <Fact name="What is left goes to">
        <Owner of={remainingBalanceOwner} />
      </Fact>
      <Fact name="Can be disabled by">
        <Owner of={deactivationOwner} />
      </Fact>
      <Fact name="BLS key">
        <Id value={validator.blsCredentials.publicKey} hasCopy />
      </Fact>
      <Fact name="Validation ID in hex">
        <Id value={validator.validationIdHex} hasCopy />
      </Fact>
    </Facts>
  );
}

/** null: not read yet; undefined: no L1 has it now */
function balanceOf(found: readonly L1Validator[] | undefined): bigint | null | undefined {
  if (found === undefined) return null;
  return found[0] && BigInt(found[0].remainingBalance);
}

interface HistoryProps {
  readonly validationId: string;
  readonly balance: bigint | null | undefined;
}

function History({ validationId, balance }: HistoryProps) {
  const transactions = usePages(
    ["transactions of L1 validator", validationId],
    async (pageToken) => {
      const path = { network: await networkInPaths(), blockchainId: "p-chain" as const };
      const query = { l1ValidationId: validationId, pageSize: 25, ...(pageToken !== undefined && { pageToken }) };
      return answerOf(data.GET("/v1/networks/{network}/blockchains/{blockchainId}/transactions", { params: { path, query } }));
    },
    ({ transactions }) => transactions,
    { follows: "P" },
  );
  const changes = (transactions.items ?? []).toReversed().flatMap((tx) => {
    const details = "l1ValidatorDetails" in tx ? tx.l1ValidatorDetails?.find((each) => each.validationId === validationId) : undefined;
    return details === undefined || !("blockTimestamp" in tx) ? [] : [{ at: tx.blockTimestamp, details }];
  });
  return (
    <>
      {balance !== null && transactions.items !== undefined && <L1Balance changes={changes} balance={balance} />}
      <section class="card">
        <h2>Transactions that made or changed it</h2>
        <List
          label="Transactions of this L1 validator"
          of={transactions}
          keyOf={({ txHash }) => txHash}
          empty="No transaction made an L1 validator of this ID."
          columns={[
            { name: "Transaction", cell: ({ txHash }) => <Id value={txHash} href={to.transaction("P", txHash)} /> },
            { name: "Type", cell: ({ txType }) => txType },
            { name: "Time", cell: (tx) => ("blockTimestamp" in tx ? <Time seconds={tx.blockTimestamp} /> : null) },
          ]}
        />
      </section>
    </>
  );
}
