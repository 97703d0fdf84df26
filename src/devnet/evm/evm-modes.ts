/**
 * How a test wants the C-chain's EVM to be used: whether blocks are made by themselves, and for whom transactions may be sent without a
 * signature. A revert to a snapshot does not change it, as with other development nodes.
 */

import type { Id, ShortId } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import type { Change, TableKey, TableValue } from "../../base/table/table.ts";
import { type StoreReader, scanAll } from "../../store/store.ts";
import { evmImpersonated, evmModes } from "../tables.ts";

type Modes = TableValue<typeof evmModes>;

const MOST_IMPERSONATED = 10_000;
const DEFAULTS: Modes = { isHeld: false, intervalMs: 0, impersonatesAll: false };

export class EvmModes {
  readonly #chainId: Id;
  #modes: Modes = DEFAULTS;
  #impersonated = new Set<ShortId>();

  constructor(chainId: Id) {
    this.#chainId = chainId;
  }

  /** Whether transactions wait until somebody asks for a block. */
  get isHeld(): boolean {
    return this.#modes.isHeld;
  }

  /** milliseconds between blocks that are made by themselves, if only empty ones; 0: none are */
  get intervalMs(): number {
    return this.#modes.intervalMs;
  }

  get impersonated(): readonly ShortId[] {
    return [...this.#impersonated];
  }

  impersonates(address: ShortId): boolean {
    return this.#modes.impersonatesAll || this.#impersonated.has(address);
  }

  async load(reader: StoreReader): Promise<void> {
    const chainId = this.#chainId;
    this.#modes = (await reader.get(evmModes, { chainId })) ?? DEFAULTS;
    this.#impersonated = new Set();
    for await (const { key } of scanAll(reader, evmImpersonated, { chainId })) this.#impersonated.add(key.address);
  }

  /** Returns the change to commit. */
  set(modes: Partial<Modes>): Change {
    this.#modes = { ...this.#modes, ...modes };
    return { table: evmModes, key: { chainId: this.#chainId }, value: this.#modes } as Change;
  }

  /** Returns the changes to commit: none if nothing changes. */
  impersonate(address: ShortId, isOn: boolean): Change[] {
    if (this.#impersonated.has(address) === isOn) return [];
    if (isOn && this.#impersonated.size >= MOST_IMPERSONATED) {
      throw new FirnError("impersonated-too-many", `${MOST_IMPERSONATED} accounts are impersonated; stop impersonating some first`);
    }
    if (isOn) this.#impersonated.add(address);
    else this.#impersonated.delete(address);
    return [this.#row(address, isOn)];
  }

  /** The changes that make another state of the store tell the same as now. */
  async changesOf(reader: StoreReader): Promise<Change[]> {
    const changes = [this.set({}), ...this.impersonated.map((address) => this.#row(address, true))];
    for await (const { key } of scanAll(reader, evmImpersonated, { chainId: this.#chainId })) {
      if (!this.#impersonated.has(key.address)) changes.push(this.#row(key.address, false));
    }
    return changes;
  }

  #row(address: ShortId, isOn: boolean): Change {
    const key: TableKey<typeof evmImpersonated> = { chainId: this.#chainId, address };
    return { table: evmImpersonated, key, value: isOn ? {} : undefined } as Change;
  }
}
