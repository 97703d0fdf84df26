/** Who holds a token after the last block, as its transfers and deposits say. */
import type { OracleBlock } from "./world.ts";

export interface OracleHolder {
  readonly holder: string;
  readonly balance: bigint;
}

const LARGEST = 2n ** 256n - 1n;
const isNobody = (address: string) => BigInt(address) === 0n;

export class Holders {
  readonly #blocks: readonly OracleBlock[];

  constructor(blocks: readonly OracleBlock[]) {
    this.#blocks = blocks;
  }

  /** Contracts with transfers or deposits, in order of the newest first one, and then of their address. */
  tokens(): { readonly token: string; readonly height: number }[] {
    const met = new Map<string, number>();
    for (const { height, transactions } of this.#blocks) {
      for (const { transfers, wrapped } of transactions) {
        for (const { token } of [...transfers, ...wrapped]) if (!met.has(token)) met.set(token, height);
      }
    }
    const listed = [...met].map(([token, height]) => ({ token, height }));
    return listed.sort((a, b) => b.height - a.height || (a.token > b.token ? -1 : 1));
  }

  /** number of transfers of any kind */
  transfers(token: string): number {
    return this.#transactions().flatMap(({ transfers }) => transfers.filter((transfer) => transfer.token === token)).length;
  }

  tokenIds(token: string): Set<bigint> {
    const moved = this.#transactions().flatMap(({ transfers }) => transfers);
    return new Set(moved.filter((transfer) => transfer.kind === "erc1155" && transfer.token === token).map(({ tokenId }) => tokenId));
  }

  /** The largest balance first. @param tokenId of ERC-1155 */
  of(ercType: string, token: string, tokenId?: bigint): OracleHolder[] {
    const held = ercType === "ERC-721" ? this.#owners(token) : this.#balances(ercType, token, tokenId).sums;
    const listed = [...held].map(([holder, balance]) => ({ holder, balance: balance > LARGEST ? LARGEST : balance }));
    return listed
      .filter(({ balance }) => balance > 0n)
      .sort((a, b) => (a.balance === b.balance ? (a.holder < b.holder ? -1 : 1) : a.balance > b.balance ? -1 : 1));
  }

  /** Whether some balance was, after some block, one that no contract can have. */
  isImpossible(token: string): boolean {
    return ["ERC-20", "ERC-1155"].some((ercType) =>
      [undefined, ...this.tokenIds(token)].some((id) => this.#balances(ercType, token, id).isImpossible),
    );
  }

  #balances(ercType: string, token: string, tokenId: bigint | undefined) {
    const sums = new Map<string, bigint>();
    let isImpossible = false;
    const add = (holder: string, change: bigint) => {
      if (!isNobody(holder)) sums.set(holder, (sums.get(holder) ?? 0n) + change);
    };
    for (const { transactions } of this.#blocks) {
      for (const { transfers, wrapped } of transactions) {
        for (const { kind, token: moved, tokenId: id, from, to, value } of transfers) {
          const isMeant = moved === token && (ercType === "ERC-20" ? kind === "erc20" : kind === "erc1155" && id === tokenId);
          if (!isMeant) continue;
          add(from, -value);
          add(to, value);
        }
        for (const { token: of, holder, change } of wrapped) if (ercType === "ERC-20" && of === token) add(holder, change);
      }
      isImpossible ||= [...sums.values()].some((sum) => sum < 0n || sum > LARGEST);
    }
    return { sums, isImpossible };
  }

  #owners(token: string): Map<string, bigint> {
    const owners = new Map<bigint, string>();
    for (const { transfers } of this.#transactions()) {
      for (const { kind, token: moved, tokenId, to } of transfers) if (kind === "erc721" && moved === token) owners.set(tokenId, to);
    }
    const counts = new Map<string, bigint>();
    for (const owner of owners.values()) if (!isNobody(owner)) counts.set(owner, (counts.get(owner) ?? 0n) + 1n);
    return counts;
  }

  #transactions() {
    return this.#blocks.flatMap(({ transactions }) => transactions);
  }
}
