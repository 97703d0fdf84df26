import fc from "fast-check";
import { test } from "vitest";
import { encodeBech32 } from "../../../../src/base/bytes/address.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { type Court, chainPath, RUNS, withoutGenesis } from "./court.ts";
import { assetDetails, findTxs, listTxs, type TxQuery, txJson } from "./transactions.ts";

/** Time bounds that just include or just exclude an item. */
function timesAt(time: number): Pick<TxQuery, "startTimestamp" | "endTimestamp">[] {
  return [
    { startTimestamp: time, endTimestamp: undefined },
    { startTimestamp: time + 1, endTimestamp: undefined },
    { startTimestamp: undefined, endTimestamp: time },
    { startTimestamp: undefined, endTimestamp: time + 1 },
    { startTimestamp: time, endTimestamp: time + 1 },
  ];
}

export function judgeTransactions(court: () => Court): void {
  test("transactions of a chain, of addresses, of an asset, of an L1 validator, and of active stakers", async () => {
    const { history, queries } = court();
    const ask = async (query: TxQuery, salt: number) => {
      const { chain, assetId, l1ValidationId, isStaking, addresses: asked, ...rest } = query;
      const owners = asked?.map(({ address, isEvm }) => (isEvm ? `0x${address}` : encodeBech32(history.network.hrp, address))).join(",");
      const path = assetId ? `/assets/${formatId(assetId)}/transactions` : isStaking ? "/transactions:listStaking" : "/transactions";
      const params = { ...rest, addresses: owners, l1ValidationId: l1ValidationId && formatId(l1ValidationId) };
      await court().walk(`${chainPath(chain)}${path}`, "transactions", params, listTxs(history, query), { salt });
    };
    await court().property(
      queries.txs(),
      async (query, salt) => {
        await ask(query, salt);
        const { chain, addresses, assetId, l1ValidationId, isStaking } = query;
        if (!(addresses ?? assetId ?? l1ValidationId ?? isStaking)) return;
        const found = findTxs(history, { ...query, startTimestamp: undefined, endTimestamp: undefined });
        const time = Number(found[salt % found.length]?.time ?? history.txs.find((tx) => tx.chain === chain)?.time ?? 0);
        await ask({ ...query, ...timesAt(time)[salt % 5] }, salt);
      },
      4 * RUNS,
    );
    for (const { validationId } of history.l1Validators) await ask({ chain: "P", l1ValidationId: validationId }, 0);
  });

  test("one transaction, one asset", async () => {
    const { history, client } = court();
    for (const { chain, txId } of fc.sample(fc.constantFrom(...history.txs), 5 * RUNS)) {
      const path = `${chainPath(chain)}/transactions/${formatId(txId)}`;
      // one that was proposed again is shown in its last block
      const last = history.txs.findLast((tx) => tx.chain === chain && tx.txId === txId)!;
      court().same(withoutGenesis(await client.get(path)), txJson(history, last), path);
    }
    for (const { assetId } of history.assets) {
      const path = `${chainPath("X")}/assets/${formatId(assetId)}`;
      court().same(await client.get(path), assetDetails(history, assetId), path);
    }
  });
}
