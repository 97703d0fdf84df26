/** Computes holdings with simple loops over the intended effects of blocks, without logs, rows or sums. */
import { type IntendedBlock, type Intent, TOKENS, ZERO } from "../decode/intents.ts";

export interface Balance {
  /** 20 or 55 */
  readonly kind: number;
  readonly token: string;
  readonly tokenId: bigint;
  readonly holder: string;
}

export interface Holder {
  readonly holder: string;
  readonly balance: bigint;
}

/** What is known of a token as a whole, as in `evm_token_totals`. */
export interface Totals {
  transfers: bigint;
  holders: bigint;
  supply: bigint;
  owners: bigint;
  nfts: bigint;
  units: bigint;
}

const LARGEST = 2n ** 256n - 1n;

export class HoldingsOracle {
  /** after all blocks so far, zero included once it was touched */
  readonly balances = new Map<string, bigint>();
  readonly owners = new Map<string, string>();
  /** tokens of which somebody's sum was below zero, or above 256 bits, after a block, or that were destroyed or made again */
  readonly indebted = new Set<string>();
  /** those of them that were destroyed or made again: their logs say nothing of their balances any more */
  readonly remade = new Set<string>();
  /** tokens with logs so far */
  readonly #met = new Set<string>();
  /** number of transfers by token */
  readonly transfers = new Map<string, number>();

  block(block: IntendedBlock): void {
    const known = new Set(this.#met);
    const done = block.filter(({ isSuccess }) => isSuccess).flatMap(({ intents }) => intents);
    for (const { isSuccess, intents } of block) if (isSuccess) this.#transaction(intents);
    for (const intent of done) {
      if (intent.kind !== "frame") {
        if (intent.kind !== "multi" || intent.entries.length > 0)
          this.#met.add(intent.kind === "multi" ? TOKENS.multi : TOKENS[intent.token]);
      } else if (intent.type.startsWith("CREATE") && !intent.isReverted && known.has(intent.to)) this.remade.add(intent.to);
    }
    for (const intent of done)
      if (intent.kind === "frame" && intent.type === "SELFDESTRUCT" && !intent.isReverted && this.#met.has(intent.from))
        this.remade.add(intent.from);
    for (const token of this.remade) this.indebted.add(token);
    for (const [name, balance] of this.balances) if (balance < 0n || balance > LARGEST) this.indebted.add(name.split(" ")[1]!);
  }

  /**
   * Who holds what, the largest balance first, by `20 <token> -`, `21 <token> -` (with the number of NFTs) and `55 <token> <token ID>`. No
   * contract can have more than 256 bits.
   */
  holders(): Map<string, Holder[]> {
    const held = new Map<string, bigint>();
    for (const [name, balance] of this.balances) held.set(name, balance > LARGEST ? LARGEST : balance);
    for (const [nft, owner] of this.owners) {
      const name = `21 ${nft.split(" ")[0]} - ${owner}`;
      held.set(name, (held.get(name) ?? 0n) + 1n);
    }
    const lists = new Map<string, Holder[]>();
    for (const [name, balance] of held) {
      const [kind, token, tokenId, holder] = name.split(" ") as [string, string, string, string];
      if (balance <= 0n) continue;
      const list = `${kind} ${token} ${kind === "55" ? tokenId : "-"}`;
      lists.set(list, [...(lists.get(list) ?? []), { holder, balance }]);
    }
    const precedes = (a: Holder, b: Holder) => (a.balance === b.balance ? a.holder < b.holder : a.balance > b.balance);
    for (const list of lists.values()) list.sort((a, b) => (precedes(a, b) ? -1 : 1));
    return lists;
  }

  /** By token. */
  totals(): Map<string, Totals> {
    const totals = new Map<string, Totals>();
    const of = (token: string): Totals => {
      const known = totals.get(token) ?? { transfers: 0n, holders: 0n, supply: 0n, owners: 0n, nfts: 0n, units: 0n };
      totals.set(token, known);
      return known;
    };
    for (const [token, transfers] of this.transfers) of(token).transfers += BigInt(transfers);
    for (const [name, list] of this.holders()) {
      const [kind, token] = name.split(" ") as [string, string];
      const sums = of(token);
      for (const { balance } of list) {
        if (kind === "20") sums.supply += balance;
        else if (kind === "21") sums.nfts += balance;
        else sums.units += balance;
      }
      if (kind === "20") sums.holders += BigInt(list.length);
      if (kind === "21") sums.owners += BigInt(list.length);
    }
    return totals;
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
