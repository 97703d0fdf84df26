/**
 * UTXOs that are hard on lists and balances, in any number: nearly all are spent and the unspent ones are the newest; a tenth were made in
 * one second; amounts are just below or above the requested ones, and the larger ones are the oldest; every fourth has its own lock; one
 * address has most of them, one is in many owner groups, and there are a thousand others; chains alternate.
 */

import { sha256Hex } from "../../../../src/base/bytes/hash.ts";
import { EMPTY_ID, type ShortId } from "../../../../src/base/bytes/id.ts";
import { C_CHAIN, P_CHAIN, type PrimaryChain, X_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { type Stream, VERTEX_STREAM } from "../../../../src/index/primary/utxos/utxo-ledger.ts";
import type { Store } from "../../../../src/store/store.ts";
import { ASSETS } from "./utxo-lives.ts";
import { type Kind, type LivingUtxo, network, newUtxo, type Owner, UtxoWorld } from "./utxo-world.ts";

function address(name: string): ShortId {
  return sha256Hex(Buffer.from(name)).slice(0, 40);
}

export const RICH = address("rich");
export const TRIO = ["one", "two", "three"].map(address);
/** in as many groups of each kind */
export const NAMED = address("named");
export const NAMED_GROUPS = 50;
export const POOR = Array.from({ length: 1020 }, (_, i) => address(`poor ${i}`));

/** Just over the amount of all old ones, and of all new ones; both in the same class of amounts as these. */
export const OVER_OLD = 1_000_000_000n;
export const OVER_NEW = 950_000_000n;

function ownerOf(i: number): Owner {
  switch (i % 10) {
    case 6:
      return { threshold: 2, addresses: TRIO };
    case 7:
      return { threshold: 1, addresses: [RICH, TRIO[0]!] };
    case 8:
      return { threshold: 1, addresses: [POOR[(i * 7) % POOR.length]!] };
    case 9:
      return i % 20 === 9 ? { threshold: 0, addresses: [] } : namedOwner(i);
    default:
      return { threshold: 1, addresses: [RICH] };
  }
}

function namedOwner(i: number): Owner {
  const other = Math.floor(i / 20) % (2 * NAMED_GROUPS);
  return { threshold: 1 + (other % 2), addresses: [NAMED, address(`other ${other}`)] };
}

function amountOf(i: number, isOld: boolean): bigint {
  if (i % 8 === 6) return 2n * OVER_OLD + BigInt(i);
  if (i % 8 === 7) return BigInt(i % 64);
  return (isOld ? 990_000_000n : 600_000_000n) + BigInt(i % 1000);
}

const START = 1000n;

export class Crowd {
  readonly utxos: LivingUtxo[];
  /** when everything has happened */
  readonly end: bigint;
  readonly #world: UtxoWorld;
  readonly #count: number;

  static async make(store: Store, count: number): Promise<Crowd> {
    const crowd = new Crowd(store, count);
    await crowd.#create();
    await crowd.#spend();
    return crowd;
  }

  private constructor(store: Store, count: number) {
    this.#world = new UtxoWorld(store);
    this.#count = count;
    this.utxos = this.#world.utxos;
    this.end = START + BigInt(Math.ceil(count / 5)) + BigInt(Math.ceil(count / 100));
  }

  async #create(): Promise<void> {
    for (let i = 0; i < this.#count; i++) {
      const time = this.#timeOf(i);
      const [stream, createdOn, consumedOn] = this.#chainsOf(i);
      const utxo = newUtxo(this.#kindOf(i, createdOn, consumedOn, time));
      const isStaked = createdOn === P_CHAIN && consumedOn === P_CHAIN && i % 17 === 3;
      const end = time + 10_000n;
      const stake = isStaked && { stake: { start: time, end, isPending: false } };
      await this.#world.block(stream, time, [utxo], (ledger) =>
        ledger.create({ utxoId: utxo.utxoId, bytes: utxo.bytes, consumedOn, ...stake }),
      );
      utxo.created = time;
      if (isStaked) utxo.stake = { states: [{ time, state: "active", end }] };
      this.utxos.push(utxo);
      if (i % 1000 === 999) await this.#world.commit();
    }
    await this.#world.commit();
  }

  /** All but the newest tenth, in order. */
  async #spend(): Promise<void> {
    const spent = this.utxos.slice(0, Math.floor(this.#count * 0.9)).filter(({ stake }) => stake === undefined);
    for (const [i, utxo] of spent.entries()) {
      const time = START + BigInt(Math.ceil(this.#count / 5) + Math.floor(i / 100));
      const { utxoId, createdOn, consumedOn } = utxo;
      const isImport = createdOn !== consumedOn;
      await this.#world.block(consumedOn, time, [utxo], (ledger) => ledger.consume(utxoId, 0, EMPTY_ID, { isImport }));
      utxo.spent = time;
      if (i % 1000 === 999) await this.#world.commit();
    }
    await this.#world.commit();
  }

  #timeOf(i: number): bigint {
    const [first, last] = [Math.floor(this.#count * 0.4), Math.floor(this.#count * 0.5)];
    const moved = i >= first && i < last ? first : i;
    return START + BigInt(Math.floor(moved / 5));
  }

  #chainsOf(i: number): [Stream, PrimaryChain, PrimaryChain] {
    switch (i % 7) {
      case 0:
      case 1:
        return [P_CHAIN, P_CHAIN, P_CHAIN];
      case 2:
      case 3:
        return [i < this.#count * 0.3 ? VERTEX_STREAM : X_CHAIN, X_CHAIN, X_CHAIN];
      case 4:
        return [P_CHAIN, P_CHAIN, i % 2 === 0 ? X_CHAIN : C_CHAIN];
      case 5:
        return [C_CHAIN, C_CHAIN, i % 2 === 0 ? P_CHAIN : X_CHAIN];
      default:
        return [i < this.#count * 0.3 ? VERTEX_STREAM : X_CHAIN, X_CHAIN, i % 2 === 0 ? P_CHAIN : C_CHAIN];
    }
  }

  #kindOf(i: number, createdOn: PrimaryChain, consumedOn: PrimaryChain, time: bigint): Kind {
    const isOwn = createdOn === consumedOn;
    return {
      ...{ createdOn, consumedOn, owner: ownerOf(i), isNft: false },
      amount: amountOf(i, i < this.#count * 0.1),
      assetId: isOwn && createdOn === X_CHAIN ? ASSETS[i % 3]! : network.avaxAssetId,
      locktime: i % 4 === 0 ? time + 100n + 7n * BigInt(i) : 0n,
      stakeableLocktime: isOwn && createdOn === P_CHAIN && i % 8 < 2 ? time + 50n + 5n * BigInt(i) : undefined,
    };
  }
}
