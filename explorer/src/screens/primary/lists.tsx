/** Lists of blocks, transactions and vertices. Each costs a request for each page of 25. */
import { useState } from "preact/hooks";
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { networkInPaths } from "../../api/overview.ts";
import { usePages } from "../../api/queries.ts";
import { ChainName } from "../../components/chain-name.tsx";
import { Id } from "../../components/id.tsx";
import type { ScreenOf } from "../../components/screen.tsx";
import { type Column, List } from "../../components/table.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Time } from "../../components/time.tsx";
import { Title } from "../../components/title.tsx";
import { type PrimaryAlias, to } from "../../router.ts";
import { NAMES } from "./chains.ts";
import type { Block } from "./read-blocks.ts";
import { txColumns } from "./tx-columns.tsx";

type Vertex = components["schemas"]["XChainVertex"];

const PAGE = 25;

export const PlatformBlocksScreen: ScreenOf = () => <Blocks chain="P" />;
export const AssetBlocksScreen: ScreenOf = () => <Blocks chain="X" />;
export const AtomicBlocksScreen: ScreenOf = () => <Blocks chain="C" />;
export const PlatformTransactionsScreen: ScreenOf = () => <Transactions chain="P" />;
export const AssetTransactionsScreen: ScreenOf = () => <Transactions chain="X" />;
export const AtomicTransactionsScreen: ScreenOf = () => <Transactions chain="C" />;

function Lists({ chain, current }: { readonly chain: PrimaryAlias; readonly current: string }) {
  const tabs = [
    { path: "blocks", name: "Blocks" },
    { path: "txs", name: chain === "C" ? "Imports and exports" : "Transactions" },
    ...(chain === "X" ? [{ path: "vertices", name: "Vertices" }] : []),
  ];
  return <Tabs label="Lists" base={`#/${chain}`} tabs={tabs} current={current} />;
}

const blockColumns = (chain: PrimaryAlias): readonly Column<Block>[] => [
  { name: "Height", cell: ({ blockNumber }) => <a href={to.block(chain, blockNumber)}>{blockNumber}</a> },
  ...(chain === "C" ? [] : [{ name: "Type", cell: ({ blockType }: Block) => blockType }]),
  { name: "Time", cell: ({ blockTimestamp }) => <Time seconds={blockTimestamp} /> },
  { name: chain === "C" ? "Imports and exports" : "Transactions", isNumber: true, cell: ({ txCount }) => txCount },
  {
    name: "Proposer",
    cell: ({ proposerDetails: of }) => of?.proposerNodeId && <Id value={of.proposerNodeId} href={to.validator(of.proposerNodeId)} />,
  },
];

function Blocks({ chain }: { readonly chain: PrimaryAlias }) {
  const [before, setBefore] = useState<number>();
  const blocks = usePages(
    [chain, "blocks", before],
    async (pageToken) => {
      const path = { network: await networkInPaths(), blockchainId: NAMES[chain] };
      const query = {
        pageSize: PAGE,
        ...(pageToken !== undefined && { pageToken }),
        ...(before !== undefined && { endTimestamp: before }),
      };
      return answerOf(data.GET("/v1/networks/{network}/blockchains/{blockchainId}/blocks", { params: { path, query } }));
    },
    (page) => page.blocks,
    { follows: before === undefined ? chain : undefined },
  );
  return (
    <>
      <Title text={`Blocks of the ${chain}-chain`}>
        Blocks of the <ChainName alias={chain} />
      </Title>
      <Lists chain={chain} current="blocks" />
      <Before onChange={setBefore} />
      <List
        label="Blocks"
        of={blocks}
        columns={blockColumns(chain)}
        keyOf={({ blockHash }) => blockHash}
        empty={before === undefined ? `The ${chain}-chain has no blocks yet.` : `The ${chain}-chain has no blocks before then.`}
      />
    </>
  );
}

/** Blocks before a time of which the reader knows. */
function Before({ onChange }: { onChange(seconds: number | undefined): void }) {
  return (
    <div class="filters">
      <label>
        Before (UTC)
        <input
          type="datetime-local"
          step="1"
          onChange={({ currentTarget: { value } }) => {
            const time = Date.parse(`${value}Z`);
            onChange(Number.isNaN(time) ? undefined : Math.floor(time / 1000));
          }}
        />
      </label>
    </div>
  );
}

function Transactions({ chain }: { readonly chain: PrimaryAlias }) {
  const transactions = usePages(
    [chain, "transactions"],
    async (pageToken) => {
      const path = { network: await networkInPaths(), blockchainId: NAMES[chain] };
      const query = { pageSize: PAGE, ...(pageToken !== undefined && { pageToken }) };
      return answerOf(data.GET("/v1/networks/{network}/blockchains/{blockchainId}/transactions", { params: { path, query } }));
    },
    (page) => page.transactions,
    { follows: chain },
  );
  const what = chain === "C" ? "Imports and exports" : "Transactions";
  return (
    <>
      <Title text={`${what} of the ${chain}-chain`}>
        {what} of the <ChainName alias={chain} />
      </Title>
      <Lists chain={chain} current="txs" />
      <List
        label={what}
        of={transactions}
        columns={txColumns(chain)}
        keyOf={({ txHash }) => txHash}
        empty={`The ${chain}-chain has none yet.`}
      />
    </>
  );
}

const VERTEX_COLUMNS: readonly Column<Vertex>[] = [
  { name: "Height", cell: ({ vertexHeight }) => vertexHeight },
  { name: "Vertex", cell: ({ vertexHash }) => <Id value={vertexHash} href={to.vertex(vertexHash)} hasCopy /> },
  { name: "Time", cell: ({ vertexTimestamp }) => <Time seconds={vertexTimestamp} /> },
  { name: "Parents", isNumber: true, cell: ({ parentHashes }) => parentHashes.length },
  { name: "Transactions", isNumber: true, cell: ({ txCount }) => txCount },
];

export const VerticesScreen: ScreenOf = () => {
  const vertices = usePages(
    ["X", "vertices"],
    async (pageToken) => {
      const path = { network: await networkInPaths(), blockchainId: "x-chain" as const };
      const query = { pageSize: PAGE, ...(pageToken !== undefined && { pageToken }) };
      return answerOf(data.GET("/v1/networks/{network}/blockchains/{blockchainId}/vertices", { params: { path, query } }));
    },
    (page) => page.vertices,
  );
  return (
    <>
      <Title text="Vertices of the X-chain">
        Vertices of the <ChainName alias="X" />
      </Title>
      <Lists chain="X" current="vertices" />
      <List
        label="Vertices"
        of={vertices}
        columns={VERTEX_COLUMNS}
        keyOf={({ vertexHash }) => vertexHash}
        empty="There is none: this X-chain was a chain of blocks from its beginning."
      />
    </>
  );
};
