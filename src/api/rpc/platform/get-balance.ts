import { formatId } from "../../../base/bytes/cb58.ts";
import type { Id, ShortId } from "../../../base/bytes/id.ts";
import { type JsonValue, renderInTurns } from "../../../base/json/go-encode.ts";
import { distinctInTurns, mapInTurns, sortInTurns } from "../../../base/work/work.ts";
import { PLATFORM_UTXOS } from "../../../index/tables.ts";
import { utxosOfAddresses } from "../../../index/utxos-of-address.ts";
import { method, type RpcContext } from "../method.ts";
import { listName, listOf, string } from "../params.ts";
import { parseAddresses } from "../service.ts";
import { addUtxo, assetAmounts, type Balance, emptyBalance, saturatingAdd } from "./balance.ts";
import { answerOnce, chainState } from "./chain-state.ts";

/** Sums over all UTXOs of the addresses; costs O(UTXOs) once per state of the chain. Locktimes are compared with the wall clock. */
export const getBalance = method({
  name: "platform.getBalance",
  summary: "The balance of addresses, summed over all their UTXOs: unlocked, locked but stakeable, locked.",
  cost: "O(addresses + their UTXOs) once per height, then O(answer); in turns, bounded by `requestRows` and the body's length",
  computeUnits: 50,
  params: { addresses: listOf(string) },
  async handler({ addresses: texts }, context) {
    const { clock, work } = context;
    const addresses = await sortInTurns(work, await distinctInTurns(work, await parseAddresses(context, texts)));
    return answerOnce(await chainState(context), context, `balance ${await listName(work, addresses)}`, async () => {
      const balance = await readBalance(context, addresses);
      const json = await renderInTurns(await balanceJson(balance, context), work);
      return { json, validity: { from: clock, until: balance.changesAt } };
    });
  },
});

async function readBalance({ reader, clock }: RpcContext, addresses: readonly ShortId[]): Promise<Balance> {
  const balance = emptyBalance();
  const seen = new Set<Id>();
  for await (const { utxoId, bytes } of utxosOfAddresses(reader, PLATFORM_UTXOS, addresses)) {
    if (seen.has(utxoId)) continue;
    seen.add(utxoId);
    addUtxo(balance, bytes, clock);
  }
  return balance;
}

async function balanceJson({ sums, utxos }: Balance, { network, work }: RpcContext): Promise<JsonValue> {
  const avax = network.avaxAssetId;
  const { unlocked, lockedStakeable, lockedNotStakeable } = sums;
  const all = new Map<Id, bigint>();
  for (const [assetId, amount] of [...unlocked, ...lockedStakeable, ...lockedNotStakeable]) {
    all.set(assetId, saturatingAdd(all.get(assetId) ?? 0n, amount));
  }
  return {
    balance: `${all.get(avax) ?? 0n}`,
    unlocked: `${unlocked.get(avax) ?? 0n}`,
    lockedStakeable: `${lockedStakeable.get(avax) ?? 0n}`,
    lockedNotStakeable: `${lockedNotStakeable.get(avax) ?? 0n}`,
    balances: assetAmounts(all),
    unlockeds: assetAmounts(unlocked),
    lockedStakeables: assetAmounts(lockedStakeable),
    lockedNotStakeables: assetAmounts(lockedNotStakeable),
    utxoIDs: utxos.length === 0 ? null : await mapInTurns(work, utxos, ({ txId, outputIndex }) => ({ txID: formatId(txId), outputIndex })),
  };
}
