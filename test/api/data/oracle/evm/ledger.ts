/** What addresses own, read from the contracts at a height. Possible owners come from transfers and deposits. */
import { encodeFunctionData, parseAbi } from "viem";
import { type Ask, hexOf, Refused } from "./chain-answers.ts";
import type { TokenKind } from "./token-logs.ts";
import type { OracleBlock } from "./world.ts";

const abi = parseAbi(["function balanceOf(address) view returns (uint256)", "function ownerOf(uint256) view returns (address)"]);
const multiAbi = parseAbi(["function balanceOf(address,uint256) view returns (uint256)"]);

export interface Held {
  readonly kind: TokenKind;
  readonly token: string;
  readonly tokenId: bigint;
  readonly balance: bigint;
}

export class Ledger {
  readonly #ask: Ask;
  readonly #blocks: readonly OracleBlock[];

  constructor(ask: Ask, blocks: readonly OracleBlock[]) {
    this.#ask = ask;
    this.#blocks = blocks;
  }

  async erc20(holder: string, height: number): Promise<Held[]> {
    const tokens = this.#met(height, (tx) => [
      ...tx.transfers.filter(({ kind, from, to }) => kind === "erc20" && (from === holder || to === holder)).map(({ token }) => token),
      ...tx.wrapped.filter((change) => change.holder === holder).map(({ token }) => token),
    ]);
    return this.#held("erc20", [...tokens], height, (token) => ({
      token,
      tokenId: 0n,
      data: encodeFunctionData({ abi, functionName: "balanceOf", args: [holder as `0x${string}`] }),
    }));
  }

  async erc1155(holder: string, height: number): Promise<Held[]> {
    const ids = this.#met(height, (tx) =>
      tx.transfers
        .filter(({ kind, from, to }) => kind === "erc1155" && (from === holder || to === holder))
        .map(({ token, tokenId }) => `${token}/${tokenId}`),
    );
    return this.#held("erc1155", [...ids], height, (id) => {
      const [token, tokenId] = id.split("/") as [string, string];
      const data = encodeFunctionData({ abi: multiAbi, functionName: "balanceOf", args: [holder as `0x${string}`, BigInt(tokenId)] });
      return { token, tokenId: BigInt(tokenId), data };
    });
  }

  async erc721(holder: string, height: number): Promise<Held[]> {
    const ids = this.#met(height, (tx) =>
      tx.transfers.filter(({ kind, to }) => kind === "erc721" && to === holder).map(({ token, tokenId }) => `${token}/${tokenId}`),
    );
    const owned: Held[] = [];
    for (const id of ids) {
      const [token, tokenId] = id.split("/") as [string, string];
      const owner = await this.#word(token, encodeFunctionData({ abi, functionName: "ownerOf", args: [BigInt(tokenId)] }), height);
      if (owner === BigInt(holder)) owned.push({ kind: "erc721", token, tokenId: BigInt(tokenId), balance: 1n });
    }
    return owned;
  }

  /** What the contract says. @param tokenId of ERC-1155. @returns undefined: it does not answer */
  balance(token: string, holder: string, tokenId: bigint | undefined, height: number): Promise<bigint | undefined> {
    const args = [holder as `0x${string}`] as const;
    const data =
      tokenId === undefined
        ? encodeFunctionData({ abi, functionName: "balanceOf", args })
        : encodeFunctionData({ abi: multiAbi, functionName: "balanceOf", args: [...args, tokenId] });
    return this.#word(token, data, height);
  }

  async native(holder: string, height: number): Promise<bigint> {
    return BigInt((await this.#ask("eth_getBalance", [holder, hexOf(height)])) as string);
  }

  #met(height: number, namesOf: (tx: OracleBlock["transactions"][number]) => readonly string[]): Set<string> {
    return new Set(this.#blocks.filter((block) => block.height <= height).flatMap(({ transactions }) => transactions.flatMap(namesOf)));
  }

  async #held(
    kind: TokenKind,
    names: readonly string[],
    height: number,
    callOf: (name: string) => { token: string; tokenId: bigint; data: string },
  ): Promise<Held[]> {
    const held: Held[] = [];
    for (const { token, tokenId, data } of names.map(callOf)) {
      const balance = await this.#word(token, data, height);
      if (balance !== undefined && balance > 0n) held.push({ kind, token, tokenId, balance });
    }
    return held;
  }

  /** undefined: no token answers there. */
  async #word(to: string, data: string, height: number): Promise<bigint | undefined> {
    try {
      const answer = (await this.#ask("eth_call", [{ to, data }, hexOf(height)])) as string;
      return answer.length === 66 ? BigInt(answer) : undefined;
    } catch (error) {
      if (error instanceof Refused && /revert|invalid|gas|EVM error/i.test(error.message)) return undefined;
      throw error;
    }
  }
}
