/** Computes holdings with simple loops over the intended effects of blocks, without logs, rows or sums. */
import { type IntendedBlock, type Intent, TOKENS, ZERO } from "../decode/intents.ts";

export interface Balance {
  /** 20 or 55 */
  readonly kind: number;
  readonly token: string;
  readonly tokenId: bigint;
  readonly holder: string;
}

export class HoldingsOracle {
  /** after all blocks so far, zero included once it was touched */
  readonly balances = new Map<string, bigint>();
  readonly owners = new Map<string, string>();
  /** tokens of which somebody's sum was below zero, or above 256 bits, after a block */
  readonly indebted = new Set<string>();
  /** number of transfers by token */
  readonly transfers = new Map<string, number>();

  block(block: IntendedBlock): void {
    for (const { isSuccess, intents } of block) if (isSuccess) this.#transaction(intents);
    for (const [name, balance] of this.balances) if (balance < 0n || balance >= 2n ** 256n) this.indebted.add(name.split(" ")[1]!);
  }

  #transaction(intents: readonly Intent[]): void {
    for (const intent of intents) {
      this.#count(intent);
      if (intent.kind === "amount") this.#move(20, TOKENS[intent.token], 0n, intent.from, intent.to, intent.value);
      if (intent.kind === "multi") {
        for (const { tokenId, value } of intent.entries) this.#move(55, TOKENS.multi, tokenId, intent.from, intent.to, value);
      }
      if (intent.kind === "nft") {
        const name = `${TOKENS[intent.token]} ${intent.tokenId}`;
        if (intent.to === ZERO) this.owners.delete(name);
        else this.owners.set(name, intent.to);
      }
      if (intent.kind === "wrap" && intent.isTold) {
        const [from, to] = intent.isDeposit ? [ZERO, intent.holder] : [intent.holder, ZERO];
        this.#move(20, TOKENS[intent.token], 0n, from, to, intent.value);
      }
    }
    this.#deposits(intents);
  }

  #count(intent: Intent): void {
    if (intent.kind === "frame" || (intent.kind === "wrap" && !intent.isTold)) return;
    const token = intent.kind === "multi" ? TOKENS.multi : TOKENS[intent.token];
    const count = intent.kind === "multi" ? intent.entries.length : 1;
    if (count > 0) this.transfers.set(token, (this.transfers.get(token) ?? 0) + count);
  }

  /** Each deposit or withdrawal uses up one transfer that says the same, whoever meant it. */
  #deposits(intents: readonly Intent[]): void {
    const unused = intents.filter(
      (intent) =>
        (intent.kind === "amount" && intent.token === "wrapped") || (intent.kind === "wrap" && intent.token === "wrapped" && intent.isTold),
    );
    for (const intent of intents) {
      if (intent.kind !== "wrap" || intent.token !== "wrapped") continue;
      const { holder, value, isDeposit } = intent;
      const used = unused.findIndex((other) => {
        if (other.kind === "amount")
          return other.value === value && other.from === (isDeposit ? ZERO : holder) && other.to === (isDeposit ? holder : ZERO);
        return other.kind === "wrap" && other.value === value && other.holder === holder && other.isDeposit === isDeposit;
      });
      if (used >= 0) unused.splice(used, 1);
      else this.#change({ kind: 20, token: TOKENS.wrapped, tokenId: 0n, holder }, isDeposit ? value : -value);
    }
  }

  #move(kind: number, token: string, tokenId: bigint, from: string, to: string, value: bigint): void {
    this.#change({ kind, token, tokenId, holder: from }, -value);
    this.#change({ kind, token, tokenId, holder: to }, value);
  }

  #change({ kind, token, tokenId, holder }: Balance, change: bigint): void {
    if (holder === ZERO) return;
    const name = `${kind} ${token} ${tokenId} ${holder}`;
    this.balances.set(name, (this.balances.get(name) ?? 0n) + change);
  }
}
