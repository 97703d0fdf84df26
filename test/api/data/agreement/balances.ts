/**
 * Compares balances of every group of addresses in two ways:
 *
 * - All categories must equal the sums of what the node's answers show: its UTXOs, its stakers' outputs, and atomic memory.
 * - `getBalance` and `getAllBalances` count differently, so their figures are converted with the UTXOs that they name. P counts an output
 *   for each of its owners (the Data API: for as many as can spend it), and counts one with both locks as `lockedNotStakeable` (the Data
 *   API: `lockedStakeable`). X counts for one address: without `includePartial` only what that address alone owns and is not locked, with
 *   it everything that names the address.
 */
import { formatId, parseId } from "../../../../src/base/bytes/cb58.ts";
import { utxoId } from "../../../../src/base/bytes/utxo-id.ts";
import { addressNamed, addressTexts, type Chain, chainIdOf, chainPath, type Moment } from "./moment.ts";
import type { Json } from "./recorded.ts";
import { isVisible, type RecordedOutput, type RecordedUtxo } from "./recorded-utxo.ts";
import { listStakers } from "./stakers.ts";
import {
  addressesAsked,
  isCovered,
  type RecordedStake,
  recordedStakes,
  recordedUtxoSets,
  type UtxoSet,
  visibleUtxos,
} from "./utxo-sets.ts";
import { unspentUtxos } from "./utxos.ts";

/** GET takes no more. */
const MOST_ADDRESSES = 64;

export async function compareBalances(moment: Moment): Promise<void> {
  const sets = recordedUtxoSets(moment);
  const stakes = recordedStakes(moment).filter(({ validatorsOnly }) => !validatorsOnly);
  const answers = new Map<string, Json>();
  const ask = async (chain: Chain, asked: ReadonlySet<string>): Promise<Json> => {
    const addresses = addressTexts(moment, asked).join();
    const key = `${chain} ${addresses}`;
    if (!answers.has(key)) answers.set(key, (await moment.client.get(`${chainPath(moment, chain)}/balances`, { addresses })).balances);
    return answers.get(key);
  };
  const stakers = await listStakers(moment);
  const pending = new Set(stakers.filter(({ status }) => status === "pending").map(({ txHash }) => txHash));
  for (const set of sets) await compareSums(moment, set, sets, ask);
  for (const stake of stakes) if (stake.addresses.size <= MOST_ADDRESSES) await compareStaked(moment, stake, pending, ask);
  await comparePlatformBalances(moment, sets, ask);
  await compareAssetBalances(moment, sets, ask);
}

type Ask = (chain: Chain, asked: ReadonlySet<string>) => Promise<Json>;

/** Amounts and numbers of UTXOs by bucket and what it is of. Rights to mint and properties have no amount and are not counted. */
class Sums {
  readonly #sums = new Map<string, { amount: bigint; count: number }>();

  add(name: string, amount: bigint, count: number): this {
    const sum = this.#sums.get(name) ?? { amount: 0n, count: 0 };
    this.#sums.set(name, { amount: sum.amount + amount, count: sum.count + count });
    return this;
  }

  addOutput(name: string, { amount }: RecordedOutput): this {
    return amount === 0n ? this : this.add(name, amount, 1);
  }

  get texts(): string[] {
    return [...this.#sums].filter(([, { amount }]) => amount !== 0n).map(([name, { amount, count }]) => `${name}: ${amount} in ${count}`);
  }
}

function answeredSums(balances: Json, isWanted: (bucket: string, entry: Json) => boolean): Sums {
  const sums = new Sums();
  for (const [bucket, entries] of Object.entries<Json[]>(balances)) {
    for (const entry of entries) {
      const name = [bucket, entry.type, entry.assetId, entry.sharedWithChainId, entry.status]
        .filter((part) => part !== undefined)
        .join(" ");
      if (isWanted(bucket, entry)) sums.add(name, BigInt(entry.amount), entry.utxoCount);
    }
  }
  return sums;
}

const STAKED_BUCKETS = ["unlockedStaked", "lockedStaked", "pendingStaked"];

async function compareSums(moment: Moment, set: UtxoSet, sets: readonly UtxoSet[], ask: Ask): Promise<void> {
  const isOwn = set.source === set.chain;
  for (const asked of [...set.groups, ...[...set.covered].map((address) => new Set([address]))]) {
    if (asked.size > MOST_ADDRESSES || !isCovered(set, asked)) continue;
    const question = `sums of ${set.source} to ${set.chain} of ${addressTexts(moment, asked)}`;
    if (isOwn) {
      const answered = answeredSums(
        await ask(set.chain, asked),
        (bucket) => !bucket.startsWith("atomic") && !STAKED_BUCKETS.includes(bucket),
      );
      moment.tally.compareSets(set.method, question, answered.texts, ownSums(moment, set, asked).texts);
    } else {
      for (const chain of [set.chain, set.source]) {
        const sums = sharedSums(moment, { set, sets, chain, asked });
        if (sums === undefined) continue;
        const other = chainIdOf(moment, chain === set.chain ? set.source : set.chain);
        const answered = answeredSums(await ask(chain, asked), (_, entry) => entry.sharedWithChainId === other);
        moment.tally.compareSets(set.method, `${question}, asked on ${chain}`, answered.texts, sums.texts);
      }
    }
  }
}

function assetName({ kind, assetId }: RecordedOutput): string {
  return `${kind.startsWith("nft") ? "nft" : "secp256k1"} ${formatId(assetId)}`;
}

function ownSums({ clock }: Moment, set: UtxoSet, asked: ReadonlySet<string>): Sums {
  const sums = new Sums();
  for (const utxo of visibleUtxos(set, asked)) {
    const bucket = set.chain === "P" ? platformBucket(utxo, clock) : utxo.locktime > clock ? "locked" : "unlocked";
    sums.addOutput(`${bucket} ${assetName(utxo)}`, utxo);
  }
  return sums;
}

function platformBucket({ locktime, stakeableLocktime }: RecordedOutput, clock: bigint): string {
  if (stakeableLocktime > clock) return "lockedStakeable";
  return locktime > clock ? "lockedPlatform" : "unlockedUnstaked";
}

/**
 * What `chain` shares with another, in both directions: X and C do not tell them apart. Undefined if the node was not asked for one of them.
 */
function sharedSums(
  moment: Moment,
  { set, sets, chain, asked }: { set: UtxoSet; sets: readonly UtxoSet[]; chain: Chain; asked: ReadonlySet<string> },
): Sums | undefined {
  const other = chain === set.chain ? set.source : set.chain;
  const sums = new Sums();
  for (const isExport of [true, false]) {
    const [source, destination] = isExport ? [chain, other] : [other, chain];
    const shared = sets.find((candidate) => candidate.source === source && candidate.chain === destination);
    if (shared === undefined || !isCovered(shared, asked)) return undefined;
    const status = chain === "P" ? ` ${isExport ? "pendingExport" : "pendingImport"}` : "";
    for (const utxo of visibleUtxos(shared, asked)) {
      const bucket = utxo.locktime > moment.clock || utxo.stakeableLocktime > moment.clock ? "atomicMemoryLocked" : "atomicMemoryUnlocked";
      sums.addOutput(`${bucket} ${assetName(utxo)} ${chainIdOf(moment, other)}${status}`, utxo);
    }
  }
  return sums;
}

/** `getStake` says neither when a stake ends nor whether it began: the stakers do, which are compared themselves. */
async function compareStaked(moment: Moment, { addresses, outputs }: RecordedStake, pending: ReadonlySet<string>, ask: Ask): Promise<void> {
  const balances = await ask("P", addresses);
  const sums = new Sums();
  for (const output of outputs) if (isVisible(output, addresses)) sums.addOutput(assetName(output), output);
  const answered = new Sums();
  for (const bucket of STAKED_BUCKETS) {
    for (const { type, assetId, amount, utxoCount } of balances[bucket]) answered.add(`${type} ${assetId}`, BigInt(amount), utxoCount);
  }
  const question = `sums of ${addressTexts(moment, addresses)}`;
  moment.tally.compareSets("platform.getStake", question, answered.texts, sums.texts);
  const listed = new Sums();
  for (const utxo of await unspentUtxos(moment, "P", addresses)) {
    if (!utxo.staked) continue;
    const lock = Math.max(utxo.platformLocktime ?? 0, utxo.stakeableLocktime ?? 0);
    const bucket = pending.has(utxo.txHash) ? "pendingStaked" : lock > utxo.utxoEndTimestamp ? "lockedStaked" : "unlockedStaked";
    listed.add(`${bucket} secp256k1 ${utxo.assetId}`, BigInt(utxo.amount), 1);
  }
  const inBuckets = answeredSums(balances, (bucket) => STAKED_BUCKETS.includes(bucket));
  moment.tally.compareSets("platform.getStake", `buckets, ${question}`, inBuckets.texts, listed.texts);
}

/** The UTXOs that an answer names; undefined if the node's other answers do not say what one of them is. */
function namedUtxos(set: UtxoSet | undefined, utxoIds: Json[]): RecordedUtxo[] | undefined {
  const utxos = utxoIds.map(({ txID, outputIndex }) => set?.utxos.get(utxoId(parseId(txID), Number(outputIndex))));
  return utxos.every((utxo) => utxo !== undefined) ? utxos : undefined;
}

const NODE_BUCKETS = { unlockeds: "unlockedUnstaked", lockedStakeables: "lockedStakeable", lockedNotStakeables: "lockedPlatform" };

async function comparePlatformBalances(moment: Moment, sets: readonly UtxoSet[], ask: Ask): Promise<void> {
  const own = sets.find(({ chain, source }) => chain === "P" && source === "P");
  for (const { params, result } of moment.answers.of("platform.getBalance")) {
    const asked = addressesAsked(params);
    const utxos = namedUtxos(own, result.utxoIDs ?? []);
    if (asked === undefined || asked.size > MOST_ADDRESSES || utxos === undefined) continue;
    const expected = new Sums();
    for (const [member, bucket] of Object.entries(NODE_BUCKETS)) {
      for (const [assetId, amount] of Object.entries<string>(result[member])) expected.add(`${bucket} ${assetId}`, BigInt(amount), 0);
    }
    for (const utxo of utxos) {
      const assetId = formatId(utxo.assetId);
      expected.add(`${nodeBucket(utxo, moment.clock)} ${assetId}`, -utxo.amount, 0);
      if (isVisible(utxo, asked)) expected.add(`${platformBucket(utxo, moment.clock)} ${assetId}`, utxo.amount, 0);
    }
    const balances = await ask("P", asked);
    const answered = new Sums();
    for (const bucket of Object.values(NODE_BUCKETS)) {
      for (const { assetId, amount } of balances[bucket]) answered.add(`${bucket} ${assetId}`, BigInt(amount), 0);
    }
    moment.tally.compareSets("platform.getBalance", `of ${addressTexts(moment, asked)}`, answered.texts, expected.texts);
  }
}

function nodeBucket({ locktime, stakeableLocktime }: RecordedOutput, clock: bigint): string {
  if (locktime > clock) return "lockedPlatform";
  return stakeableLocktime > clock ? "lockedStakeable" : "unlockedUnstaked";
}

async function compareAssetBalances(moment: Moment, sets: readonly UtxoSet[], ask: Ask): Promise<void> {
  const own = sets.find(({ chain, source }) => chain === "X" && source === "X");
  for (const method of ["avm.getBalance", "avm.getAllBalances"]) {
    for (const { params, result } of moment.answers.of(method)) {
      const address = addressNamed(params.address);
      if (address === undefined || own === undefined || !own.covered.has(address)) continue;
      const asked = new Set([address]);
      const wanted: string | undefined = method === "avm.getBalance" ? assetIdOf(moment, params.assetID) : undefined;
      const amounts: [string, string][] = wanted
        ? [[wanted, result.balance]]
        : result.balances.map(({ asset, balance }: Json) => [assetIdOf(moment, asset), balance]);
      const isPartial = params.includePartial === true;
      const expected = new Sums();
      for (const [assetId, amount] of amounts) expected.add(assetId, BigInt(amount), 0);
      for (const utxo of own.utxos.values()) {
        const assetId = formatId(utxo.assetId);
        if (utxo.kind !== "transfer" || !utxo.addresses.includes(address) || (wanted !== undefined && wanted !== assetId)) continue;
        const isCounted = isPartial || (utxo.addresses.length === 1 && utxo.locktime <= moment.clock);
        const isAnswered = isVisible(utxo, asked) && (isPartial || utxo.locktime <= moment.clock);
        expected.add(assetId, (isAnswered ? utxo.amount : 0n) - (isCounted ? utxo.amount : 0n), 0);
      }
      const balances = await ask("X", asked);
      const answered = new Sums();
      for (const bucket of isPartial ? ["unlocked", "locked"] : ["unlocked"]) {
        for (const { type, assetId, amount } of balances[bucket]) {
          if (type === "secp256k1" && (wanted ?? assetId) === assetId) answered.add(assetId, BigInt(amount), 0);
        }
      }
      moment.tally.compareSets(method, JSON.stringify(params), answered.texts, expected.texts);
    }
  }
}

function assetIdOf({ network }: Moment, text: string): string {
  return text === "AVAX" ? formatId(network.avaxAssetId) : text;
}
