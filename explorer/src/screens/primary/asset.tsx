/** An asset of the X-chain: one request for the asset, and one for each page of its transactions. */
import { useState } from "preact/hooks";
import { answerOf, data } from "../../api/client.ts";
import { networkInPaths } from "../../api/overview.ts";
import { useAnswer, usePages } from "../../api/queries.ts";
import { useAvaxId } from "../../components/asset-amount.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import type { ScreenOf } from "../../components/screen.tsx";
import { Answer } from "../../components/states.tsx";
import { List } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { Title } from "../../components/title.tsx";
import { TxLink } from "./pieces.tsx";
import { nameOfAsset, txColumns } from "./tx-columns.tsx";
import { txType, txTypesOf } from "./tx-types.ts";

const PAGE = 25;
const ROUTE = "/v1/networks/{network}/blockchains/{blockchainId}/assets/{assetId}";

async function pathOf(assetId: string) {
  return { network: await networkInPaths(), blockchainId: "x-chain" as const, assetId };
}

export const AssetScreen: ScreenOf = ({ params }) => {
  const id = params.id!;
  const isAvax = useAvaxId() === id;
  const asset = useAnswer(["asset", id], async () => answerOf(data.GET(ROUTE, { params: { path: await pathOf(id) } })));
  return (
    <>
      <Title text="Asset of the X-chain">{asset.data === undefined ? "Asset of the X-chain" : nameOfAsset(asset.data)}</Title>
      <p>
        {isAvax
          ? "The network's own coin: it pays fees and stakes. Rewards are minted on the P-chain, and fees are burned."
          : "Anybody can create an asset under any name: only its ID tells it apart from others."}
      </p>
      <Answer of={asset}>
        {(answer) => (
          <>
            <section class="card">
              <Facts>
                <Fact name="Asset">
                  <Id value={answer.assetId} isWhole />
                </Fact>
                <Fact name="Name">
                  <ChainText text={answer.name} />
                </Fact>
                <Fact name="Symbol">
                  <ChainText text={answer.symbol} />
                </Fact>
                <Fact name="Type">{answer.type === "nft" ? "NFTs" : "fungible"}</Fact>
                <Fact name="Denomination">
                  {answer.denomination} {answer.denomination === 1 ? "decimal place" : "decimal places"}
                </Fact>
                <Fact name="Supply">{!isAvax && (answer.cap === "variable" ? "more can be minted" : "fixed")}</Fact>
                <Fact name="Created">
                  <Time seconds={answer.createdAtTimestamp} /> by <TxLink id={answer.assetId} chain="X" />
                </Fact>
              </Facts>
            </section>
            <Transactions id={id} />
          </>
        )}
      </Answer>
    </>
  );
};

type AssetTxType = "BaseTx" | "CreateAssetTx" | "OperationTx" | "ImportTx" | "ExportTx";

function Transactions({ id }: { readonly id: string }) {
  const [type, setType] = useState("");
  const transactions = usePages(
    ["asset", id, "transactions", type],
    async (pageToken) => {
      const filter = { ...(pageToken !== undefined && { pageToken }), ...(type !== "" && { txTypes: [type as AssetTxType] }) };
      const query = { pageSize: PAGE, ...filter };
      return answerOf(data.GET(`${ROUTE}/transactions`, { params: { path: await pathOf(id), query } }));
    },
    (page) => page.transactions,
    { follows: "X" },
  );
  return (
    <section class="card">
      <h2>Transactions</h2>
      <div class="filters">
        <label>
          Type
          <select value={type} onChange={({ currentTarget }) => setType(currentTarget.value)}>
            <option value="">all</option>
            {txTypesOf("X").map((each) => (
              <option key={each} value={each}>
                {txType("X", each).name}
              </option>
            ))}
          </select>
        </label>
      </div>
      <List
        label="Transactions"
        of={transactions}
        columns={txColumns("X")}
        keyOf={({ txHash }) => txHash}
        empty={type === "" ? "No transaction moves the asset." : "No transaction of this type moves the asset."}
      />
    </section>
  );
}
