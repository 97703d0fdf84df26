/**
 * Compares balances from transfers with those that contracts return at the same block, and writes the verdict (`evm_token_checks`). A token
 * is compared after it changed, and only while the index is at the tip. The more often it was right, the less often it is compared, so the
 * work is bounded.
 */

import type { TableValue } from "../../base/table/table.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import { tokenList } from "../index/list-rows.ts";
import { listedParts } from "../index/read-lists.ts";
import { allParts, readTransferParts, type TransactionPlace } from "../index/read-parts.ts";
import { evmBlocks, evmChainStates, evmTokens, evmTransactions, evmUpstreams } from "../index/tables.ts";
import { evmLyingTokens, evmTokenChecks } from "../index/token-tables.ts";
import { AGREES, collectSamples, DIFFERS, judge, type TokenSamples } from "./balance-samples.ts";
import { NoStateError } from "./contract-reader.ts";
import { rowChange } from "./token-commits.ts";
import type { TokenWork, WorkParts } from "./token-work.ts";

/** An index further behind is catching up: the state of its blocks may be gone, and changes again soon. */
const TIP_BLOCKS = 16n;
const TRANSACTIONS_PER_STEP = 500;
const TOKENS_PER_STEP = 100;
/** seconds between comparisons of a token, times its samples so far in units of SAMPLES_PER_TRUST */
const RECHECK_SECONDS = 60n;
const SAMPLES_PER_TRUST = 32;
const MAX_RECHECK_SECONDS = 3_600n;
const MAX_SAMPLES = 0xffff;
/** comparisons at once, and how many more are allowed per second, so that starting on a chain with many tokens does not flood the node */
const BURST = 128n;
const COMPARISONS_PER_SECOND = 4n;

/** a position among transactions: after all of a height, or after one */
type SeenPlace = Pick<TransactionPlace, "height"> & Partial<TransactionPlace>;

export class BalanceWork implements TokenWork {
  readonly #parts: WorkParts;
  /** changed tokens, and when each may be compared, Unix seconds */
  readonly #changed = new Map<Address, bigint>();
  /** position up to which transactions were searched for transfers; undefined: the tip was not reached yet */
  #seen: SeenPlace | undefined;
  /** the chain's state at the last look */
  #state: TableValue<typeof evmChainStates> | undefined;
  /** comparisons that are allowed now, and when that was computed */
  #allowance = BURST;
  #countedAt = 0n;
  /** token up to which the sweep after the start has come; undefined: it is complete */
  #swept: Address | undefined = "";

  constructor(parts: WorkParts) {
    this.#parts = parts;
  }

  async step(signal: AbortSignal): Promise<boolean> {
    if (!(await this.#isAtTip())) return false;
    const hasMore = [await this.#sweep(), await this.#lookAtTransfers()].includes(true);
    const now = this.#parts.clock();
    this.#allow(now);
    for (const [token, dueAt] of this.#changed) {
      if (dueAt > now || this.#allowance === 0n) continue;
      this.#allowance--;
      this.#changed.delete(token);
      await this.#compare(token, signal);
      return true;
    }
    return hasMore;
  }

  #allow(now: bigint): void {
    const allowed = this.#allowance + (now - this.#countedAt) * COMPARISONS_PER_SECOND;
    this.#allowance = allowed < BURST ? allowed : BURST;
    this.#countedAt = now;
  }

  async #isAtTip(): Promise<boolean> {
    const { store, chain } = this.#parts;
    const [state, upstream] = await Promise.all([store.get(evmChainStates, { chain }), store.get(evmUpstreams, { chain })]);
    if (state === undefined) return false;
    this.#returnToFork(state);
    if (upstream !== undefined && upstream.headHeight > state.height + TIP_BLOCKS) return false;
    this.#seen ??= { height: state.height };
    return true;
  }

  /**
   * If blocks were replaced, searches the transfers of the new ones too, which the height alone would not show. Indexing a block adds one
   * to both `commits` and the height; undoing one adds one to `commits` and subtracts one from the height.
   */
  #returnToFork(state: TableValue<typeof evmChainStates>): void {
    const before = this.#state ?? state;
    this.#state = state;
    const undone = (state.commits - before.commits - (state.height - before.height)) / 2n;
    if (undone <= 0n) return;
    const kept = before.height > undone ? before.height - undone : 0n;
    if (this.#seen !== undefined && this.#seen.height > kept) this.#seen = { height: kept };
  }

  /** Once after the start: finds tokens that changed since they were compared. */
  async #sweep(): Promise<boolean> {
    if (this.#swept === undefined) return false;
    const { store, chain } = this.#parts;
    const after = this.#swept === "" ? {} : { after: { token: this.#swept } };
    const tokens = await store.scan(evmTokens, { prefix: { chain }, ...after, limit: TOKENS_PER_STEP });
    for (const { key } of tokens) {
      const [[last], check] = await Promise.all([
        listedParts(store, { chain, list: tokenList(key.token) }, { reverse: true }, 1),
        store.get(evmTokenChecks, { chain, token: key.token }),
      ]);
      if (last !== undefined && (check === undefined || check.height < last.height)) await this.#note(key.token);
    }
    this.#swept = tokens.length < TOKENS_PER_STEP ? undefined : tokens.at(-1)!.key.token;
    return this.#swept !== undefined;
  }

  async #lookAtTransfers(): Promise<boolean> {
    const { store, chain } = this.#parts;
    const { rows, tokens } = await store.snapshot(async (reader) => {
      const rows = await reader.scan(evmTransactions, { prefix: { chain }, after: this.#seen!, limit: TRANSACTIONS_PER_STEP });
      const parts = rows.flatMap(({ key, value }) => allParts(key, value, value.transfers));
      const transfers = (await readTransferParts(reader, chain, parts)).flat();
      return { rows, tokens: new Set(transfers.map(({ token }) => token)) };
    });
    for (const token of tokens) await this.#note(token);
    const last = rows.at(-1)?.key;
    if (last !== undefined) this.#seen = { height: last.height, index: last.index };
    return rows.length === TRANSACTIONS_PER_STEP;
  }

  /** Decides when a changed token is compared next. */
  async #note(token: Address): Promise<void> {
    if (this.#changed.has(token)) return;
    const { store, chain } = this.#parts;
    const check = await store.get(evmTokenChecks, { chain, token });
    const trust = BigInt(Math.ceil((check?.samples ?? 0) / SAMPLES_PER_TRUST));
    const pause = RECHECK_SECONDS * trust;
    this.#changed.set(token, check === undefined ? 0n : check.checkedAt + (pause < MAX_RECHECK_SECONDS ? pause : MAX_RECHECK_SECONDS));
  }

  async #compare(token: Address, signal: AbortSignal): Promise<void> {
    const { store, chain, commits, reader, clock } = this.#parts;
    const found = await store.snapshot((rows) => collectSamples(rows, chain, token));
    if (found === undefined || found.samples.length === 0) return;
    const said = await this.#ask(found, signal, reader);
    const block = await store.get(evmBlocks, { chain, height: found.height });
    if (said === undefined || block?.hash !== found.hash) {
      // The node is behind, or the block was replaced, so compare again soon.
      this.#changed.set(token, clock() + RECHECK_SECONDS);
      return;
    }
    const before = await store.get(evmTokenChecks, { chain, token });
    const samples = Math.min((before?.samples ?? 0) + found.samples.length, MAX_SAMPLES);
    const verdict = judge(found, said, before?.verdict);
    if (verdict !== before?.verdict && verdict !== 0) {
      this.#parts.log.info(
        { token: `0x${token}`, verdict, height: found.height.toString() },
        "Found a token whose transfers do not add up to its balances",
      );
    }
    const write = (said: number) =>
      commits.commit([
        rowChange(evmTokenChecks, { chain, token }, { verdict: said, height: found.height, samples, checkedAt: clock() }),
        rowChange(evmLyingTokens, { chain, token }, said === DIFFERS ? {} : undefined),
      ]);
    await write(verdict);
    // the index may have learned meanwhile that transfers do not determine the balances
    const hasDebts = !found.hasDebts && (await store.get(evmTokens, { chain, token }))?.hasDebts === true;
    if (hasDebts && verdict === AGREES) await write(DIFFERS);
  }

  async #ask({ samples, height }: TokenSamples, signal: AbortSignal, reader: WorkParts["reader"]) {
    try {
      // Ask each question in its own call: within one call a contract could change what others return.
      return await reader.askEach(
        samples.map(({ question }) => question),
        height,
        { signal },
      );
    } catch (error) {
      if (error instanceof NoStateError) return undefined;
      throw error;
    }
  }
}
