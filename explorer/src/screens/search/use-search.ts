/** What a text names: by the server, and by what only the explorer knows. */
import { answerOf, data } from "../../api/client.ts";
import { useOverview } from "../../api/overview.ts";
import { useAnswer } from "../../api/queries.ts";
import { useDevnetKeys } from "../../components/labels.ts";
import { blockIn } from "./query.ts";
import { accountsNamed, type SearchResult } from "./results.ts";

/** One request for each text. */
export function useSearch(query: string, isWanted = true) {
  return useAnswer(["search", query], () => answerOf(data.GET("/v1/search", { params: { query: { query } } })), { isWanted });
}

/** Accounts of a devnet by name, and a block by its chain and height. */
export function useNamed(query: string): readonly SearchResult[] {
  const { data: overview } = useOverview();
  const { data: keys } = useDevnetKeys(overview?.isDevnet ?? false);
  const block = blockIn(query);
  const chain = overview?.chains.find(({ alias }) => alias === block?.chain);
  const isThere = block !== undefined && chain !== undefined && BigInt(block.height) <= BigInt(chain.height);
  return [
    ...(isThere ? [{ kind: "block" as const, chain: block.chain, id: block.height, blockNumber: block.height }] : []),
    ...accountsNamed(keys?.keys ?? [], query),
  ];
}
