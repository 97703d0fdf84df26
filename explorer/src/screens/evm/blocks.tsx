/** Blocks of an EVM chain, newest first. One request for each page. */
import { answerOf, data } from "../../api/client.ts";
import { usePages } from "../../api/queries.ts";
import type { Params } from "../../components/screen.tsx";
import { List } from "../../components/table.tsx";
import { Title } from "../../components/title.tsx";
import { blockColumns } from "./columns.tsx";
import { ChainLink, type EvmChain, OfChain } from "./evm-chain.tsx";

const PAGE_SIZE = 25;

export function EvmBlocks({ params }: { readonly params: Params }) {
  return <OfChain chainId={params.chainId!}>{(chain) => <Blocks chain={chain} />}</OfChain>;
}

function Blocks({ chain }: { readonly chain: EvmChain }) {
  return (
    <>
      <Title text={`Blocks of ${chain.name}`}>
        Blocks of <ChainLink chain={chain} />
      </Title>
      <NewestBlocks chain={chain} pageSize={PAGE_SIZE} />
    </>
  );
}

export function NewestBlocks({ chain, pageSize }: { readonly chain: EvmChain; readonly pageSize: number }) {
  const { chainId } = chain;
  const blocks = usePages(
    ["evmBlocks", chainId, pageSize],
    (pageToken) =>
      answerOf(
        data.GET("/v1/chains/{chainId}/blocks", { params: { path: { chainId }, query: { pageSize, ...(pageToken && { pageToken }) } } }),
      ),
    (page) => page.blocks,
    { follows: chainId },
  );
  return (
    <List
      of={blocks}
      label="Blocks"
      columns={blockColumns(chain)}
      keyOf={({ blockHash }) => blockHash}
      empty="The chain has no block in the index yet."
    />
  );
}
