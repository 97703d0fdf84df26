/** Remembers which addresses are counted already, so that most addresses of a block cost no row. */

import { hourOf } from "../../base/time/intervals.ts";
import type { Address } from "../../sources/evm/parser/block.ts";

/** Stands for the hour of what did not happen yet. */
export const NEVER = -1;

/** More addresses than this are not remembered. */
const MOST_REMEMBERED = 200_000;

/** Those that took part in a block. */
export interface ActiveAddresses {
  /** in "from", each once */
  readonly senders: readonly Address[];
  /** all others */
  readonly receivers: readonly Address[];
}

interface Active {
  readonly address: Address;
  /** it is in "from" */
  readonly isSender: boolean;
}

/** Addresses that are counted in the newest hour: most are active again and again, and their rows stay as they are. */
export class CountedAddresses {
  #hour = NEVER;
  /** whether it was in "from" */
  readonly #isSender = new Map<Address, boolean>();
  #fresh = new WeakMap<ActiveAddresses, readonly Active[]>();

  /** Those of a block that were not counted when this was first asked. */
  freshOf(timestamp: bigint, addresses: ActiveAddresses): readonly Active[] {
    const known = this.#fresh.get(addresses);
    if (known !== undefined) return known;
    const hour = hourOf(timestamp);
    const fresh: Active[] = [];
    for (const address of addresses.senders) if (!this.has(hour, address, true)) fresh.push({ address, isSender: true });
    for (const address of addresses.receivers) if (!this.has(hour, address, false)) fresh.push({ address, isSender: false });
    this.#fresh.set(addresses, fresh);
    return fresh;
  }

  has(hour: number, address: Address, isSender: boolean): boolean {
    if (hour !== this.#hour) return false;
    const known = this.#isSender.get(address);
    return known !== undefined && (known || !isSender);
  }

  add(hour: number, { address, isSender }: Active): void {
    if (hour !== this.#hour || this.#isSender.size >= MOST_REMEMBERED) this.#isSender.clear();
    this.#hour = hour;
    if (isSender || !this.#isSender.has(address)) this.#isSender.set(address, isSender);
  }

  /** Call it when a block is undone. */
  clear(): void {
    this.#isSender.clear();
    this.#fresh = new WeakMap();
  }
}
