/** `avm.getBalance` and `avm.getAllBalances`, deprecated since v1.9.12. An answer is kept until a height or a locktime passes. */

import { encodeCb58, formatId } from "../../../base/bytes/cb58.ts";
import type { Id, ShortId } from "../../../base/bytes/id.ts";
import { type JsonValue, renderInTurns } from "../../../base/json/go-encode.ts";
import { echoed } from "../../../base/text/go-text.ts";
import { type Awaitable, atOnce, later, type Steps } from "../../../base/work/awaitable.ts";
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
  handler: (params, context) => atOnce(balanceSteps(params, context)),
});

interface BalanceParams {
  readonly address: string;
  readonly assetID: string;
  readonly includePartial: boolean;
}

function* balanceSteps({ address: text, assetID, includePartial }: BalanceParams, context: RpcContext): Steps<JsonValue> {
  const address = yield* later(balanceAddress(context, text));
  const assetId = yield* later(resolveAsset(context, assetID));
  const { counted, name } = yield* countedHoldings(context, address, includePartial);
  return yield* later(context.cached(`balance of ${assetId} in ${name}`, () => atOnce(sumSteps(context, counted, assetId))));
}

function* sumSteps({ work }: RpcContext, counted: readonly Holding[], assetId: Id): Steps<JsonValue> {
  const holdings = yield* later(filterInTurns(work, counted, (holding) => holding.assetId === assetId));
  let balance = 0n;
  yield* later(
    eachInTurns(work, holdings, ({ amount }) => {
      balance += amount;
    }),
  );
  if (balance > MAX_U64) throw new RpcError("overflow");
  const reference = ({ txId, outputIndex }: Holding) => ({ txID: encodeCb58(txId), outputIndex });
  return yield* later(renderInTurns({ balance: `${balance}`, utxoIDs: yield* later(mapInTurns(work, holdings, reference)) }, work));
}

export const getAllBalances = method({
  name: "avm.getAllBalances",
  summary: "Balances of all assets of an address.",
  cost: "O(UTXOs of the address) once per height, then O(answer); in turns, bounded by `requestRows`",
  computeUnits: 50,
  params: { address: string, includePartial: bool },
  async handler({ address: text, includePartial }, context) {
    const address = await balanceAddress(context, text);
    const { counted } = await atOnce(countedHoldings(context, address, includePartial));
    const sums = new Map<Id, bigint>();
    await eachInTurns(context.work, counted, ({ assetId, amount }) => {
      const sum = (sums.get(assetId) ?? 0n) + amount;
      sums.set(assetId, sum > MAX_U64 ? MAX_U64 : sum);
    });
    const names = await assetNames(context);
    return { balances: [...sums].map(([id, sum]) => ({ asset: names.get(id) ?? formatId(id), balance: `${sum}` })) };
  },
});

interface CountedHoldings {
  readonly counted: readonly Holding[];
  readonly name: string;
}

/**
 * The outputs that count. Partial ones, which the address cannot spend alone or not yet, count only on request. `name` identifies the
 * result until a height or a locktime passes.
 */
function* countedHoldings(context: RpcContext, address: ShortId, includePartial: boolean): Steps<CountedHoldings> {
  const all = yield* later(holdings(context, address));
  const name = `${address} on ${context.chain.chainId}`;
  if (includePartial) return { counted: all, name: `${name}, partial ones too` };
  const { clock } = context.beyondState();
  const counted = yield* later(filterInTurns(context.work, all, ({ isSole, locktime }) => isSole && locktime <= clock));
  // Locktimes only pass, so the number of outputs that count identifies them.
  return { counted, name: `${name}, ${counted.length} of them` };
}

function balanceAddress(context: RpcContext, text: string): Awaitable<ShortId> {
  return atOnce(addressSteps(context, text));
}

function* addressSteps(context: RpcContext, text: string): Steps<ShortId> {
  try {
    return (yield* later(parseAddresses(context, [text])))[0]!;
  } catch (error) {
    throw error instanceof RpcError ? new RpcError(`problem parsing address '${echoed(text)}': ${error.message}`) : error;
  }
}
