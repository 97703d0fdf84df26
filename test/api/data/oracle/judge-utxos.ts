import fc from "fast-check";
import { expect, test } from "vitest";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { type Court, chainPath, NETWORK, RUNS } from "./court.ts";
import { type BalanceQuery, balances, lastActivities, listChainIds, listUtxos } from "./utxos.ts";

/** @param isLast whether this moment's past includes all others */
export function judgeUtxos(court: () => Court, { isLast }: { isLast: boolean }): void {
  test("UTXOs, by GET and POST", async () => {
    const { history, queries } = court();
    await court().property(
      queries.utxos(),
      async (query, salt) => {
        const { chain, assetId, addresses: asked, ...rest } = query;
        const params = { ...rest, assetId: assetId && formatId(assetId) };
        const addresses = court().addresses(asked);
        const expected = listUtxos(history, query);
        await court().walk(`${chainPath(chain)}/utxos`, "utxos", { ...params, addresses }, expected, { salt });
        if (asked === undefined) return;
        await court().walk(`${chainPath(chain)}/utxos`, "utxos", params, expected, { salt, most: 1024, body: { addresses } });
      },
      3 * RUNS,
    );
  });

  async function compareBalances(query: BalanceQuery): Promise<void> {
    const { history, client, clock } = court();
    const { chain, blockTimestamp, addresses: asked } = query;
    const params = { blockTimestamp, addresses: court().addresses(asked) };
    const { balances: answered } = await client.get(`${chainPath(chain)}/balances`, params);
    const what = `balances of ${asked?.join() ?? "the whole chain"} on ${chain} at ${blockTimestamp}`;
    court().same(sortedBuckets(answered), sortedBuckets(balances(history, query, clock)), what);
  }

  test("balances at any time", async () => {
    await court().property(court().queries.balances(), compareBalances, 5 * RUNS);
  });

  test.runIf(isLast)("balances when each block was made", async () => {
    const { queries } = court();
    for (const chain of queries.chains) {
      const times = queries.timesOf(chain);
      const addresses = fc.sample(queries.addressLists(), times.length);
      for (const [i, blockTimestamp] of times.entries()) {
        await compareBalances({ chain, blockTimestamp });
        const beside = [{ blockTimestamp: blockTimestamp - 1n }, { blockTimestamp: blockTimestamp + 1n }, { addresses: addresses[i] }];
        await compareBalances({ chain, blockTimestamp, ...beside[i % 3] });
      }
    }
  });

  test("when addresses were last active", async () => {
    const { history, client, queries } = court();
    await court().property(queries.activity(), async (query) => {
      const { chain, addresses: asked, minUtxoAmount } = query;
      const path = `${chainPath(chain)}/lastActivityTimestampByAddresses`;
      const newest = lastActivities(history, query);
      const got = await client.ask(path, { addresses: court().addresses(asked), minUtxoAmount });
      if (newest.length === 0) expect(got.status).toBe(404);
      else expect(newest).toContainEqual(got.body);
      court().same(got.status, newest.length === 0 ? 404 : 200, path);
      if (asked === undefined) return;
      const posted = await client.ask(path, { minUtxoAmount }, { addresses: court().addresses(asked) });
      court().same(posted, got, `POST ${path}`);
    });
  });

  test("the chains of addresses", async () => {
    const { history, client, queries } = court();
    await court().property(queries.addressLists(), async (asked) => {
      const answer = await client.get(`${NETWORK}/addresses:listChainIds`, { addresses: court().addresses(asked) });
      court().same(answer, { addresses: listChainIds(history, asked) }, `chains of ${asked}`);
    });
  });
}

/** The order of assets in a balance means nothing. */
function sortedBuckets(balances: unknown): unknown {
  const sorted = (entries: readonly object[]) => entries.map((entry) => JSON.stringify(entry, Object.keys(entry).sort())).sort();
  return Object.fromEntries(
    Object.entries(balances as Record<string, readonly object[]>).map(([bucket, entries]) => [bucket, sorted(entries)]),
  );
}
