import { utxosByAddress } from "../../index/tables.ts";
import { formatId } from "../../primitives/cb58.ts";
import type { Id, ShortId } from "../../primitives/id.ts";
import { scanAll } from "../../store/store.ts";
import { parseAddresses } from "../chain-aliases.ts";
import { renderJson } from "../go-json-encode.ts";
import { method, type RpcContext } from "../method.ts";
import { listOf, string } from "../params.ts";
import type { JsonValue } from "../raw-json.ts";
import { answerOnce } from "./answers.ts";
import { assetAmounts } from "./asset-amounts.ts";
import { addUtxo, type Balance, emptyBalance, saturatingAdd } from "./balance.ts";
import { chainState } from "./chain-state.ts";

/** Sums over all UTXOs of addresses; costs O(UTXOs) once per state of the chain. Locks are held against the wall clock. */
export const getBalance = method({
  name: "platform.getBalance",
  summary: "Sums over all UTXOs of addresses: unlocked, locked but stakeable, locked.",
  cost: "O(UTXOs of the addresses) once per height, then O(answer)",
  params: { addresses: listOf(string) },
  async handler({ addresses: texts }, context) {
    const addresses = [...new Set(await parseAddresses(context, texts))].sort();
    const { clock } = context;
    return answerOnce(await chainState(context), clock, `balance ${addresses}`, async () => {
      const balance = await readBalance(context, addresses);
      return { json: renderJson(balanceJson(balance, context.network.avaxAssetId)), validity: { from: clock, until: balance.changesAt } };
    });
  },
});

async function readBalance({ reader, chain, clock }: RpcContext, addresses: readonly ShortId[]): Promise<Balance> {
  const balance = emptyBalance();
  const seen = new Set<Id>();
  for (const address of addresses) {
    for await (const { key, value } of scanAll(reader, utxosByAddress, { chainId: chain.chainId, address })) {
      if (seen.has(key.utxoId)) continue;
      seen.add(key.utxoId);
      addUtxo(balance, value.bytes, clock);
    }
  }
  return balance;
}

function balanceJson({ sums, utxos }: Balance, avax: Id): JsonValue {
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
    utxoIDs: utxos.length === 0 ? null : utxos.map(({ txId, outputIndex }) => ({ txID: formatId(txId), outputIndex })),
  };
}
