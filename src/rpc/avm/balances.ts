/** `avm.getBalance` and `avm.getAllBalances`, deprecated since v1.9.12. An answer is made once while no height and no locktime passes. */
import { formatId } from "../../primitives/cb58.ts";
import type { Id, ShortId } from "../../primitives/id.ts";
import { BoundedCache } from "../bounded-cache.ts";
import { parseAddresses } from "../chain-aliases.ts";
import { RpcError } from "../errors.ts";
import { method, type RpcContext } from "../method.ts";
import { bool, string } from "../params.ts";
import { RawJson } from "../raw-json.ts";
import { assetNames, resolveAsset } from "./assets.ts";
import { type Holding, holdings } from "./spendable.ts";

const MAX_U64 = (1n << 64n) - 1n;
/** Per process and committed height. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

interface BalanceAnswer {
  readonly json: RawJson;
  /** Unix seconds between which the answer holds */
  readonly from: bigint;
  readonly until: bigint;
}

export const getBalance = method({
  name: "avm.getBalance",
  params: { address: string, assetID: string, includePartial: bool },
  async handler({ address: text, assetID, includePartial }, context) {
    const address = await balanceAddress(context, text);
    const assetId = await resolveAsset(context, assetID);
    return answerOnce(context, `${address} ${assetId} ${includePartial}`, async (counter) => {
      let balance = 0n;
      const references: string[] = [];
      for await (const holding of holdings(context, address)) {
        if (holding.assetId !== assetId || !counter.counts(holding, includePartial)) continue;
        balance += holding.amount;
        if (balance > MAX_U64) throw new RpcError("overflow");
        references.push(holding.reference());
      }
      return `{"balance":"${balance}","utxoIDs":[${references.join(",")}]}`;
    });
  },
});

export const getAllBalances = method({
  name: "avm.getAllBalances",
  params: { address: string, includePartial: bool },
  async handler({ address: text, includePartial }, context) {
    const address = await balanceAddress(context, text);
    return answerOnce(context, `${address} all ${includePartial}`, async (counter) => {
      const sums = new Map<Id, bigint>();
      for await (const holding of holdings(context, address)) {
        if (!counter.counts(holding, includePartial)) continue;
        const sum = (sums.get(holding.assetId) ?? 0n) + holding.amount;
        sums.set(holding.assetId, sum > MAX_U64 ? MAX_U64 : sum);
      }
      const names = await assetNames(context);
      const balances = [...sums].map(([id, sum]) => `{"asset":${JSON.stringify(names.get(id) ?? formatId(id))},"balance":"${sum}"}`);
      return `{"balances":[${balances.join(",")}]}`;
    });
  },
});

/** Decides what counts at a time, and remembers between which times all its decisions hold. */
class Counter {
  readonly #now: bigint;
  from = 0n;
  until = MAX_U64;

  constructor(now: bigint) {
    this.#now = now;
  }

  counts({ isSole, locktime }: Holding, includePartial: boolean): boolean {
    if (includePartial) return true;
    if (!isSole) return false;
    if (locktime > this.#now) {
      if (locktime < this.until) this.until = locktime;
      return false;
    }
    if (locktime > this.from) this.from = locktime;
    return true;
  }
}

async function answerOnce(context: RpcContext, key: string, make: (counter: Counter) => Promise<string>): Promise<RawJson> {
  const { clock, chain } = context;
  const answers = await context.cached(
    `balances on ${chain.chainId}`,
    async () => new BoundedCache<BalanceAnswer>(MAX_ANSWER_BYTES, ({ json }) => json.json.length),
  );
  const kept = answers.get(key);
  if (kept !== undefined && clock >= kept.from && clock < kept.until) return kept.json;
  const counter = new Counter(clock);
  const json = new RawJson(Buffer.from(await make(counter), "utf8"));
  answers.set(key, { json, from: counter.from, until: counter.until });
  return json;
}

async function balanceAddress(context: RpcContext, text: string): Promise<ShortId> {
  try {
    return (await parseAddresses(context, [text]))[0]!;
  } catch (error) {
    throw error instanceof RpcError ? new RpcError(`problem parsing address '${text}': ${error.message}`) : error;
  }
}
