/**
 * Applies a run of blocks to UTXOs: makes the rows of records, lists and balances, and returns the effects of each transaction for the
 * other projections. A run costs three rounds of reads: the records that are touched, then the rows of their owners, then those of classes of amounts;
 * and ranges for older parts of lists (`packed-list.ts`).
 */

import type { Id } from "../../../base/bytes/id.ts";
import { utxoId, utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import { encodeAll } from "../../../base/codec/codec.ts";
import { type RowKey, rowKey, type View } from "../../../base/table/view.ts";
import type { AssetTxFacts } from "../../../chains/asset/facts.ts";
import { consumedBy } from "../../../chains/asset/tx/value.ts";
import type { PlatformEvent, TxEvent } from "../../../chains/platform/facts.ts";
import { parseGenesis } from "../../../chains/platform/genesis/genesis.ts";
import { type TransferableOutput, utxo as utxoCodec } from "../../../chains/platform/output.ts";
import type { Staker } from "../../../chains/platform/state/staker.ts";
import { inputsOf, type UnsignedTx } from "../../../chains/platform/tx/registry.ts";
import { stakerTx } from "../../../chains/platform/tx/staker-tx.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import type { Ranges } from "../../packed-list.ts";
import { balanceKeys, postingsOf, projectBalances } from "../balances/balance-sums.ts";
import type { AssetPrimaryFacts, PlatformPrimaryFacts, PrimaryFacts } from "../facts.ts";
import { C_CHAIN, P_CHAIN, primaryChainOf, X_CHAIN } from "../primary-chain.ts";
import type { Fetch } from "../projection.ts";
import { type DecodedUtxo, isAffected, type TxEffects } from "../transactions/tx-effects.ts";
import { applyEvm, evmUtxoKeys } from "./evm-utxos.ts";
import { applySharedMemory, exportedUtxos, sharedMemoryKeys } from "./shared-utxos.ts";
import { type Moment, type UtxoChange, UtxoLedger, VERTEX_STREAM } from "./utxo-ledger.ts";
import { projectImports, UtxoListChanges } from "./utxo-lists.ts";
import { DELEGATOR_REWARD, pendingSpends, utxoRecords, VALIDATOR_FEE_REWARD, VALIDATOR_REWARD } from "./utxo-tables.ts";

const REWARDS = { VALIDATOR: VALIDATOR_REWARD, DELEGATOR: DELEGATOR_REWARD, VALIDATOR_FEE: VALIDATOR_FEE_REWARD };

/**
 * What P-chain blocks do to UTXOs. While outputs are staked, the chain's own UTXO set does not have them. Here they are UTXOs from the
 * staking transaction on, so returning the stake creates none.
 */
function platformUtxoKeys({ facts }: PlatformPrimaryFacts): RowKey[] {
  return facts.events.flatMap((event): RowKey[] => {
    switch (event.kind) {
      case "tx":
        return [
          ...inputsOf(event.tx.unsigned).map((input) => rowKey(utxoRecords, { utxoId: utxoIdOf(input) })),
          ...event.exported.flatMap(({ elements }) => elements.map(({ key }) => rowKey(pendingSpends, { utxoId: key }))),
        ];
      case "staker-promoted":
      case "staker-left":
        return stakeIds(event.staker).map((utxoId) => rowKey(utxoRecords, { utxoId }));
      case "staker-renewed":
        return stakeIds(event.after).map((utxoId) => rowKey(utxoRecords, { utxoId }));
      default:
        return [];
    }
  });
}

function applyPlatform({ facts }: PlatformPrimaryFacts, ledger: UtxoLedger, network: NetworkInstance): TxEffects[] {
  const block = new PlatformUtxos(ledger, network, facts.timestamp);
  const effects = facts.events.flatMap((event) => block.apply(event) ?? []);
  // outputs of the genesis that no transaction created
  if (facts.height === 0n) for (const utxo of facts.produced) block.createOnce(utxo);
  return effects;
}

/** Applies the events of one block, in order. Events that a transaction caused come before its own. */
class PlatformUtxos {
  readonly #ledger: UtxoLedger;
  readonly #network: NetworkInstance;
  readonly #timestamp: bigint;
  readonly #entered = new Map<Id, { staker: Staker; isPending: boolean }>();
  readonly #rewards = new Map<Id, number>();
  /** outputs that a transaction produces on the chain but that have a record already */
  readonly #known = new Set<Id>();

  constructor(ledger: UtxoLedger, network: NetworkInstance, timestamp: bigint) {
    this.#ledger = ledger;
    this.#network = network;
    this.#timestamp = timestamp;
  }

  apply(event: PlatformEvent): TxEffects | undefined {
    switch (event.kind) {
      case "tx":
        return this.#transaction(event);
      case "staker-added":
        this.#entered.set(event.staker.txId, event);
        return undefined;
      case "staker-promoted":
        for (const utxoId of stakeIds(event.staker)) this.#ledger.promoteStake(utxoId);
        return undefined;
      case "staker-renewed":
        for (const utxoId of stakeIds(event.after)) this.#ledger.renewStake(utxoId, event.after.endTime);
        return undefined;
      case "staker-left":
        for (const utxoId of stakeIds(event.staker)) {
          this.#ledger.endStake(utxoId);
          this.#known.add(utxoId);
        }
        return undefined;
      case "reward":
        this.#rewards.set(event.utxo.utxoId, REWARDS[event.rewardType]);
        return undefined;
      default:
        return undefined;
    }
  }

  createOnce({ utxoId, bytes }: { utxoId: Id; bytes: Uint8Array }, height?: bigint): DecodedUtxo | undefined {
    if (this.#known.has(utxoId)) return undefined;
    this.#known.add(utxoId);
    const reward = this.#rewards.get(utxoId);
    return this.#ledger.create({ utxoId, bytes, ...(reward !== undefined && { reward }) }, height);
  }

  #transaction(event: TxEvent): TxEffects {
    const { tx, height } = event;
    const { id: txId, unsigned } = tx;
    const imported = new Set(event.imported.flatMap(({ utxoIds }) => utxoIds));
    const consumed = inputsOf(unsigned)
      .map(utxoIdOf)
      .map((id, inputIndex) => this.#ledger.consume(id, inputIndex, txId, { isImport: imported.has(id), height }))
      .filter(isAffected);
    const produced = [
      ...event.produced.map((utxo) => this.createOnce(utxo, height)).filter(isAffected),
      ...this.#createExports(event),
      ...this.#createStake(event),
    ];
    return { chain: P_CHAIN, txId, type: unsigned.kind, height, timestamp: this.#timestamp, consumed, produced, evmAddresses: [] };
  }

  #createExports({ exported, height }: TxEvent): DecodedUtxo[] {
    return exported.flatMap(({ destinationChain, elements }) => {
      const consumedOn = primaryChainOf(destinationChain, this.#network);
      // another asset chain of the primary network; the Data API does not serve it
      if (consumedOn === undefined) return [];
      return exportedUtxos(elements).map((utxo) => this.#ledger.create({ ...utxo, consumedOn }, height));
    });
  }

  /** An aborted proposal returns its stake at once, so the stake is among the produced outputs. */
  #createStake({ tx, isCommitted, height }: TxEvent): DecodedUtxo[] {
    const entered = this.#entered.get(tx.id);
    if (!isCommitted || entered === undefined) return [];
    const { staker, isPending } = entered;
    const stake = { start: this.#timestamp, end: staker.endTime, isPending };
    return stakedOutputs(staker.txId, tx.unsigned).map(({ utxoId, outputIndex, assetId, output }) =>
      this.#ledger.create({ utxoId, bytes: encodeAll(utxoCodec, { txId: staker.txId, outputIndex, assetId, output }), stake }, height),
    );
  }
}

function stakedOutputs(txId: Id, unsigned: UnsignedTx | ReturnType<typeof stakerTx>["unsigned"]) {
  if (!("stake" in unsigned)) return [];
  return unsigned.stake.map(({ assetId, output }: TransferableOutput, i: number) => {
    const outputIndex = unsigned.outputs.length + i;
    return { utxoId: utxoId(txId, outputIndex), outputIndex, assetId, output };
  });
}

function stakeIds(staker: Staker): Id[] {
  return stakedOutputs(staker.txId, stakerTx(staker).unsigned).map(({ utxoId }) => utxoId);
}

/** What a run reads beforehand. */
interface Reads {
  readonly fetch: Fetch;
  readonly ranges: Ranges;
}

/** @returns for each of the facts, in order, the effects of its transactions */
export async function applyUtxos(
  view: View,
  run: readonly PrimaryFacts[],
  reads: Reads,
  network: NetworkInstance,
): Promise<readonly (readonly TxEffects[])[]> {
  await reads.fetch(run.flatMap(keysOf));
  const effects: TxEffects[][] = [];
  const changes: UtxoChange[] = [];
  for (const facts of run) {
    const moment = momentOf(facts, network);
    const ledger = new UtxoLedger(view, network, moment);
    effects.push(apply(facts, ledger, moment, network));
    for (const change of ledger.changes) changes.push(change);
  }
  await projectChanges(view, changes, reads, network);
  for (const txs of effects) projectImports(view, txs);
  return effects;
}

/** Makes the rows of lists and balances. */
export async function projectChanges(
  view: View,
  changes: readonly UtxoChange[],
  { fetch, ranges }: Reads,
  network: NetworkInstance,
): Promise<void> {
  const lists = new UtxoListChanges(changes, network);
  const postings = postingsOf(changes);
  await fetch([...lists.keys, ...balanceKeys(postings)]);
  await fetch(lists.classKeys(view));
  await lists.read(view, ranges);
  lists.write(view);
  projectBalances(view, postings);
}

function keysOf(facts: PrimaryFacts): RowKey[] {
  switch (facts.chain) {
    case P_CHAIN:
      return platformUtxoKeys(facts);
    case X_CHAIN:
      return assetUtxoKeys(facts);
    case C_CHAIN:
      return evmUtxoKeys(facts);
    case "shared-memory":
      return sharedMemoryKeys(facts);
  }
}

function apply(facts: PrimaryFacts, ledger: UtxoLedger, moment: Moment, network: NetworkInstance): TxEffects[] {
  switch (facts.chain) {
    case P_CHAIN:
      return applyPlatform(facts, ledger, network);
    case X_CHAIN:
      return applyAsset(facts, ledger, network, moment);
    case C_CHAIN:
      return applyEvm(facts, ledger, network);
    case "shared-memory":
      applySharedMemory(facts, ledger, network);
      return [];
  }
}

/** When the transactions of these facts happened. */
export function momentOf(facts: PrimaryFacts, network: NetworkInstance): Moment {
  switch (facts.chain) {
    case P_CHAIN:
      return { chain: P_CHAIN, stream: P_CHAIN, height: facts.facts.height, timestamp: facts.facts.timestamp };
    case X_CHAIN:
      return assetMoment(facts, network);
    case C_CHAIN:
      return { chain: C_CHAIN, stream: C_CHAIN, height: facts.facts.height, timestamp: facts.facts.timestamp };
    case "shared-memory":
      return { chain: P_CHAIN, stream: P_CHAIN, height: 0n, timestamp: facts.timestamp };
  }
}

const NANOSECONDS = 1_000_000_000n;

/** The time of a vertex is when the source accepted it. If that is unknown, and for genesis, it is the genesis time. */
function assetMoment({ facts, acceptedAt }: AssetPrimaryFacts, network: NetworkInstance): Moment {
  if (facts.vertex !== undefined) {
    const timestamp = acceptedAt === 0n ? genesisTime(network) : acceptedAt / NANOSECONDS;
    return { chain: X_CHAIN, stream: VERTEX_STREAM, height: 0n, timestamp };
  }
  const isGenesis = facts.genesisTxs.length > 0 || facts.timestamp === undefined;
  const timestamp = isGenesis ? genesisTime(network) : facts.timestamp!;
  return { chain: X_CHAIN, stream: X_CHAIN, height: isGenesis ? 0n : facts.block!.height, timestamp };
}

const genesisTimes = new WeakMap<NetworkInstance, bigint>();

export function genesisTime(network: NetworkInstance): bigint {
  let time = genesisTimes.get(network);
  if (time === undefined) {
    time = parseGenesis(network.genesisBytes).timestamp;
    genesisTimes.set(network, time);
  }
  return time;
}

/** What blocks, vertices and the genesis of the X-chain do to UTXOs. */
function assetUtxoKeys({ facts }: AssetPrimaryFacts): RowKey[] {
  return facts.txs.flatMap(({ tx, exported }) => [
    ...consumedBy(tx.unsigned).map((input) => rowKey(utxoRecords, { utxoId: utxoIdOf(input) })),
    ...exported.flatMap(({ elements }) => elements.map(({ key }) => rowKey(pendingSpends, { utxoId: key }))),
  ]);
}

function applyAsset(
  { facts }: AssetPrimaryFacts,
  ledger: UtxoLedger,
  network: NetworkInstance,
  { height, timestamp }: Moment,
): TxEffects[] {
  return [...facts.genesisTxs, ...facts.txs].map(({ txId, tx, produced, imported, exported }: AssetTxFacts): TxEffects => {
    const importedIds = new Set(imported.flatMap(({ keys }) => keys));
    // a genesis transaction may name inputs, but there is nothing to consume
    const inputs = facts.genesisTxs.length > 0 ? [] : consumedBy(tx.unsigned).map(utxoIdOf);
    const consumed = inputs
      .map((id, inputIndex) => ledger.consume(id, inputIndex, txId, { isImport: importedIds.has(id) }))
      .filter(isAffected);
    const own = produced.map(({ utxoId, bytes }) => ledger.create({ utxoId, bytes }));
    const sent = exported.flatMap(({ destination, elements }) => {
      const consumedOn = primaryChainOf(destination, network);
      return consumedOn === undefined ? [] : exportedUtxos(elements).map((utxo) => ledger.create({ ...utxo, consumedOn }));
    });
    return {
      chain: X_CHAIN,
      txId,
      type: tx.unsigned.kind,
      height,
      timestamp,
      consumed,
      produced: [...own, ...sent],
      evmAddresses: [],
    };
  });
}
