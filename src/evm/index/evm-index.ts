/**
 * Keeps the rows of one EVM chain (`tables.ts`) over a view: it indexes block by block, and undoes the newest blocks of a chain that is not
 * final. It is synchronous and has no I/O: it names what it will read (`tokenKeys`, `keysRead`, `undoKeys`), and the ingester fetches that.
 *
 * For each run of blocks: fetch `tokenKeys`, classify ambiguous tokens that have no class yet, decode, fetch `keysRead`, `project` in
 * order, commit the view's changes. A replaced branch is undone from its tip downwards, in the same commit as the blocks that replace it.
 */

import { FirnError } from "../../base/errors/errors.ts";
import type { Change, TableKey, TableValue } from "../../base/table/table.ts";
import { type RowKey, rowKey, type View } from "../../base/table/view.ts";
import { countedSeconds } from "../../base/time/intervals.ts";
import type { Address, EvmBlock } from "../../sources/evm/parser/block.ts";
import { isTokenLog } from "../decode/token-logs.ts";
import type { Deployment, EvmFacts, MetToken, TokenClass, TransferKind } from "../facts.ts";
import { writeBlockRows } from "./block-rows.ts";
import { BlockWriter, changesThatUndo, UndoRecord } from "./block-writer.ts";
import { CountedAddresses } from "./counted-addresses.ts";
import { fillTransaction, type IndexedTransaction, keysToFill } from "./filled-rows.ts";
import { HolderMoves, HolderRows, ownerKeys } from "./holder-rows.ts";
import { evmNftCounts, evmTokensByHeight, evmTokenTotals } from "./holder-tables.ts";
import { holdingKeys, writeHoldings } from "./holding-rows.ts";
import { icmKeys, writeIcm } from "./icm-rows.ts";
import { evmIcmCounts, evmIcmRanges, evmIcmReceived, evmIcmSent, evmIcmSentCounts } from "./icm-tables.ts";
import { type BlockSummary, contractsOf, listKeys, summaryOf, writeLists, writeLogRange, writeNftRange } from "./list-rows.ts";
import { evmLists, evmLogRanges, evmNftRanges } from "./log-tables.ts";
import {
  type FoundDeployments,
  foundKeys,
  foundKeysNext,
  metricKeys,
  metricKeysNext,
  writeFoundDeployments,
  writeMetrics,
} from "./metric-rows.ts";
import * as metricTables from "./metric-tables.ts";
import { windowOf } from "./postings.ts";
import type { PreparedBlock } from "./prepared-block.ts";
import { unsaid } from "./said-rows.ts";
import { evmBlocks, evmChainStates, evmChains, evmContracts, evmHoldings, evmNfts, evmTokens, evmUndo } from "./tables.ts";
import { evmContractQueue, evmLyingTokens } from "./token-tables.ts";

export interface IndexedChain {
  /** the chain's number in the store */
  readonly chain: number;
  readonly evmChainId: bigint;
  /** first indexed height */
  readonly startHeight: bigint;
  /** number of newest blocks that can be undone; older undo records are removed */
  readonly maxReorgDepth: number;
  /** false: its metrics are not kept; default: they are */
  readonly hasMetrics?: boolean | undefined;
  /** contracts whose interchain messages are indexed; default: all that have the events of messengers */
  readonly messengers?: readonly Address[] | undefined;
  /** whether transactions alone do not explain a contract's state; default: they do */
  isEdited?(contract: Address): boolean;
}

type EvmChainState = TableValue<typeof evmChainStates>;

/** Tables whose rows the index reads again. They go through the view, all others past it. */
const READ_TABLES: ReadonlySet<number> = new Set(
  [
    evmHoldings,
    evmNfts,
    evmTokens,
    evmContracts,
    evmChainStates,
    evmLogRanges,
    evmNftRanges,
    evmNftCounts,
    evmTokenTotals,
    evmLists,
    // not read, but written with the tokens
    evmTokensByHeight,
    ...Object.values(metricTables),
    evmIcmRanges,
    evmIcmSent,
    evmIcmReceived,
    evmIcmCounts,
    evmIcmSentCounts,
  ].map(({ id }) => id),
);

interface MetTokens {
  readonly height: bigint;
  readonly tokens: readonly MetToken[];
  /** whose logs do not determine their balances */
  readonly indebted: ReadonlySet<Address>;
  readonly holders: HolderRows;
}

export class EvmIndex {
  readonly #view: View;
  readonly #chain: IndexedChain;
  readonly #stateKey: TableKey<typeof evmChainStates>;
  /** `commits` of the last known state; kept even when the first block is undone */
  #commits = 0n;
  /** computed when the rows to read are named, and used again when they are written */
  readonly #summaries = new WeakMap<EvmFacts, BlockSummary>();
  /** of prepared blocks, not written yet */
  readonly #moves = new HolderMoves();
  readonly #counted = new CountedAddresses();

  constructor(view: View, chain: IndexedChain) {
    this.#view = view;
    this.#chain = chain;
    this.#stateKey = { chain: chain.chain };
  }

  get #hasMetrics(): boolean {
    return this.#chain.hasMetrics ?? true;
  }

  /** The key of the row that `tip` reads. */
  stateKey(): RowKey {
    return rowKey(evmChainStates, this.#stateKey);
  }

  /** undefined: no block is indexed. Includes changes that are not committed yet. */
  tip(): EvmChainState | undefined {
    return this.#view.get(evmChainStates, this.#stateKey);
  }

  /** Keys that `classOf` and `project` read for the tokens of a block. */
  tokenKeys(block: EvmBlock): RowKey[] {
    const tokens = new Set<Address>();
    for (const { logs } of block.transactions) for (const log of logs) if (isTokenLog(log)) tokens.add(log.address);
    return this.keysOfTokens(tokens);
  }

  /** Keys that `classOf` reads. */
  keysOfTokens(tokens: Iterable<Address>): RowKey[] {
    return [...tokens].map((token) => rowKey(evmTokens, { chain: this.#chain.chain, token }));
  }

  /** The class that the token got at its first ambiguous log; undefined: it has to be asked. */
  classOf(token: Address): TokenClass | undefined {
    return classIn(this.#view.get(evmTokens, { chain: this.#chain.chain, token }));
  }

  /** Keys that `project` reads, including those of `tokenKeys`. The keys of `keysReadNext` follow from their rows. */
  keysRead(block: EvmFacts | PreparedBlock): RowKey[] {
    const { chain } = this.#chain;
    const summary = this.#summaryOf(block);
    const keys = [
      this.stateKey(),
      rowKey(evmLogRanges, { chain }),
      rowKey(evmNftRanges, { chain }),
      ...holdingKeys(chain, summary.holdings),
    ];
    for (const { token } of summary.tokens) keys.push(rowKey(evmTokens, { chain, token }));
    for (const key of this.#listKeys(summary)) keys.push(key);
    for (const contract of contractsOf(summary)) keys.push(rowKey(evmContracts, { chain, contract }));
    for (const key of icmKeys(this.#icmOf(summary))) keys.push(key);
    if (this.#hasMetrics) for (const key of metricKeys({ chain, ...summary }, this.#counted)) keys.push(key);
    return [...keys, ...this.keysOfTokens([...contractsOf(summary), ...summary.destroyed])];
  }

  /** More keys that `project` reads, once those of `keysRead` are fetched for all blocks that are indexed together. */
  keysReadNext(block: EvmFacts | PreparedBlock): RowKey[] {
    const { chain } = this.#chain;
    const summary = this.#summaryOf(block);
    const owners = ownerKeys(chain, summary.holdings.owners, (nft) => this.#view.get(evmNfts, nft));
    if (!this.#hasMetrics) return owners;
    return [...owners, ...metricKeysNext({ chain, ...summary }, this.#counted, (table, key) => this.#view.get(table, key))];
  }

  /** Indexes the block after the tip. @param recordsUndo the block may be replaced, so keep how to undo it */
  project(facts: EvmFacts, { recordsUndo }: { recordsUndo: boolean }): void {
    const { chain } = this.#chain;
    this.endPrepared();
    const undo = recordsUndo ? new UndoRecord() : undefined;
    const writer = new BlockWriter(this.#view, undo);
    const moves = new HolderMoves();
    this.#project(this.#summaryOf(facts), writer, moves, (count) => writeBlockRows(writer, chain, facts, count));
    moves.write(writer, chain);
    if (undo !== undefined) this.#view.put(evmUndo, { chain, height: facts.block.height }, { changes: undo.finish() });
  }

  /** The same for a block that cannot be replaced, and whose other rows are committed with the view's changes. `endPrepared` has to follow. */
  projectPrepared({ summary, row }: PreparedBlock): void {
    const { chain } = this.#chain;
    const writer = new BlockWriter(this.#view, undefined);
    this.#project(summary, writer, this.#moves, (cumulativeTransactions) =>
      writer.add(evmBlocks, { chain, height: summary.height }, { ...row, cumulativeTransactions }),
    );
  }

  /** Writes what a run of prepared blocks changed together. Call it before the view's changes are taken. */
  endPrepared(): void {
    this.#moves.write(new BlockWriter(this.#view, undefined), this.#chain.chain);
  }

  /** @param writeOwnRows writes the rows that the block alone determines; `count`: transactions of the chain up to this block */
  #project(block: BlockSummary, writer: BlockWriter, moves: HolderMoves, writeOwnRows: (count: bigint) => void): void {
    const { chain, evmChainId, startHeight, maxReorgDepth } = this.#chain;
    const { height } = block;
    const before = this.#checkedTip(block);
    const after = this.#stateAfter(block, before);
    if (before === undefined) writer.ask(evmChains, { chain }, { evmChainId, startHeight });
    // each state has its own `commits`, so undoing must not bring back the old value
    writer.change(evmChainStates, this.#stateKey, before && { ...before, commits: 0n }, after);
    writeOwnRows(after.transactions);
    writeLists(writer, { chain, height }, block.lists);
    writeLogRange(writer, chain, block);
    writeNftRange(writer, chain, block);
    writeIcm(writer, this.#icmOf(block));
    if (this.#hasMetrics) writeMetrics(writer, { chain, ...block }, this.#counted);
    for (const { index, ...deployment } of block.deployments) this.#writeContract(writer, height, index, deployment);
    const remade = contractsOf(block).filter((token) => writer.read(evmTokens, { chain, token }) !== undefined);
    const holders = new HolderRows(writer, chain, moves);
    const indebted = writeHoldings(writer, { chain, height }, block.holdings, holders);
    this.#writeTokens(writer, { height, tokens: block.tokens, indebted, holders });
    for (const contract of [...remade, ...block.destroyed]) this.#mustReadBalances(writer, contract);
    holders.finish();
    const oldest = height - BigInt(maxReorgDepth);
    if (maxReorgDepth > 0 && oldest >= startHeight) this.#view.delete(evmUndo, { chain, height: oldest });
  }

  /** Keys that `projectEdits` reads. */
  keysOfEdits(contracts: Iterable<Address>): RowKey[] {
    return this.keysOfTokens(contracts);
  }

  /** The state of contracts was changed without a transaction: their balances are read from the chain, and they are asked about themselves. */
  projectEdits(contracts: Iterable<Address>): void {
    const { chain } = this.#chain;
    const writer = new BlockWriter(this.#view, undefined);
    for (const contract of contracts) {
      writer.ask(evmContractQueue, { chain, dueAt: 0n, contract }, {});
      this.#mustReadBalances(writer, contract);
    }
  }

  /** Whether it had logs as a token up to this height. */
  #isToken(token: Address, upTo: bigint): boolean {
    const row = this.#view.get(evmTokens, { chain: this.#chain.chain, token });
    return row !== undefined && row.height <= upTo;
  }

  /** If it is a token, its logs no longer determine its balances. */
  #mustReadBalances(writer: BlockWriter, token: Address): void {
    const key = { chain: this.#chain.chain, token };
    const before = writer.read(evmTokens, key);
    if (before === undefined) return;
    writer.ask(evmLyingTokens, key, {});
    if (!before.hasDebts) writer.change(evmTokens, key, before, { ...before, hasDebts: true });
  }

  /** Keys that `fill` reads. @param indexed as `fill` gets it */
  fillKeys(facts: EvmFacts, indexed: ReadonlyMap<number, IndexedTransaction>): RowKey[] {
    const { chain } = this.#chain;
    const { height } = facts.block;
    const keys = [this.stateKey()];
    for (const [index, each] of indexed) {
      const filled = facts.transactions[index]!;
      keys.push(...keysToFill({ chain, height, index }, filled, each));
      const made = filled.deployments.map(({ contract }) => contract);
      keys.push(...made.map((contract) => rowKey(evmContracts, { chain, contract })), ...this.keysOfTokens([...made, ...filled.destroyed]));
    }
    if (this.#hasMetrics) keys.push(...foundKeys(this.#found(facts, indexed)));
    return keys;
  }

  /** More keys that `fill` reads, once those of `fillKeys` are fetched. */
  fillKeysNext(facts: EvmFacts, indexed: ReadonlyMap<number, IndexedTransaction>): RowKey[] {
    if (!this.#hasMetrics) return [];
    return foundKeysNext(this.#found(facts, indexed), (table, key) => this.#view.get(table, key));
  }

  /** Deployments that only call traces show: a transaction's own contract was counted with its block. */
  #found({ block, transactions }: EvmFacts, indexed: ReadonlyMap<number, IndexedTransaction>): FoundDeployments {
    const { height, timestamp } = block;
    const deployments = [...indexed.keys()].flatMap((index) =>
      transactions[index]!.deployments.filter(({ factory }) => factory !== undefined),
    );
    return { chain: this.#chain.chain, height, seconds: countedSeconds(timestamp), deployments };
  }

  /**
   * Adds the content of call traces to transactions that were indexed without them. Returns false and changes nothing if the block may
   * still be replaced, or if a later block that may be replaced created the same contract: its undo record would then be wrong.
   * @param indexed these transactions, as in the store
   */
  fill(facts: EvmFacts, indexed: ReadonlyMap<number, IndexedTransaction>): boolean {
    const { chain, maxReorgDepth } = this.#chain;
    const { height } = facts.block;
    const tip = this.tip()!;
    const finalUpTo = tip.height - BigInt(maxReorgDepth);
    const newest = (contract: Address) => this.#view.get(evmContracts, { chain, contract });
    const made = [...indexed.keys()].flatMap((index) =>
      facts.transactions[index]!.deployments.map((deployment) => ({ index, deployment })),
    );
    if (height > finalUpTo || made.some(({ deployment }) => (newest(deployment.contract)?.height ?? 0n) > finalUpTo)) return false;
    const writer = new BlockWriter(this.#view, undefined);
    for (const [index, each] of indexed) fillTransaction(writer, { chain, height, index }, facts.transactions[index]!, each);
    for (const { index, deployment } of made) {
      const known = newest(deployment.contract);
      const isOlder = known === undefined || known.height < height || (known.height === height && known.index <= index);
      if (isOlder) this.#writeContract(writer, height, index, deployment);
      if (this.#isToken(deployment.contract, height - 1n)) this.#mustReadBalances(writer, deployment.contract);
    }
    if (this.#hasMetrics) writeFoundDeployments(writer, this.#found(facts, indexed));
    for (const index of indexed.keys()) {
      for (const contract of facts.transactions[index]!.destroyed)
        if (this.#isToken(contract, height)) this.#mustReadBalances(writer, contract);
    }
    this.#view.put(evmChainStates, this.#stateKey, { ...tip, commits: tip.commits + 1n });
    return true;
  }

  /** Keys that undoing everything above a height reads. @param tip newest indexed height */
  undoKeys(undoTo: bigint, tip: bigint): RowKey[] {
    const keys = [this.stateKey()];
    for (let height = undoTo + 1n; height <= tip; height++) keys.push(rowKey(evmUndo, { chain: this.#chain.chain, height }));
    return keys;
  }

  /** Undoes the block at the tip, which must have this height. All rows are then as before it, except for `commits`. */
  undo(height: bigint): void {
    const { chain } = this.#chain;
    const tip = this.tip();
    if (tip?.height !== height)
      throw new FirnError("undo-order", `block ${height} cannot be undone: the tip is ${tip?.height ?? "nowhere"}`, { height });
    const record = this.#view.get(evmUndo, { chain, height });
    if (record === undefined) {
      throw new FirnError("undo-depth", `block ${height} cannot be undone: it is deeper than the maxReorgDepth that it was indexed with`, {
        height,
      });
    }
    for (const change of changesThatUndo(record.changes)) {
      this.#restore(change);
      for (const { table, key, value } of unsaid(change)) this.#view.writeUnread(table, key, value);
    }
    this.#view.delete(evmUndo, { chain, height });
    this.#counted.clear();
    this.#commits = tip.commits + 1n;
    const restored = this.tip();
    if (restored !== undefined) this.#view.put(evmChainStates, this.#stateKey, { ...restored, commits: this.#commits });
  }

  #summaryOf(block: EvmFacts | PreparedBlock): BlockSummary {
    if ("summary" in block) return block.summary;
    let summary = this.#summaries.get(block);
    if (summary === undefined) {
      summary = summaryOf(block);
      this.#summaries.set(block, summary);
    }
    return summary;
  }

  #icmOf({ height, timestamp, icm }: BlockSummary) {
    const { chain, messengers } = this.#chain;
    return { chain, height, timestamp, icm: messengers === undefined ? icm : icm.filter((event) => messengers.includes(event.messenger)) };
  }

  /** A window above the tip has no rows yet, so these need not be fetched. */
  #listKeys({ height, lists }: BlockSummary): RowKey[] {
    const keys = listKeys({ chain: this.#chain.chain, height }, lists);
    const isKnown = this.#view.knows(rowKey(evmChainStates, this.#stateKey));
    const tip = isKnown ? this.tip() : undefined;
    if (tip === undefined || windowOf(height) <= windowOf(tip.height)) return keys;
    for (const { table, key } of keys) this.#view.load(table, key, undefined);
    return [];
  }

  #restore({ table, key, value }: Change): void {
    if (!READ_TABLES.has(table.id)) {
      this.#view.writeUnread(table, key, value);
      return;
    }
    // Delete a row that the view does not know first, so that the view assumes it exists in the store.
    if (value === undefined || !this.#view.knows({ table, key })) this.#view.delete(table, key);
    if (value !== undefined) this.#view.put(table, key, value);
  }

  #checkedTip({ height, parentHash }: BlockSummary): EvmChainState | undefined {
    const tip = this.tip();
    const expected = tip === undefined ? this.#chain.startHeight : tip.height + 1n;
    if (height !== expected)
      throw new FirnError("block-order", `block ${height} cannot be indexed: ${expected} is next`, { height, expected });
    if (tip !== undefined && parentHash !== tip.hash) {
      throw new FirnError("block-parent", `block ${height} has the parent 0x${parentHash}; the block before it is 0x${tip.hash}`, {
        height,
      });
    }
    return tip;
  }

  #stateAfter(block: BlockSummary, before: EvmChainState | undefined): EvmChainState {
    const { height, hash, timestamp, transactions, hasTraces } = block;
    return {
      height,
      hash,
      timestamp,
      transactions: (before?.transactions ?? 0n) + BigInt(transactions),
      commits: (before?.commits ?? this.#commits) + 1n,
      // an empty block needs no traces; the genesis of a C-chain cannot be traced
      hasTraces: (before?.hasTraces ?? true) && (hasTraces || transactions === 0),
    };
  }

  #writeContract(writer: BlockWriter, height: bigint, index: number, { contract, deployer, factory }: Deployment): void {
    const { chain } = this.#chain;
    const key = { chain, contract };
    writer.change(evmContracts, key, writer.read(evmContracts, key), { height, index, deployer, factory });
    writer.ask(evmContractQueue, { chain, dueAt: 0n, contract }, {});
  }

  #writeTokens(writer: BlockWriter, { height, tokens, indebted, holders }: MetTokens): void {
    const { chain } = this.#chain;
    for (const { token, kind = 0, isWrapped, isClassed } of tokens) {
      const key = { chain, token };
      const before = writer.read(evmTokens, key);
      const isEdited = before === undefined && this.#chain.isEdited?.(token) === true;
      if (isEdited) writer.ask(evmLyingTokens, key, {});
      const hasDebts = (before?.hasDebts ?? isEdited) || indebted.has(token);
      const classed = before === undefined || (isClassed && !before.isClassed) ? { kind, isWrapped, isClassed } : before;
      if (before === undefined) writer.ask(evmContractQueue, { chain, dueAt: 0n, contract: token }, {});
      if (classed === before && hasDebts === before.hasDebts) continue;
      holders.tokenMet(token, before?.height ?? height, before?.kind ?? 0, classed.kind);
      writer.change(evmTokens, key, before, { ...classed, hasDebts, height: before?.height ?? height });
    }
  }
}

/** The class that a token's row says; undefined: the contract was not asked. */
export function classIn(row: TableValue<typeof evmTokens> | undefined): TokenClass | undefined {
  if (row === undefined || !row.isClassed) return undefined;
  return { kind: row.kind === 0 ? undefined : (row.kind as TransferKind), isWrapped: row.isWrapped };
}
