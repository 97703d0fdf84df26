/**
 * What P-chain blocks do to UTXOs. While outputs are staked, the chain's own UTXO set does not have them. Here they are UTXOs from the
 * staking transaction on, so returning the stake creates none.
 */

import type { Id } from "../../../base/bytes/id.ts";
import { utxoId, utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import { encodeAll } from "../../../base/codec/codec.ts";
import { type RowKey, rowKey } from "../../../base/table/view.ts";
import type { PlatformEvent, TxEvent } from "../../../chains/platform/facts.ts";
import { type TransferableOutput, utxo as utxoCodec } from "../../../chains/platform/output.ts";
import type { Staker } from "../../../chains/platform/state/staker.ts";
import type { UnsignedTx } from "../../../chains/platform/tx/registry.ts";
import { stakerTx } from "../../../chains/platform/tx/staker-tx.ts";
import { inputsOf } from "../../../chains/platform/tx/value.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import type { PlatformPrimaryFacts } from "../facts.ts";
import { P_CHAIN, primaryChainOf } from "../primary-chain.ts";
import { type DecodedUtxo, isAffected, type TxEffects } from "../transactions/tx-effects.ts";
import { exportedUtxos } from "./shared-utxos.ts";
import type { UtxoLedger } from "./utxo-ledger.ts";
import { DELEGATOR_REWARD, pendingSpends, utxoRecords, VALIDATOR_FEE_REWARD, VALIDATOR_REWARD } from "./utxo-tables.ts";

const REWARDS = { VALIDATOR: VALIDATOR_REWARD, DELEGATOR: DELEGATOR_REWARD, VALIDATOR_FEE: VALIDATOR_FEE_REWARD };

export function platformUtxoKeys({ facts }: PlatformPrimaryFacts): RowKey[] {
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

export function applyPlatform({ facts }: PlatformPrimaryFacts, ledger: UtxoLedger, network: NetworkInstance): TxEffects[] {
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
