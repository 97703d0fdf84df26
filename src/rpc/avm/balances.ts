/** `avm.getBalance` and `avm.getAllBalances`, deprecated since v1.9.12. An answer is made once while no height and no locktime passes. */
import { encodeCb58, formatId } from "../../primitives/cb58.ts";
import type { Id, ShortId } from "../../primitives/id.ts";
import { parseAddresses } from "../chain-aliases.ts";
import { RpcError } from "../errors.ts";
import { method, type RpcContext } from "../method.ts";
import { bool, string } from "../params.ts";
import { RawJson } from "../raw-json.ts";
import { assetNames, resolveAsset } from "./assets.ts";
import { type Holding, holdings } from "./spendable.ts";

const MAX_U64 = (1n << 64n) - 1n;

export const getBalance = method({
  name: "avm.getBalance",
  summary: "Balance of one asset of an address, with the UTXOs behind it.",
  cost: "O(UTXOs of the address) once per height, then O(answer)",
  params: { address: string, assetID: string, includePartial: bool },
  async handler({ address: text, assetID, includePartial }, context) {
    const address = await balanceAddress(context, text);
    const assetId = await resolveAsset(context, assetID);
    const { counted, name } = await countedHoldings(context, address, includePartial);
    return context.cached(`balance of ${assetId} in ${name}`, async () => {
      const holdings = counted.filter((holding) => holding.assetId === assetId);
      const balance = holdings.reduce((sum, { amount }) => sum + amount, 0n);
      if (balance > MAX_U64) throw new RpcError("overflow");
      const references = holdings.map(({ txId, outputIndex }) => `{"txID":"${encodeCb58(txId)}","outputIndex":${outputIndex}}`);
      return new RawJson(Buffer.from(`{"balance":"${balance}","utxoIDs":[${references.join(",")}]}`));
    });
  },
});

export const getAllBalances = method({
  name: "avm.getAllBalances",
  summary: "Balances of all assets of an address.",
  cost: "O(UTXOs of the address) once per height, then O(answer)",
  params: { address: string, includePartial: bool },
  async handler({ address: text, includePartial }, context) {
    const address = await balanceAddress(context, text);
    const { counted } = await countedHoldings(context, address, includePartial);
    const sums = new Map<Id, bigint>();
    for (const { assetId, amount } of counted) {
      const sum = (sums.get(assetId) ?? 0n) + amount;
      sums.set(assetId, sum > MAX_U64 ? MAX_U64 : sum);
    }
    const names = await assetNames(context);
    return { balances: [...sums].map(([id, sum]) => ({ asset: names.get(id) ?? formatId(id), balance: `${sum}` })) };
  },
});

/** Partial are outputs that the address cannot spend alone, or not yet. `name` stands for the set until a height or a locktime passes. */
async function countedHoldings(context: RpcContext, address: ShortId, includePartial: boolean) {
  const all = await holdings(context, address);
  const name = `${address} on ${context.chain.chainId}`;
  if (includePartial) return { counted: all, name: `${name}, partial ones too` };
  const counted = all.filter(({ isSole, locktime }: Holding) => isSole && locktime <= context.clock);
  // locktimes only pass, so the number of what counts tells which have
  return { counted, name: `${name}, ${counted.length} of them` };
}

async function balanceAddress(context: RpcContext, text: string): Promise<ShortId> {
  try {
    return (await parseAddresses(context, [text]))[0]!;
  } catch (error) {
    throw error instanceof RpcError ? new RpcError(`problem parsing address '${text}': ${error.message}`) : error;
  }
}
