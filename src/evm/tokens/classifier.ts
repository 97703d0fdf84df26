/**
 * Classifies contracts whose logs are ambiguous (policy: docs/evm-chains.md). A contract is asked at the height of the log, so that every
 * index of the chain gets the same class. If no upstream has that state, it is asked at the newest block.
 */

import type { Address } from "../../sources/evm/parser/block.ts";
import { callData, readNumber } from "../abi.ts";
import type { DoubtfulContract } from "../decode/decode-block.ts";
import { ERC20, ERC721, type TokenClass } from "../facts.ts";
import { type AskedAt, type ContractReader, NoStateError } from "./contract-reader.ts";
import { INTERFACE_QUESTIONS, interfaceQuestions, readInterfaces } from "./interfaces.ts";
import type { CallAnswer, ContractCall } from "./multicall.ts";

export interface DoubtfulToken extends DoubtfulContract {
  /** height of the ambiguous log */
  readonly height: bigint;
}

export interface TokenClassifier {
  /** Rejects if no upstream answers. A contract that reverts or returns nonsense counts as having answered. */
  classify(tokens: readonly DoubtfulToken[]): Promise<ReadonlyMap<Address, TokenClass>>;
}

export class ContractClassifier implements TokenClassifier {
  readonly #reader: ContractReader;

  constructor(reader: ContractReader) {
    this.#reader = reader;
  }

  async classify(tokens: readonly DoubtfulToken[]): Promise<ReadonlyMap<Address, TokenClass>> {
    const byHeight = new Map<bigint, DoubtfulToken[]>();
    for (const token of tokens) {
      const others = byHeight.get(token.height);
      if (others === undefined) byHeight.set(token.height, [token]);
      else others.push(token);
    }
    const found = await Promise.all([...byHeight].map(([height, ofHeight]) => this.#askedAt(ofHeight, height)));
    return new Map(found.flat());
  }

  async #askedAt(tokens: readonly DoubtfulContract[], height: bigint): Promise<[Address, TokenClass][]> {
    try {
      return await this.#ask(tokens, height);
    } catch (error) {
      // A node that does not have the block yet does not know a contract created in it.
      if (!(error instanceof NoStateError) || (await this.#reader.head()) < height) throw error;
      return this.#ask(tokens, "latest");
    }
  }

  async #ask(tokens: readonly DoubtfulContract[], at: AskedAt): Promise<[Address, TokenClass][]> {
    const [answers, native] = await Promise.all([
      this.#reader.ask(tokens.map(questions), at),
      this.#reader.nativeBalances(
        tokens.map(({ address }) => address),
        at,
      ),
    ]);
    return tokens.map(({ address }, i) => [address, classOf(answers[i]!, native[i])]);
  }
}

/** Any owner but the zero address, which OpenZeppelin's contracts refuse. */
const SOMEBODY = 1n;
/** Early collections number from one of these. */
const FIRST_IDS = [0n, 1n];
const ADDRESSES = 2n ** 160n;

function questions({ address: to, loggedId }: DoubtfulContract): ContractCall[] {
  const ask = (signature: string, ...parameters: bigint[]) => ({ to, data: callData(signature, ...parameters) });
  return [
    ...interfaceQuestions(to),
    ask("decimals()"),
    ask("totalSupply()"),
    ask("balanceOf(address)", SOMEBODY),
    ...FIRST_IDS.map((id) => ask("ownerOf(uint256)", id)),
    ...(loggedId === undefined ? [] : [ask("ownerOf(uint256)", loggedId)]),
  ];
}

/** @param native wei that the contract holds; undefined: unknown */
function classOf(answers: readonly CallAnswer[], native: bigint | undefined): TokenClass {
  const declared = readInterfaces(answers.slice(0, INTERFACE_QUESTIONS));
  if (declared !== undefined) return { kind: declared, isWrapped: false };
  const [decimals, supply, balance, ...owners] = answers.slice(INTERFACE_QUESTIONS).map((answer) => readNumber(answer));
  // tokens that are both fungible and a collection (ERC-404) log fungible transfers in another form
  const owner = owners[FIRST_IDS.length];
  if (owner !== undefined && owner > 0n && owner < ADDRESSES) return { kind: ERC721, isWrapped: false };
  if (decimals !== undefined) return { kind: ERC20, isWrapped: isBacked(supply, native) };
  const isOldCollection = balance !== undefined || owners.some((owner) => owner !== undefined);
  return { kind: isOldCollection ? ERC721 : undefined, isWrapped: false };
}

/** Whether the contract can pay out what it issued, as a wrapped token can. Others with such events (vaults, farms) hold other tokens. */
function isBacked(supply: bigint | undefined, native: bigint | undefined): boolean {
  return supply !== undefined && (native === undefined || native >= supply);
}
