/**
 * How fresh the answers of a committed state are: heights, and how far the index lags its source. At the end of an archive the lag is 0. A
 * source may learn of blocks while nothing is committed, so the values are cached only briefly.
 */
import { secondsBehindSource } from "./chain-progress.ts";
import type { CommittedState, HeightHeaders } from "./committed-states.ts";
import { lagOfEvmChain } from "./evm-progress.ts";

export interface Freshness {
  /** `Firn-Height-P: 225`, `Firn-Seconds-Behind-P: 0` …, names and values alternating */
  readonly headers: readonly string[];
  /** by the chain's alias, for EVM chains by the EVM chain ID; without chains that the store does not hold */
  readonly secondsBehind: ReadonlyMap<string, number>;
}

const UNKNOWN: Freshness = { headers: [], secondsBehind: new Map() };
const GOOD_FOR_MS = 1000;

export class FreshnessReader {
  #heights: HeightHeaders | undefined;
  #readAtMs = 0;
  #newest = UNKNOWN;

  /** As of the last state that was read. */
  newest(): Freshness {
    return this.#newest;
  }

  of(state: CommittedState): Freshness | Promise<Freshness> {
    return state.heights === this.#heights && performance.now() - this.#readAtMs < GOOD_FOR_MS ? this.#newest : this.#read(state);
  }

  async #read({ reader, chains, evmChains, heights }: CommittedState): Promise<Freshness> {
    const readAtMs = performance.now();
    const seconds = await Promise.all([
      ...chains.map(async (chain) => [chain.alias, await secondsBehindSource(reader, chain)] as const),
      ...evmChains.map(async (chain) => [chain.alias, (await lagOfEvmChain(reader, chain))?.secondsBehind ?? 0] as const),
    ]);
    const headers = seconds.flatMap(([alias, behind]) => [`Firn-Seconds-Behind-${alias}`, behind.toString()]);
    const newest = { headers: [...heights, ...headers], secondsBehind: new Map(seconds) };
    if (heights !== this.#heights || newest.headers.join() !== this.#newest.headers.join()) this.#newest = newest;
    this.#heights = heights;
    this.#readAtMs = readAtMs;
    return this.#newest;
  }
}
