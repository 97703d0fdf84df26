/**
 * Compares `getUTXOs` of P, X and C, and `getStake`, with the Data API's unspent UTXOs. Split by where they were created, where they can be
 * consumed, and whether they are staked, these must be the node's own UTXOs, those exported to it by other chains, and those of its
 * stakers.
 *
 * Two rules differ. The node shows an output to each of its owners, the Data API to as many as are needed to spend it (`isVisible`). And
 * `getStake` shows outputs without the transaction that staked them.
 */
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { addressTexts, type Chain, chainIdOf, chainPath, type Moment } from "./moment.ts";
import type { Json } from "./recorded.ts";
import { isVisible, type RecordedUtxo, readUtxo } from "./recorded-utxo.ts";
import { listStakers } from "./stakers.ts";
import { isCovered, recordedStakes, recordedUtxoSets, type UtxoSet, visibleUtxos } from "./utxo-sets.ts";

const known = new WeakMap<Moment, Map<string, Promise<Json[]>>>();

/** All of a chain's list, asked once; by POST, since GET takes 64 addresses. */
export function unspentUtxos(moment: Moment, chain: Chain, asked: ReadonlySet<string>): Promise<Json[]> {
  let lists = known.get(moment);
  if (lists === undefined) {
    lists = new Map();
    known.set(moment, lists);
  }
  const addresses = addressTexts(moment, asked).sort().join();
  let list = lists.get(chain + addresses);
  if (list === undefined) {
    list = moment.client.walk(`${chainPath(moment, chain)}/utxos`, "utxos", { pageSize: 1024 }, { addresses });
    lists.set(chain + addresses, list);
  }
  return list;
}

export async function compareUtxos(moment: Moment): Promise<void> {
  for (const set of recordedUtxoSets(moment)) {
    for (const asked of questions(set)) {
      await compareSet(moment, set, set.chain, asked);
      // what was exported is in the exporting chain's list too
      if (set.source !== set.chain) await compareSet(moment, set, set.source, asked);
    }
  }
}

/** The groups that were asked for together, and each address alone. */
function questions({ groups, covered }: UtxoSet): ReadonlySet<string>[] {
  const single = new Set(groups.filter(({ size }) => size === 1).flatMap((group) => [...group]));
  return [...groups, ...[...covered].filter((address) => !single.has(address)).map((address) => new Set([address]))];
}

async function compareSet(moment: Moment, set: UtxoSet, chain: Chain, asked: ReadonlySet<string>): Promise<void> {
  const [createdOn, consumedOn] = [chainIdOf(moment, set.source), chainIdOf(moment, set.chain)];
  const listed = (await unspentUtxos(moment, chain, asked)).filter(
    (utxo) => utxo.createdOnChainId === createdOn && utxo.consumedOnChainId === consumedOn && utxo.staked !== true,
  );
  const expected = visibleUtxos(set, asked);
  // of what was not shown to its end, nothing can be said but that it is there
  const shown = new Set(expected.map(({ utxoId }) => formatId(utxoId)));
  const known = isCovered(set, asked) ? listed : listed.filter(({ utxoId }) => shown.has(utxoId));
  const isOwn = set.source === set.chain;
  moment.tally.compareSets(
    set.method,
    `${set.source} to ${set.chain}, asked on ${chain}, of ${addressTexts(moment, asked)}`,
    known.map((utxo) => JSON.stringify(chain === "P" ? platformForm(utxo) : assetForm(utxo))),
    expected.map((utxo) => JSON.stringify(chain === "P" ? recordedPlatformForm(moment, utxo, isOwn) : recordedAssetForm(moment, utxo))),
  );
}

const platformForm = (utxo: Json) => [
  ...[utxo.utxoId, utxo.utxoBytes, utxo.txHash, utxo.outputIndex, utxo.assetId, utxo.amount, utxo.asset.assetId, utxo.asset.amount],
  ...[utxo.addresses, utxo.threshold, utxo.platformLocktime ?? null, utxo.stakeableLocktime ?? null, utxo.utxoType],
];

function recordedPlatformForm(moment: Moment, utxo: RecordedUtxo, isOwn: boolean) {
  const [assetId, amount] = [formatId(utxo.assetId), `${utxo.amount}`];
  const isStakeable = utxo.stakeableLocktime > 0n;
  return [
    ...[formatId(utxo.utxoId), utxo.text, formatId(utxo.txId), utxo.outputIndex, assetId, amount, assetId, amount],
    ...[addressTexts(moment, utxo.addresses), utxo.threshold, isOwn || utxo.locktime > 0n ? Number(utxo.locktime) : null],
    ...(isStakeable ? [Number(utxo.stakeableLocktime), "STAKE"] : [null, "TRANSFER"]),
  ];
}

const assetForm = (utxo: Json) => [
  ...[utxo.utxoId, utxo.utxoBytes, utxo.creationTxHash, utxo.outputIndex, utxo.asset.assetId, utxo.asset.amount],
  ...[utxo.addresses, utxo.threshold, utxo.locktime, utxo.utxoType],
];

function recordedAssetForm(moment: Moment, utxo: RecordedUtxo) {
  return [
    ...[formatId(utxo.utxoId), utxo.text, formatId(utxo.txId), `${utxo.outputIndex}`, formatId(utxo.assetId), `${utxo.amount}`],
    ...[addressTexts(moment, utxo.addresses), utxo.threshold, Number(utxo.locktime), utxo.kind],
  ];
}

export async function compareStakes(moment: Moment): Promise<void> {
  const stakers = await listStakers(moment);
  const delegations = new Set(stakers.filter(({ isDelegator }) => isDelegator).map(({ txHash }) => txHash));
  for (const { addresses, validatorsOnly, outputs } of recordedStakes(moment)) {
    const staked = (await unspentUtxos(moment, "P", addresses)).filter((utxo) => utxo.staked === true);
    moment.tally.compareSets(
      "platform.getStake",
      `of ${addressTexts(moment, addresses)}${validatorsOnly ? ", validators only" : ""}`,
      staked.filter(({ txHash }) => !validatorsOnly || !delegations.has(txHash)).map(({ utxoBytes }) => readUtxo(utxoBytes).hex),
      outputs.filter((output) => isVisible(output, addresses)).map(({ hex }) => hex),
    );
  }
}
