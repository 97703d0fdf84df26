/** What the readers are asked: single items, and pages of lists, of the recording `scale-1`. */

import { ask, type ListRequest, pagesOf } from "../data-pages.ts";
import type { BenchTokens } from "../data-tokens.ts";
import type { LoadRequest } from "../load.ts";

export interface ReadCase {
  readonly name: string;
  readonly requests: readonly LoadRequest[];
}

const PAGE_SIZE = 10;
const NETWORK = "/v1/networks/fuji";
const P = `${NETWORK}/blockchains/p-chain`;
const X = `${NETWORK}/blockchains/x-chain`;
/** owns 13,000 UTXOs on X */
const EXCHANGE = "custom1jyhtswjg9f2wuf0f8cdml9k6mdxstv8g6n7m22";

export async function readCases(origin: string, tokens: BenchTokens): Promise<ReadCase[]> {
  const first = async (path: string, member: string, id: string): Promise<string[]> => {
    const { json } = await ask(origin, { path: `${path}?pageSize=100` });
    return (json[member] as Record<string, string>[]).map((item) => item[id]!);
  };
  const items = (name: string, path: string, ids: readonly (string | number)[]): ReadCase => ({
    name,
    requests: ids.map((id) => ({ path: `${path}/${id}` })),
  });
  const middle = async (name: string, path: string): Promise<ReadCase> => {
    const list: ListRequest = { path, largestPage: 100 };
    return { name: `${name}, pages of ${PAGE_SIZE}`, requests: (await pagesOf(origin, list, PAGE_SIZE, tokens)).middle };
  };
  const heights = Array.from({ length: 200 }, (_, i) => 1 + 10 * i);
  return [
    items("block by height, X", `${X}/blocks`, heights),
    items("transaction, X", `${X}/transactions`, await first(`${X}/transactions`, "transactions", "txHash")),
    items("transaction, P", `${P}/transactions`, await first(`${P}/transactions`, "transactions", "txHash")),
    await middle("transactions, X", `${X}/transactions`),
    await middle("transactions, P", `${P}/transactions`),
    await middle("transactions of a large holder, X", `${X}/transactions?addresses=${EXCHANGE}`),
    await middle("UTXOs of a large holder, X", `${X}/utxos?addresses=${EXCHANGE}`),
    await middle("validators", `${NETWORK}/validators`),
  ];
}
