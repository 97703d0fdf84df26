/**
 * Keeps the rows of one EVM chain (`tables.ts`) over a view: block by block, and, of the newest blocks of a chain that is not final, back
 * again. Synchronous, no I/O: what it reads is named beforehand (`tokenKeys`, `keysRead`, `undoKeys`) and fetched by whoever ingests.
 *
 * For each run of blocks: fetch `tokenKeys`, class what is doubtful and not classed, decode, fetch `keysRead`, `project` in order, commit the
 * view's changes. A replaced branch is undone from its tip downwards, in the same commit as what replaces it.
 */
import type { Address, EvmBlock } from "../../evm/block.ts";
import { isTokenLog } from "../../evm/decode/token-logs.ts";
import type { Deployment, EvmFacts, MetToken, TokenClass, TransferKind } from "../../evm/facts.ts";
import { FirnError } from "../../primitives/errors.ts";
import type { Change, TableKey, TableValue } from "../../primitives/table.ts";
import { type RowKey, rowKey, type View } from "../../primitives/view.ts";
import { writeBlockRows } from "./block-rows.ts";
import { BlockWriter } from "./block-writer.ts";
import { type HoldingChanges, holdingChanges, holdingKeys, writeHoldings } from "./holding-rows.ts";
import { evmChainStates, evmChains, evmContracts, evmHoldings, evmNfts, evmTokens, evmUndo } from "./tables.ts";
import { evmContractQueue } from "./token-tables.ts";
import { changesThatUndo, UndoRecord } from "./undo-record.ts";

export interface IndexedChain {
  /** the store's number */
  readonly chain: number;
  readonly evmChainId: bigint;
  /** first height that is indexed */
  readonly startHeight: bigint;
  /** so many blocks can be undone; of older ones the records are removed */
  readonly maxReorgDepth: number;
}

export type EvmChainState = TableValue<typeof evmChainStates>;

/** Tables whose rows the index reads again: they go through the view, all others past it. */
const READ_TABLES: ReadonlySet<number> = new Set([evmHoldings, evmNfts, evmTokens, evmContracts, evmChainStates].map(({ id }) => id));

export class EvmIndex {
  readonly #view: View;
  readonly #chain: IndexedChain;
  readonly #stateKey: TableKey<typeof evmChainStates>;
  /** of the last state that this saw; outlives the undoing of the first block */
  #commits = 0n;
  /** summed up when they are read, needed again when they are written */
  readonly #holdings = new WeakMap<EvmFacts, HoldingChanges>();

  constructor(view: View, chain: IndexedChain) {
    this.#view = view;
    this.#chain = chain;
    this.#stateKey = { chain: chain.chain };
  }

  /** The row that `tip` reads. */
  stateKey(): RowKey {
    return rowKey(evmChainStates, this.#stateKey);
  }

  /** undefined: no block is indexed. Changes that are not committed yet count. */
  tip(): EvmChainState | undefined {
    return this.#view.get(evmChainStates, this.#stateKey);
  }

  /** Rows that `classOf` and `project` read of the tokens of a block. */
  tokenKeys(block: EvmBlock): RowKey[] {
    const tokens = new Set<Address>();
    for (const { logs } of block.transactions) for (const log of logs) if (isTokenLog(log)) tokens.add(log.address);
    return [...tokens].map((token) => rowKey(evmTokens, { chain: this.#chain.chain, token }));
  }

  /** As it was classed when it was first in doubt; undefined: it is to be asked. */
  classOf(token: Address): TokenClass | undefined {
    const row = this.#view.get(evmTokens, { chain: this.#chain.chain, token });
    if (row === undefined || !row.isClassed) return undefined;
    return { kind: row.kind === 0 ? undefined : (row.kind as TransferKind), isWrapped: row.isWrapped };
  }

  /** Rows that `project` reads, those of `tokenKeys` included. */
  keysRead(facts: EvmFacts): RowKey[] {
    const { chain } = this.#chain;
    const keys = [this.stateKey(), ...holdingKeys(chain, this.#holdingsOf(facts))];
    for (const { token } of facts.tokens) keys.push(rowKey(evmTokens, { chain, token }));
    for (const { deployments } of facts.transactions) {
      for (const { contract } of deployments) keys.push(rowKey(evmContracts, { chain, contract }));
    }
    return keys;
  }

  /** Indexes the block behind the tip. @param recordsUndo it may be replaced: keep how to undo it */
  project(facts: EvmFacts, { recordsUndo }: { recordsUndo: boolean }): void {
    const { chain, evmChainId, startHeight, maxReorgDepth } = this.#chain;
    const { height } = facts.block;
    const before = this.#checkedTip(facts.block);
    const undo = recordsUndo ? new UndoRecord() : undefined;
    const writer = new BlockWriter(this.#view, undo);
    const after = this.#stateAfter(facts.block, before);
    if (before === undefined) writer.ask(evmChains, { chain }, { evmChainId, startHeight });
    // a state that comes back gets a new name: the old one is not kept
    writer.change(evmChainStates, this.#stateKey, before && { ...before, commits: 0n }, after);
    writeBlockRows(writer, chain, facts, after.transactions);
    this.#writeContracts(writer, facts);
    const indebted = writeHoldings(writer, chain, height, this.#holdingsOf(facts));
    this.#writeTokens(writer, height, facts.tokens, indebted);
    if (undo !== undefined) this.#view.put(evmUndo, { chain, height }, { changes: undo.finish() });
    const oldest = height - BigInt(maxReorgDepth);
    if (maxReorgDepth > 0 && oldest >= startHeight) this.#view.delete(evmUndo, { chain, height: oldest });
  }

  /** Rows that undoing everything above a height reads. @param tip where the chain is indexed to */
  undoKeys(undoTo: bigint, tip: bigint): RowKey[] {
    const keys = [this.stateKey()];
    for (let height = undoTo + 1n; height <= tip; height++) keys.push(rowKey(evmUndo, { chain: this.#chain.chain, height }));
    return keys;
  }

  /** Undoes the block at the tip, which must be of this height: all rows are as before it, except what names the state. */
  undo(height: bigint): void {
    const { chain } = this.#chain;
    const tip = this.tip();
    if (tip?.height !== height)
      throw new FirnError("undo-order", `block ${height} cannot be undone: the tip is ${tip?.height ?? "nowhere"}`, { height });
    const record = this.#view.get(evmUndo, { chain, height });
    if (record === undefined) {
      throw new FirnError("undo-depth", `block ${height} cannot be undone: it lies deeper than the maxReorgDepth it was indexed with`, {
        height,
      });
    }
    for (const change of changesThatUndo(record.changes)) this.#restore(change);
    this.#view.delete(evmUndo, { chain, height });
    this.#commits = tip.commits + 1n;
    const restored = this.tip();
    if (restored !== undefined) this.#view.put(evmChainStates, this.#stateKey, { ...restored, commits: this.#commits });
  }

  #holdingsOf(facts: EvmFacts): HoldingChanges {
    let changes = this.#holdings.get(facts);
    if (changes === undefined) {
      changes = holdingChanges(facts);
      this.#holdings.set(facts, changes);
    }
    return changes;
  }

  #restore({ table, key, value }: Change): void {
    if (!READ_TABLES.has(table.id)) {
      this.#view.writeUnread(table, key, value);
      return;
    }
    // a row that nobody loaded is removed unseen first: then the view knows that the store may have another one
    if (value === undefined || !this.#view.knows({ table, key })) this.#view.delete(table, key);
    if (value !== undefined) this.#view.put(table, key, value);
  }

  #checkedTip({ height, parentHash }: EvmBlock): EvmChainState | undefined {
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

  #stateAfter(block: EvmBlock, before: EvmChainState | undefined): EvmChainState {
    const { height, hash, timestamp, transactions, hasTraces } = block;
    return {
      height,
      hash,
      timestamp,
      transactions: (before?.transactions ?? 0n) + BigInt(transactions.length),
      commits: (before?.commits ?? this.#commits) + 1n,
      // an empty block has none to lack: the genesis of a C-chain cannot be traced
      hasTraces: (before?.hasTraces ?? true) && (hasTraces || transactions.length === 0),
    };
  }

  #writeContracts(writer: BlockWriter, { block, transactions }: EvmFacts): void {
    const { chain } = this.#chain;
    const write = ({ contract, deployer, factory }: Deployment, index: number): void => {
      const key = { chain, contract };
      writer.change(evmContracts, key, writer.read(evmContracts, key), { height: block.height, index, deployer, factory });
      writer.ask(evmContractQueue, { chain, dueAt: 0n, contract }, {});
    };
    for (const { transaction, deployments } of transactions) for (const deployment of deployments) write(deployment, transaction.index);
  }

  #writeTokens(writer: BlockWriter, height: bigint, tokens: readonly MetToken[], indebted: ReadonlySet<Address>): void {
    const { chain } = this.#chain;
    for (const { token, kind = 0, isWrapped, isClassed } of tokens) {
      const key = { chain, token };
      const before = writer.read(evmTokens, key);
      const hasDebts = (before?.hasDebts ?? false) || indebted.has(token);
      const classed = before === undefined || (isClassed && !before.isClassed) ? { kind, isWrapped, isClassed } : before;
      if (before === undefined) writer.ask(evmContractQueue, { chain, dueAt: 0n, contract: token }, {});
      if (classed === before && hasDebts === before.hasDebts) continue;
      writer.change(evmTokens, key, before, { ...classed, hasDebts, height: before?.height ?? height });
    }
  }
}
