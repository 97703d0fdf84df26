/**
 * Random histories of UTXOs: created, exported, imported before or after their export was seen, staked, promoted, renewed, returned, spent.
 */

import fc from "fast-check";
import { EMPTY_ID, type Id, type ShortId } from "../../../../src/base/bytes/id.ts";
import { C_CHAIN, P_CHAIN, type PrimaryChain, X_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { SHORT } from "../../../../src/index/primary/utxos/utxo-codec.ts";
import { type Stream, VERTEX_STREAM } from "../../../../src/index/primary/utxos/utxo-ledger.ts";
import { MEDIUM } from "../../../../src/index/primary/utxos/utxo-lists.ts";
import { type Kind, type LivingUtxo, network, newUtxo, type Owner, type Stake, type UtxoWorld } from "./utxo-world.ts";

export const ADDRESSES: readonly ShortId[] = ["a", "b", "c"].map((digit) => digit.repeat(40));
const [a, b, c] = ADDRESSES as [ShortId, ShortId, ShortId];
export const STRANGER: ShortId = "d".repeat(40);

const owners: readonly Owner[] = [
  { threshold: 1, addresses: [a] },
  { threshold: 1, addresses: [b] },
  { threshold: 2, addresses: [a, b] },
  { threshold: 1, addresses: [a, c] },
  { threshold: 2, addresses: [a, b, c] },
  { threshold: 0, addresses: [] },
];

export const ASSETS: readonly Id[] = [network.avaxAssetId, "1".repeat(64), "2".repeat(64)];

/** Around borders of classes, and the largest. */
export const AMOUNTS = [0n, 1n, 2n, 3n, 4n, 5n, 7n, 8n, 9n, 15n, 16n, 17n, 1000n, 2n ** 62n - 1n, 2n ** 62n, 2n ** 63n, 2n ** 64n - 1n];

const GOINGS_ON = [
  "create",
  "create",
  "export",
  "stake",
  "wait to stake",
  "promote",
  "renew",
  "leave",
  "consume",
  "consume",
  "import early",
  "export late",
  "commit",
] as const;

export interface Happening {
  readonly what: (typeof GOINGS_ON)[number] | "crowd";
  readonly stream: Stream;
  /** seconds since the stream's last block */
  readonly later: bigint;
  readonly pick: number;
  readonly peer: PrimaryChain;
  readonly owner: Owner;
  readonly amount: bigint;
  readonly assetId: Id;
  readonly isNft: boolean;
  readonly lock: bigint;
  readonly stakeableLock: bigint | undefined;
  /** UTXOs of a crowd */
  readonly count: number;
}

export const anyHappening: fc.Arbitrary<Happening> = fc.record({
  what: fc.constantFrom(...GOINGS_ON),
  stream: fc.constantFrom<Stream>(P_CHAIN, P_CHAIN, X_CHAIN, C_CHAIN, VERTEX_STREAM),
  later: fc.constantFrom(0n, 0n, 1n, 2n, 5n),
  pick: fc.nat(),
  peer: fc.constantFrom<PrimaryChain>(P_CHAIN, X_CHAIN, C_CHAIN),
  owner: fc.constantFrom(...owners),
  amount: fc.constantFrom(...AMOUNTS),
  assetId: fc.constantFrom(...ASSETS),
  isNft: fc.boolean(),
  lock: fc.constantFrom(0n, 0n, 1n, 3n, 20n, 63n, 64n, 5000n, 2n ** 40n),
  stakeableLock: fc.constantFrom(undefined, undefined, 1n, 8n, 40n, 65n, 5000n),
  count: fc.constantFrom(SHORT - 1, SHORT, SHORT + 1, MEDIUM - SHORT - 1, MEDIUM - SHORT, MEDIUM),
});

/** Among other things, so many UTXOs of one owner are made at once that lists grow from short to medium, and from medium to long. */
export const anyHappeningInCrowds: fc.Arbitrary<Happening> = fc
  .tuple(anyHappening, fc.integer({ min: 0, max: 9 }))
  .map(([happening, dice]) => (dice === 0 ? { ...happening, what: "crowd", owner: owners[happening.pick % 2]! } : happening));

/** Clocks of chains differ; that of the DAG may be ahead of the blocks that follow it. */
const CLOCKS: Readonly<Record<Stream, bigint>> = { [P_CHAIN]: 100n, [X_CHAIN]: 98n, [C_CHAIN]: 103n, [VERTEX_STREAM]: 101n };

/** Lets things happen, one after the other; what cannot happen does not. */
export class Lives {
  readonly #world: UtxoWorld;
  readonly #clocks = { ...CLOCKS };
  #isLinear = false;

  constructor(world: UtxoWorld) {
    this.#world = world;
  }

  async happen(happening: Happening): Promise<void> {
    const stream = happening.stream === VERTEX_STREAM && this.#isLinear ? X_CHAIN : happening.stream;
    this.#isLinear ||= stream === X_CHAIN;
    this.#clocks[stream] += happening.later;
    const time = this.#clocks[stream];
    const chain = stream === VERTEX_STREAM ? X_CHAIN : stream;
    switch (happening.what) {
      case "commit":
        return this.#world.commit();
      case "crowd":
        return this.#crowd(happening, chain, stream, time);
      case "create":
      case "stake":
      case "wait to stake":
        return this.#create(happening, kindOf(happening, chain, chain, time), stream, time);
      case "export":
        return this.#create({ ...happening, what: "create" }, kindOf(happening, chain, happening.peer, time), stream, time);
      case "promote":
      case "renew":
      case "leave":
        return this.#changeStake(happening, happening.what, stream, time);
      case "consume":
        return this.#consume(happening, chain, stream, time);
      case "import early":
        return this.#importEarly(happening, chain, stream, time);
      case "export late":
        return this.#exportLate(happening, chain, stream, time);
    }
  }

  async #create({ what, lock }: Happening, kind: Kind, stream: Stream, time: bigint): Promise<void> {
    const utxo = newUtxo(kind);
    const isPending = what === "wait to stake";
    const isStaked = what !== "create" && stream === P_CHAIN;
    const end = time + 10n + lock;
    await this.#world.block(stream, time, [utxo], (ledger) => {
      const stake = isStaked && { stake: { start: time, end, isPending } };
      ledger.create({ utxoId: utxo.utxoId, bytes: utxo.bytes, consumedOn: kind.consumedOn, ...stake });
    });
    utxo.created = time;
    if (isStaked) utxo.stake = { states: [{ time, state: isPending ? "pending" : "active", end }] };
    this.#world.utxos.push(utxo);
  }

  /** In one block, of all amounts. */
  async #crowd(happening: Happening, chain: PrimaryChain, stream: Stream, time: bigint): Promise<void> {
    const utxos = Array.from({ length: happening.count }, (_, i) => {
      const consumedOn = i % 16 === 0 ? happening.peer : chain;
      return newUtxo(kindOf({ ...happening, amount: AMOUNTS[i % AMOUNTS.length]!, isNft: false }, chain, consumedOn, time));
    });
    await this.#world.block(stream, time, utxos, (ledger) => {
      for (const { utxoId, bytes, consumedOn } of utxos) ledger.create({ utxoId, bytes, consumedOn });
    });
    for (const utxo of utxos) {
      utxo.created = time;
      this.#world.utxos.push(utxo);
    }
  }

  async #changeStake({ pick, lock }: Happening, what: "promote" | "renew" | "leave", stream: Stream, time: bigint): Promise<void> {
    if (stream !== P_CHAIN) return;
    const before = what === "promote" ? "pending" : "active";
    const utxo = this.#pick(pick, ({ stake }) => stake?.states.at(-1)?.state === before);
    if (utxo === undefined) return;
    const stake = utxo.stake as Stake;
    const end = what === "renew" ? time + 10n + lock : stake.states.at(-1)!.end;
    await this.#world.block(stream, time, [utxo], (ledger) => {
      if (what === "promote") ledger.promoteStake(utxo.utxoId);
      else if (what === "renew") ledger.renewStake(utxo.utxoId, end);
      else ledger.endStake(utxo.utxoId);
    });
    stake.states.push({ time, state: what === "leave" ? "left" : "active", end });
  }

  async #consume({ pick }: Happening, chain: PrimaryChain, stream: Stream, time: bigint): Promise<void> {
    const utxo = this.#pick(pick, ({ consumedOn, created, spent, stake }) => {
      const isFree = stake === undefined || stake.states.at(-1)!.state === "left";
      return consumedOn === chain && created !== undefined && spent === undefined && isFree;
    });
    if (utxo === undefined) return;
    const isImport = utxo.createdOn !== chain;
    await this.#world.block(stream, time, [utxo], (ledger) => ledger.consume(utxo.utxoId, 0, EMPTY_ID, { isImport }));
    utxo.spent = time;
  }

  async #importEarly(happening: Happening, chain: PrimaryChain, stream: Stream, time: bigint): Promise<void> {
    if (happening.peer === chain) return;
    const utxo = newUtxo(kindOf(happening, happening.peer, chain, time));
    await this.#world.block(stream, time, [utxo], (ledger) => ledger.consume(utxo.utxoId, 0, EMPTY_ID, { isImport: true }));
    utxo.spent = time;
    this.#world.utxos.push(utxo);
  }

  async #exportLate({ pick }: Happening, chain: PrimaryChain, stream: Stream, time: bigint): Promise<void> {
    const utxo = this.#pick(pick, ({ createdOn, created }) => createdOn === chain && created === undefined);
    if (utxo === undefined) return;
    const { utxoId, bytes, consumedOn } = utxo;
    await this.#world.block(stream, time, [utxo], (ledger) => ledger.create({ utxoId, bytes, consumedOn }));
    utxo.created = time;
  }

  #pick(pick: number, isFit: (utxo: LivingUtxo) => boolean): LivingUtxo | undefined {
    const fit = this.#world.utxos.filter(isFit);
    return fit[pick % Math.max(fit.length, 1)];
  }
}

function kindOf(
  { owner, amount, assetId, isNft: wantsNft, lock, stakeableLock }: Happening,
  createdOn: PrimaryChain,
  consumedOn: PrimaryChain,
  time: bigint,
): Kind {
  // NFTs are not AVAX, and cannot be exported
  const isNft = wantsNft && createdOn === X_CHAIN && consumedOn === X_CHAIN && assetId !== network.avaxAssetId;
  const isOwn = createdOn === P_CHAIN && consumedOn === P_CHAIN;
  return {
    ...{ createdOn, consumedOn, owner, assetId, isNft },
    amount: isNft ? 1n : amount,
    locktime: lock === 0n ? 0n : time + lock,
    stakeableLocktime: isOwn && stakeableLock !== undefined ? time + stakeableLock : undefined,
  };
}
