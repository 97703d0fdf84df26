/**
 * The P-chain: turns accepted blocks into changes of a view and facts for projections (chain-rules 5). Synchronous, without I/O.
 *
 * The view must first hold all rows of `residentTables`. Then `initialize` takes the rows of `platformValidatorDiffs` for the last
 * RECENT_HEIGHTS heights, of the primary network and of every subnet, ascending by height (scan the prefix {subnetId} from that height on).
 * A proposal block changes nothing until its option decides it. It is held in memory only: after a restart it must be delivered again.
 */

import { formatId } from "../../base/bytes/cb58.ts";
import { type Id, PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../../base/bytes/id.ts";
import { Recent } from "../../base/collections/bounded-cache.ts";
import type { Row } from "../../base/table/table.ts";
import type { RowKey, View } from "../../base/table/view.ts";
import { type ExecutionContext, executeBlock, type ProposerHeader, RuleError, within } from "../../network/execution.ts";
import { timeText } from "../../network/go-time.ts";
import { isActive, type NetworkInstance } from "../../network/network.ts";
import { blockKeys, isOption, isProposal, type OptionBlock, type PlatformBlock, type ProposalBlock, parseBlock, txKeys } from "./block.ts";
import { executeDecisionBlock, executeProposalBlock, verifyIssuedTx, verifyProposalBlock } from "./block-execution.ts";
import type { AcceptedPlatformBlock, PlatformFacts } from "./facts.ts";
import { genesisBlock, writeGenesisState } from "./genesis/genesis-state.ts";
import { PlatformState } from "./state/platform-state.ts";
import { platformValidatorDiffs, residentTables } from "./tables.ts";
import { checkNewTime } from "./time.ts";
import { parseTx, type SignedTx } from "./tx/registry.ts";
import { ValidatorSets } from "./validator-sets.ts";
import { verifyWarpMessages } from "./warp/verify.ts";

/** A verified proposal that waits for its option. */
interface PendingProposal {
  readonly block: ProposalBlock;
  /** the context that it was verified with */
  readonly context: ExecutionContext;
  /** chain time that its option must have */
  readonly time: bigint;
}

interface IssueOptions {
  /** height of the validator sets that warp messages are verified with; by default the last accepted one */
  readonly warpHeight?: bigint | undefined;
  /** waiting transactions that it may build on, in order; those that fail are skipped */
  readonly ancestors?: readonly SignedTx[];
}

/** Number of recent accepted blocks that a refused block's parent is compared with, to tell old parents from unknown ones. */
const REMEMBERED_BLOCKS = 1024;

export class PlatformChain {
  static readonly residentTables = residentTables;

  readonly state: PlatformState;
  readonly validatorSets: ValidatorSets;
  readonly #view: View;
  readonly #pastBlocks = new Recent<Id, bigint>(REMEMBERED_BLOCKS);
  #pending: PendingProposal | undefined;

  constructor(network: NetworkInstance, view: View) {
    this.#view = view;
    this.state = new PlatformState(network, view);
    this.validatorSets = new ValidatorSets(this.state);
  }

  /** Builds everything that is kept in addition to rows. */
  initialize(recentDiffs: Iterable<Row<typeof platformValidatorDiffs>> = []): void {
    this.#pending = undefined;
    this.state.initialize();
    this.validatorSets.load(recentDiffs);
  }

  /** Writes the state after genesis into an empty view. */
  genesis(): PlatformFacts {
    this.state.beginBlock();
    writeGenesisState(this.state);
    const { network } = this.state;
    const { id: blockId, bytes } = genesisBlock(network);
    return this.#facts([{ blockId, parentId: network.genesisId, kind: "ApricotCommitBlock", height: 0n, bytes }]);
  }

  parse(bytes: Uint8Array): PlatformBlock {
    return parseBlock(bytes);
  }

  /** A proposal that is verified but not decided: the next block must be one of its options. */
  get proposal(): ProposalBlock | undefined {
    return this.#pending?.block;
  }

  /** The rows that `execute` reads, except resident ones. An option also reads those of its proposal. */
  keysRead(block: PlatformBlock): RowKey[] {
    return isOption(block) && this.#pending !== undefined ? blockKeys(this.#pending.block) : blockKeys(block);
  }

  /**
   * Verifies a block and applies it. A proposal returns no facts; its option returns the facts of both. A RuleError leaves state and view
   * unchanged.
   */
  execute(block: PlatformBlock, context: ExecutionContext, header?: ProposerHeader): PlatformFacts | undefined {
    return this.#execute(block, () => {
      this.#verifyPlace(block, context, header);
      if (isOption(block)) return this.#decide(block);
      this.#requireNoOtherPending(block);
      this.state.beginBlock();
      if (isProposal(block)) {
        verifyProposalBlock(block, this.state, context);
        this.#pending = { block, context, time: "time" in block ? block.time : this.state.timestamp };
        return undefined;
      }
      executeDecisionBlock(block, this.state, context);
      return this.#accept(block, [block]);
    });
  }

  /** Verifies that a block could be accepted now. Changes nothing. */
  verifyBlock(bytes: Uint8Array, context: ExecutionContext, header?: ProposerHeader): void {
    const block = parseBlock(bytes);
    this.#view.tryOut(() =>
      this.#execute(block, () => {
        this.#verifyPlace(block, context, header);
        this.state.beginBlock();
        if (isProposal(block)) verifyProposalBlock(block, this.state, context);
        else if (!isOption(block)) executeDecisionBlock(block, this.state, context);
      }),
    );
    this.state.beginBlock();
  }

  /** The rows that `verifyTx` reads, except resident ones. */
  txKeysRead(tx: SignedTx): RowKey[] {
    return txKeys(tx);
  }

  /** Verifies an issued transaction as the node does before accepting it. A refusal has the text that follows "couldn't issue tx: ". */
  verifyTx(input: Uint8Array | SignedTx, context: ExecutionContext, { warpHeight, ancestors }: IssueOptions = {}): SignedTx {
    const tx = input instanceof Uint8Array ? parseTx(input) : input;
    within("failed verification", () => {
      within("failed verifying warp messages", () => this.verifyWarp(tx, warpHeight ?? this.state.scalars.height));
      this.state.beginBlock();
      verifyIssuedTx(tx, this.state, context, ancestors);
    });
    return tx;
  }

  /** Verifies the warp message of a transaction, if it has one. Call it only between blocks, when the state is the last accepted one. */
  verifyWarp(tx: SignedTx, height: bigint): void {
    verifyWarpMessages([tx], this.state, this.validatorSets, height);
  }

  #verifyPlace(block: PlatformBlock, context: ExecutionContext, header: ProposerHeader | undefined): void {
    if (context.level === "full") this.#verifyWarp(block, header);
    checkPlacement(block, this.#parentOf(block), this.state, context.clock);
  }

  /**
   * Verifies at the height in the proposervm header: the epoch's from Granite on, before that its own (chain-rules 14.5). For a bare block it
   * is not known.
   */
  #verifyWarp(block: PlatformBlock, header: ProposerHeader | undefined): void {
    const height = header === undefined ? undefined : (header.epoch?.pChainHeight ?? header.pChainHeight ?? 0n);
    if ("txs" in block) verifyWarpMessages(block.txs, this.state, this.validatorSets, height);
  }

  #parentOf({ parentId }: PlatformBlock): Parent {
    const { lastAccepted, height, timestamp } = this.state.scalars;
    if (parentId === lastAccepted) return { height, time: timestamp, role: "accepted" };
    if (parentId === this.#pending?.block.id) return { height: this.#pending.block.height, time: this.#pending.time, role: "proposal" };
    const pastHeight = this.#pastBlocks.get(parentId);
    return pastHeight === undefined
      ? { height: 0n, time: timestamp, role: "unknown" }
      : { height: pastHeight, time: timestamp, role: "past" };
  }

  #requireNoOtherPending(block: PlatformBlock): void {
    if (this.#pending === undefined || this.#pending.block.id === block.id) return;
    const { id, height } = this.#pending.block;
    throw new RuleError("undecided-proposal", `proposal block ${id} at height ${height} needs its option before another block`, { id });
  }

  /** Applies the waiting proposal as its option decides. It was verified on arrival, so now it is only replayed. */
  #decide(option: OptionBlock): PlatformFacts {
    const { block, context } = this.#pending!;
    const isCommit = option.kind === "ApricotCommitBlock" || option.kind === "BanffCommitBlock";
    this.state.beginBlock();
    executeProposalBlock(block, isCommit ? "commit" : "abort", this.state, { ...context, level: "replay" });
    const facts = this.#accept(option, [block, option]);
    this.#pending = undefined;
    return facts;
  }

  #accept(last: PlatformBlock, blocks: readonly PlatformBlock[]): PlatformFacts {
    const { state } = this;
    for (const { sourceChain, utxoIds } of state.changes.imports) state.sharedMemory.remove(PLATFORM_CHAIN_ID, sourceChain, utxoIds);
    for (const { destinationChain, elements } of state.changes.exports) {
      state.sharedMemory.put(PLATFORM_CHAIN_ID, destinationChain, elements);
    }
    state.setScalars({ height: last.height, lastAccepted: last.id });
    for (const { id, height } of blocks) this.#pastBlocks.set(id, height);
    return this.#facts(blocks.map(({ id: blockId, parentId, kind, height, bytes }) => ({ blockId, parentId, kind, height, bytes })));
  }

  #facts(blocks: readonly AcceptedPlatformBlock[]): PlatformFacts {
    const { height, timestamp, accruedFees } = this.state.scalars;
    const { produced, consumed, createdChains } = this.state.changes;
    // the state records transactions without looking into them; all of them come from this chain's blocks
    const events = this.state.changes.events as PlatformFacts["events"];
    const validatorChanges = this.state.validatorChanges();
    for (const { subnetId, nodeId, before, after } of validatorChanges) {
      this.#view.put(platformValidatorDiffs, { subnetId, height, nodeId }, { before, after });
    }
    this.validatorSets.accept(height, validatorChanges);
    const supply = this.state.supply(PRIMARY_NETWORK_ID);
    const activeL1Validators = this.state.activeL1Validators.length;
    const after = { accruedFees, supply, activeL1Validators };
    return { blocks, height, timestamp, produced, consumed, validatorChanges, createdChains, events, ...after };
  }

  #execute<T>(block: PlatformBlock, run: () => T): T {
    try {
      return executeBlock(block.id, this.#view, run);
    } catch (error) {
      this.state.beginBlock();
      throw error;
    }
  }
}

/** The block that a block names as its parent. */
interface Parent {
  readonly height: bigint;
  /** chain time after the block */
  readonly time: bigint;
  /**
   * `accepted`: the state is the one after it; `proposal`: it waits for its option; `past`: an older accepted block; `unknown`: no such
   * block
   */
  readonly role: "accepted" | "proposal" | "past" | "unknown";
}

/**
 * Checks whether a block is valid at its place: era, height, parent and time (chain-rules 5.1, 5.3, 5.4), in the order of the node's
 * checks.
 */
function checkPlacement(block: PlatformBlock, parent: Parent, state: PlatformState, clock: bigint): void {
  switch (block.kind) {
    case "BanffCommitBlock":
    case "BanffAbortBlock":
      checkHeight(block, parent);
      checkOptionTime(block.time, parent);
      checkRole(block, parent, "proposal");
      break;
    case "ApricotCommitBlock":
    case "ApricotAbortBlock":
      checkBeforeBanff(parent, state);
      checkHeight(block, parent);
      checkRole(block, parent, "proposal");
      break;
    case "BanffStandardBlock":
    case "BanffProposalBlock":
      checkHeight(block, parent);
      checkRole(block, parent, "accepted");
      checkNewTime(state, block.time, clock);
      break;
    case "ApricotStandardBlock":
    case "ApricotProposalBlock":
      checkBeforeBanff(parent, state);
      checkHeight(block, parent);
      checkRole(block, parent, "accepted");
      break;
    case "ApricotAtomicBlock":
      checkHeight(block, parent);
      checkBeforeApricotPhase5(parent, state);
      checkRole(block, parent, "accepted");
      break;
  }
}

function checkHeight(block: PlatformBlock, parent: Parent): void {
  if (parent.role === "unknown") throw new RuleError("unknown-parent", "not found", { parentId: block.parentId });
  const expected = parent.height + 1n;
  if (block.height === expected) return;
  throw new RuleError("block-height", `incorrect block height expected ${expected}, but found ${block.height}`, { expected });
}

function checkRole(block: PlatformBlock, parent: Parent, role: Parent["role"]): void {
  if (parent.role === role) return;
  throw new RuleError("missing-parent-state", `missing parent state: ${formatId(block.parentId)}`, { parentId: block.parentId });
}

function checkOptionTime(time: bigint, parent: Parent): void {
  if (time === parent.time) return;
  const times = `parent block timestamp (${timeText(parent.time)}) option block timestamp (${timeText(time)})`;
  throw new RuleError("option-time", `option block proposed timestamp not matching parent block one ${times}`);
}

function checkBeforeBanff(parent: Parent, { network }: PlatformState): void {
  if (!isActive(network, "banff", parent.time)) return;
  throw new RuleError("apricot-block-after-banff", `apricot block issued after fork: timestamp = ${timeText(parent.time)}`);
}

function checkBeforeApricotPhase5(parent: Parent, { network }: PlatformState): void {
  if (!isActive(network, "apricotPhase5", parent.time)) return;
  const activation = network.upgrades.times.apricotPhase5;
  const text = `the chain timestamp (${parent.time}) is after the apricot phase 5 time (${activation})`;
  throw new RuleError("atomic-block-after-ap5", `${text}, hence atomic transactions should go through the standard block`);
}
