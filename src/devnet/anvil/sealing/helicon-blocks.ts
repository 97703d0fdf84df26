/**
 * What a block of the C-chain says since Helicon beyond Ethereum's header: the exponent of the minimum gas price, and which block it settles.
 * Nodes execute a block after it was accepted, and a later one settles it: the first that comes 5 seconds after the execution. A devnet's
 * EVM executes a block before it is accepted, in no time.
 */

import type { Change } from "../../../base/table/table.ts";
import { evmTips } from "../../../chains/atomic/tables.ts";
import { blocks } from "../../../index/tables.ts";
import type { StoreReader } from "../../../store/store.ts";
import type { EvmChainSpec, SealedContents } from "../chains/evm-chain-spec.ts";
import { toHex } from "../header.ts";
import { evmPriceExponents } from "../tables.ts";
import { excessFor, exponentFor, nextExponent, priceOf } from "./minimum-price.ts";

interface HeliconBlocksParts {
  readonly spec: EvmChainSpec;
  /** holds the chain's committed blocks */
  readonly store: StoreReader;
  /**
   * towards which blocks move the minimum price, in aAVAX per gas, from 1 on; by default they do not. A chain that has Helicon from genesis, and
   * no block yet, begins with it
   */
  readonly minGasPrice?: bigint;
}

interface Block {
  /** Unix seconds */
  readonly timestamp: bigint;
  readonly exponent: bigint;
}

/** seconds from a block's execution until a block settles it */
const TAU = 5n;
/** ACP-176: target gas per second; no block of a devnet moves it */
const TARGET_EXPONENT = 0n;

export class HeliconBlocks {
  readonly #parts: HeliconBlocksParts;
  readonly #wanted: bigint | undefined;
  /** exponent of the newest block */
  #exponent = 0n;
  /** of a genesis after which there is no block yet */
  #first = 0n;
  /** blocks that are not committed, by height */
  readonly #sealed = new Map<bigint, Block>();
  /** The excess at the price asked for last: it takes some milliseconds. */
  #excess = { price: 1n, excess: 0n };

  constructor(parts: HeliconBlocksParts) {
    this.#parts = parts;
    this.#wanted = parts.minGasPrice === undefined ? undefined : exponentFor(parts.minGasPrice);
  }

  /** Call this when a child was made. @param height of its newest block, which is committed */
  async begin(height: bigint): Promise<void> {
    const { spec } = this.#parts;
    this.#sealed.clear();
    this.#first = height === 0n && spec.isSaevmAt(spec.genesis.timestamp) ? (this.#wanted ?? 0n) : 0n;
    this.#exponent = await this.#exponentAt(height);
  }

  /** The base fee of a block after the newest one: the minimum, because nothing else raises it here. Undefined before Helicon. */
  baseFeeAt(timestamp: bigint): bigint | undefined {
    return this.#parts.spec.isSaevmAt(timestamp) ? priceOf(this.#exponent) : undefined;
  }

  /** Returns the rows to be committed with a block that was sealed: its own, if it needs one, and with the first block that of genesis. */
  sealed(height: bigint, timestamp: bigint): Change[] {
    const { spec } = this.#parts;
    if (spec.isSaevmAt(timestamp)) this.#exponent = nextExponent(this.#exponent, this.#wanted);
    const exponent = this.#exponent;
    this.#sealed.set(height, { timestamp, exponent });
    const rows = [{ height, exponent }, ...(height === 1n ? [{ height: 0n, exponent: this.#first }] : [])];
    return rows
      .filter((row) => row.exponent > 0n)
      .map(
        (row) =>
          ({ table: evmPriceExponents, key: { chainId: spec.chainId, height: row.height }, value: { exponent: row.exponent } }) as Change,
      );
  }

  /** Call this after every commit. */
  committed(): void {
    this.#sealed.clear();
  }

  /** Members of a block's header; none before Helicon. @param sealed undefined for genesis, which settles nothing */
  async membersOf(sealed: SealedContents | undefined): Promise<Readonly<Record<string, string>>> {
    const { spec } = this.#parts;
    const { height, timestamp } = sealed ?? { height: 0n, timestamp: spec.genesis.timestamp };
    if (!spec.isSaevmAt(timestamp)) return {};
    const exponent = await this.#exponentAt(height);
    const settled = sealed && (await this.#settledBy(height, timestamp));
    const numbers = {
      targetExponent: TARGET_EXPONENT,
      minPriceExponent: exponent,
      settledHeight: settled?.height ?? 0n,
      settledGasUnix: settled?.timestamp ?? 0n,
      // of a second, of which blocks have none
      settledGasNumerator: 0n,
      settledExcess: settled === undefined ? 0n : this.#excessAt(priceOf(await this.#exponentAt(settled.height))),
    };
    return Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, toHex(number)]));
  }

  /** Height of the block that the newest committed one settles; undefined before Helicon, when no block settled another. */
  async settledHeight(): Promise<bigint | undefined> {
    const { spec, store } = this.#parts;
    const tip = await store.get(evmTips, { chainId: spec.chainId });
    if (tip === undefined || tip.height === 0n) return spec.isSaevmAt(spec.genesis.timestamp) ? 0n : undefined;
    return spec.isSaevmAt(tip.timestamp) ? (await this.#settledBy(tip.height, tip.timestamp)).height : undefined;
  }

  async #settledBy(height: bigint, timestamp: bigint): Promise<{ height: bigint; timestamp: bigint }> {
    const settled = await newestSettled(height, async (at) => this.#settles(timestamp, await this.#timeOf(at)));
    return { height: settled, timestamp: await this.#timeOf(settled) };
  }

  /** Blocks from before Helicon were executed when they were accepted. */
  #settles(timestamp: bigint, executed: bigint): boolean {
    return executed <= timestamp - TAU || !this.#parts.spec.isSaevmAt(executed);
  }

  async #timeOf(height: bigint): Promise<bigint> {
    const { spec, store } = this.#parts;
    if (height === 0n) return spec.genesis.timestamp;
    const sealed = this.#sealed.get(height);
    return sealed?.timestamp ?? spec.parse((await store.get(blocks, { chainId: spec.chainId, height }))!.bytes).timestamp;
  }

  async #exponentAt(height: bigint): Promise<bigint> {
    const { spec, store } = this.#parts;
    const exponent =
      this.#sealed.get(height)?.exponent ?? (await store.get(evmPriceExponents, { chainId: spec.chainId, height }))?.exponent;
    return exponent ?? (height === 0n ? this.#first : 0n);
  }

  #excessAt(price: bigint): bigint {
    if (this.#excess.price !== price) this.#excess = { price, excess: excessFor(price) };
    return this.#excess.excess;
  }
}

/**
 * The newest block below a height that is settled, as all before it are; at least genesis. Looks near the height first: of a settled block n
 * below it O(log n) are asked about.
 * @internal exported for its test
 */
export async function newestSettled(height: bigint, isSettled: (height: bigint) => Promise<boolean>): Promise<bigint> {
  const holds = async (at: bigint) => at === 0n || isSettled(at);
  let [low, high] = [height - 1n, height];
  for (let step = 1n; !(await holds(low)); step *= 2n) [low, high] = [low > step ? low - step : 0n, low];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (await holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}
