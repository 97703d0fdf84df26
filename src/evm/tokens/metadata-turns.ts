/**
 * Chooses the contracts that are asked next. Each step reads a stretch of the queue of new contracts, after that of the step before, and
 * takes turns between their deployers, so that someone who deploys without end does not delay others. Contracts that are due again have a
 * share of each step.
 */

import type { TableKey } from "../../base/table/table.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import { evmContracts } from "../index/tables.ts";
import { evmContractQueue } from "../index/token-tables.ts";
import type { WorkParts } from "./token-work.ts";

/** contracts per step */
const PIECE = 32;
/** share of contracts that are due again */
const ASKED_AGAIN = 8;
/** new contracts that a step reads */
const STRETCH = 256;

type QueueKey = TableKey<typeof evmContractQueue>;

export class MetadataTurns {
  readonly #parts: WorkParts;
  /** last contract of the previous stretch */
  #last: Address | undefined;

  constructor(parts: WorkParts) {
    this.#parts = parts;
  }

  /** Returns at most `PIECE` entries that are due. Also reads `STRETCH` rows of contracts. */
  async next(): Promise<QueueKey[]> {
    const { store, chain, clock } = this.#parts;
    const again = await store.scan(evmContractQueue, {
      prefix: { chain },
      from: { dueAt: 1n },
      until: { dueAt: clock() + 1n },
      limit: PIECE,
    });
    const fresh = await this.#inTurns(await this.#stretch(), PIECE - Math.min(again.length, ASKED_AGAIN));
    return [...fresh, ...again.slice(0, PIECE - fresh.length).map(({ key }) => key)];
  }

  async #stretch(): Promise<QueueKey[]> {
    const { store, chain } = this.#parts;
    const prefix = { chain, dueAt: 0n };
    const last = this.#last;
    const behind = last === undefined ? [] : await store.scan(evmContractQueue, { prefix, after: { contract: last }, limit: STRETCH });
    const missing = STRETCH - behind.length;
    const front = missing === 0 ? [] : await store.scan(evmContractQueue, { prefix, limit: missing });
    const keys = [...behind, ...front.filter(({ key }) => last === undefined || key.contract <= last)].map(({ key }) => key);
    this.#last = keys.at(-1)?.contract;
    return keys;
  }

  /** Takes the first entry of each deployer, then the second of each, and so on. */
  async #inTurns(entries: readonly QueueKey[], most: number): Promise<QueueKey[]> {
    const { store, chain } = this.#parts;
    const creations = await store.getMany(
      evmContracts,
      entries.map(({ contract }) => ({ chain, contract })),
    );
    const counts = new Map<Address | undefined, number>();
    const turns = entries.map((entry, i) => {
      const maker = creations[i]?.deployer;
      const turn = counts.get(maker) ?? 0;
      counts.set(maker, turn + 1);
      return { entry, turn };
    });
    return turns
      .sort((a, b) => a.turn - b.turn)
      .slice(0, most)
      .map(({ entry }) => entry);
  }
}
