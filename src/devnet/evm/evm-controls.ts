/** What tests of contracts tell an EVM to do, besides making blocks: edit accounts, hold blocks back, send for others. */

import type { Id, ShortId } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import type { Change } from "../../base/table/table.ts";
import type { View } from "../../base/table/view.ts";
import type { DevelopmentEvm } from "../anvil/development-evm.ts";
import { type EvmEdit, MOST_EDITS } from "../anvil/sealing/evm-edits.ts";
import type { DroppedTransactions } from "../anvil/sealing/sealing.ts";
import { answeringSlot } from "./answering-slot.ts";
import type { EvmModes } from "./evm-modes.ts";

/** As much of a devnet's producer of blocks as its EVMs' controls use. */
interface ControlledProducer {
  readonly chains: { readonly view: Pick<View, "writeUnread"> };
  editEvm(chainId: Id, edits: readonly EvmEdit[]): Promise<unknown>;
  build(): Promise<unknown>;
  commit(): Promise<unknown>;
}

export interface EvmControlParts {
  readonly modes: EvmModes;
  /** whether blocks are made at intervals that the network was started with */
  readonly hasBlockTime: boolean;
  readonly evm: DevelopmentEvm;
  task<T>(work: (producer: ControlledProducer) => Promise<T>): Promise<T>;
  /** Call this when answers changed without a block. */
  changed(): void;
  /** Makes a block of the chain. */
  mine(): Promise<void>;
  onProblem(error: unknown): void;
}

export class EvmControls {
  readonly #parts: EvmControlParts;
  #timer: NodeJS.Timeout | undefined;
  #isMining = false;

  constructor(parts: EvmControlParts) {
    this.#parts = parts;
  }

  /** Whether a transaction is put into a block when it comes. */
  get isAutomatic(): boolean {
    return !this.#parts.modes.isHeld && !this.#parts.hasBlockTime;
  }

  get intervalMs(): number {
    return this.#parts.modes.intervalMs;
  }

  get impersonated(): readonly ShortId[] {
    return this.#parts.modes.impersonated;
  }

  impersonates(address: ShortId): boolean {
    return this.#parts.modes.impersonates(address);
  }

  /** Edits accounts between two blocks, all or none. No transaction explains such a change. @param edits or what makes them, of the newest state */
  edit(edits: readonly EvmEdit[] | ((evm: DevelopmentEvm) => Promise<readonly EvmEdit[]>)): Promise<void> {
    return this.#parts.task(async (producer) => {
      const made = typeof edits === "function" ? await edits(this.#parts.evm) : edits;
      if (made.length > MOST_EDITS) throw new FirnError("edits-too-many", `${made.length} edits at once; make at most ${MOST_EDITS}`);
      await producer.editEvm(this.#parts.evm.spec.chainId, made);
      await producer.commit();
      this.#parts.changed();
    });
  }

  /** The slot from which a contract answers a question; undefined if it is not a slot of its own. @param data input of a call, `0x…` */
  answeringSlot(contract: ShortId, data: string): Promise<Id | undefined> {
    return answeringSlot(this.#parts.evm, contract, data);
  }

  /** Forgets transactions that wait for a block, by default all; returns whether there were any. */
  drop(which: DroppedTransactions = {}): Promise<boolean> {
    return this.#parts.task(() => this.#parts.evm.sealing.drop(which));
  }

  /** @param baseFee of the next block, in aAVAX per gas. A restart before that block forgets it */
  setNextBaseFee(baseFee: bigint): Promise<void> {
    return this.#parts.task(() => this.#parts.evm.sealing.setNextBaseFee(baseFee));
  }

  /** If not, transactions wait until somebody asks for a block. */
  async setAutomatic(isAutomatic: boolean): Promise<void> {
    if (isAutomatic && this.#parts.hasBlockTime) {
      throw new FirnError("block-time", "this network was started with a block time: its blocks do not come with each transaction");
    }
    await this.#commit(() => [this.#parts.modes.set({ isHeld: !isAutomatic })]);
    if (!isAutomatic) return;
    // what waits is due now
    await this.#parts.task(async (producer) => {
      await producer.build();
      await producer.commit();
    });
  }

  /** @param milliseconds between blocks that are made by themselves, if only empty ones; 0: none are */
  async setInterval(milliseconds: number): Promise<void> {
    await this.#commit(() => [this.#parts.modes.set({ intervalMs: milliseconds })]);
    this.start();
  }

  impersonate(address: ShortId, isOn: boolean): Promise<void> {
    return this.#commit(() => this.#parts.modes.impersonate(address, isOn));
  }

  impersonateAll(isOn: boolean): Promise<void> {
    return this.#commit(() => [this.#parts.modes.set({ impersonatesAll: isOn })]);
  }

  /** Makes blocks at the interval that was set. */
  start(): void {
    clearInterval(this.#timer);
    const { intervalMs } = this.#parts.modes;
    if (intervalMs > 0) this.#timer = setInterval(() => this.#tick(), intervalMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    if (this.#isMining) return;
    this.#isMining = true;
    this.#parts
      .mine()
      .catch((error: unknown) => this.#parts.onProblem(error))
      .finally(() => {
        this.#isMining = false;
      });
  }

  #commit(changes: () => readonly Change[]): Promise<void> {
    return this.#parts.task(async (producer) => {
      for (const { table, key, value } of changes()) producer.chains.view.writeUnread(table, key, value);
      await producer.commit();
    });
  }
}
