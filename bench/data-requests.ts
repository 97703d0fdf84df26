/** Measures every route of the Data API on a store of the synthetic network. */
import { listCases, pointCases } from "./data-cases.ts";
import { pagesOf } from "./data-pages.ts";
import { BenchTokens } from "./data-tokens.ts";
import { measureCases, withServers } from "./page-load.ts";

export interface MeasureOptions {
  readonly dataDir: string;
  readonly seconds: number;
  /** text that the names of the measured cases contain */
  readonly only: string;
  readonly workerCounts: readonly number[];
}

const PAGE_SIZE = 10;

export async function measureRequests({ dataDir, seconds, only, workerCounts }: MeasureOptions): Promise<void> {
  const cases = await withServers({ dataDir }, 1, async ({ origin }) => {
    const tokens = new BenchTokens(dataDir);
    const chosen = listCases().filter(({ name }) => name.includes(only));
    const walk = async (list: (typeof chosen)[number]) => ({ name: list.name, pages: await pagesOf(origin, list, PAGE_SIZE, tokens) });
    const lists = await Promise.all(chosen.map(walk));
    const points = (await pointCases(origin)).filter(({ name }) => name.includes(only));
    return { lists, points };
  });
  await measureCases({ dataDir }, cases, { pageSize: PAGE_SIZE, seconds, workerCounts });
}
