/** `avm.getBalance` and `avm.getAllBalances`, deprecated since v1.9.12. An answer is kept until a height or a locktime passes. */

import { encodeCb58, formatId } from "../../../base/bytes/cb58.ts";
import type { Id, ShortId } from "../../../base/bytes/id.ts";
import { renderInTurns } from "../../../base/json/go-encode.ts";
import { echoed } from "../../../base/text/go-text.ts";
import { eachInTurns, filterInTurns, mapInTurns } from "../../../base/work/work.ts";
import { RpcError } from "../errors.ts";
import { method, type RpcContext } from "../method.ts";
import { bool, string } from "../params.ts";
import { parseAddresses } from "../service.ts";
import { assetNames, resolveAsset } from "./assets.ts";
import { type Holding, holdings } from "./spendable.ts";

const MAX_U64 = (1n << 64n) - 1n;

export const getBalance = method({
  name: "avm.getBalance",
  summary: "Balance of one asset of an address, with the UTXOs that make it up.",
  cost: "O(UTXOs of the address) once per height, then O(answer); in turns, bounded by `requestRows`",
  computeUnits: 50,
  params: { address: string, assetID: string, includePartial: bool },
  async handler({ address: text, assetID, includePartial }, context) {
    const { work } = context;
    const address = await balanceAddress(context, text);
    const assetId = await resolveAsset(context, assetID);
    const { counted, name } = await countedHoldings(context, address, includePartial);
    return context.cached(`balance of ${assetId} in ${name}`, async () => {
      const holdings = await filterInTurns(work, counted, (holding) => holding.assetId === assetId);
      let balance = 0n;
      await eachInTurns(work, holdings, ({ amount }) => {
        balance += amount;
      });
      if (balance > MAX_U64) throw new RpcError("overflow");
      const reference = ({ txId, outputIndex }: Holding) => ({ txID: encodeCb58(txId), outputIndex });
      return renderInTurns({ balance: `${balance}`, utxoIDs: await mapInTurns(work, holdings, reference) }, work);
    });
  },
});

export const getAllBalances = method({
  name: "avm.getAllBalances",
  summary: "Balances of all assets of an address.",
  cost: "O(UTXOs of the address) once per height, then O(answer); in turns, bounded by `requestRows`",
  computeUnits: 50,
  params: { address: string, includePartial: bool },
  async handler({ address: text, includePartial }, context) {
    const address = await balanceAddress(context, text);
    const { counted } = await countedHoldings(context, address, includePartial);
    const sums = new Map<Id, bigint>();
    await eachInTurns(context.work, counted, ({ assetId, amount }) => {
      const sum = (sums.get(assetId) ?? 0n) + amount;
      sums.set(assetId, sum > MAX_U64 ? MAX_U64 : sum);
    });
    const names = await assetNames(context);
    return { balances: [...sums].map(([id, sum]) => ({ asset: names.get(id) ?? formatId(id), balance: `${sum}` })) };
  },
});

/**
 * The outputs that count. Partial ones, which the address cannot spend alone or not yet, count only on request. `name` identifies the
 * result until a height or a locktime passes.
 */
async function countedHoldings(context: RpcContext, address: ShortId, includePartial: boolean) {
  const all = await holdings(context, address);
  const name = `${address} on ${context.chain.chainId}`;
  if (includePartial) return { counted: all, name: `${name}, partial ones too` };
  const { clock } = context.beyondState();
  const counted = await filterInTurns(context.work, all, ({ isSole, locktime }) => isSole && locktime <= clock);
  // Locktimes only pass, so the number of outputs that count identifies them.
  return { counted, name: `${name}, ${counted.length} of them` };
}

async function balanceAddress(context: RpcContext, text: string): Promise<ShortId> {
  try {
    return (await parseAddresses(context, [text]))[0]!;
  } catch (error) {
    throw error instanceof RpcError ? new RpcError(`problem parsing address '${echoed(text)}': ${error.message}`) : error;
  }
}
