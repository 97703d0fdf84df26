/**
 * Says what contracts are whose logs leave it open (policy: docs/evm-chains.md). A contract is asked at the height of the log, so that every
 * index of the chain says the same; if no upstream holds that state, as it is now.
 */
import type { Address } from "../block.ts";
import { ERC20, ERC721, type TokenClass } from "../facts.ts";
import { callData, readNumber } from "./abi.ts";
import { type AskedAt, type ContractReader, NoStateError } from "./contract-reader.ts";
import { INTERFACE_QUESTIONS, interfaceQuestions, readInterfaces } from "./interfaces.ts";
import type { Answer, ContractCall } from "./multicall.ts";

export interface DoubtfulToken {
  readonly address: Address;
  /** of the log that is open to doubt */
  readonly height: bigint;
}

export interface TokenClassifier {
  /** Rejects if no upstream answers; a contract that reverts or answers nonsense has answered. */
  classify(tokens: readonly DoubtfulToken[]): Promise<ReadonlyMap<Address, TokenClass>>;
}

export class ContractClassifier implements TokenClassifier {
  readonly #reader: ContractReader;

  constructor(reader: ContractReader) {
    this.#reader = reader;
  }

  async classify(tokens: readonly DoubtfulToken[]): Promise<ReadonlyMap<Address, TokenClass>> {
    const byHeight = new Map<bigint, Address[]>();
    for (const { address, height } of tokens) {
      const others = byHeight.get(height);
      if (others === undefined) byHeight.set(height, [address]);
      else others.push(address);
    }
    const found = await Promise.all([...byHeight].map(([height, addresses]) => this.#askedAt(addresses, height)));
    return new Map(found.flat());
  }

  async #askedAt(addresses: readonly Address[], height: bigint): Promise<[Address, TokenClass][]> {
    try {
      return await this.#ask(addresses, height);
    } catch (error) {
      // a node that does not know the block yet knows nothing of a contract that is made in it
      if (!(error instanceof NoStateError) || (await this.#reader.head()) < height) throw error;
      return this.#ask(addresses, "latest");
    }
  }

  async #ask(addresses: readonly Address[], at: AskedAt): Promise<[Address, TokenClass][]> {
    const [answers, native] = await Promise.all([
      this.#reader.ask(addresses.map(questions), at),
      this.#reader.nativeBalances(addresses, at),
    ]);
    return addresses.map((address, i) => [address, classOf(answers[i]!, native[i])]);
  }
}

/** An owner that OpenZeppelin's contracts do not refuse, as they do the zero address. */
const SOMEBODY = 1n;
/** Early collections number from one of these. */
const FIRST_IDS = [0n, 1n];

function questions(to: Address): ContractCall[] {
  const ask = (signature: string, ...parameters: bigint[]) => ({ to, data: callData(signature, ...parameters) });
  return [
    ...interfaceQuestions(to),
    ask("decimals()"),
    ask("totalSupply()"),
    ask("balanceOf(address)", SOMEBODY),
    ...FIRST_IDS.map((id) => ask("ownerOf(uint256)", id)),
  ];
}

/** @param native wei that the contract holds; undefined: nobody knows */
function classOf(answers: readonly Answer[], native: bigint | undefined): TokenClass {
  const declared = readInterfaces(answers.slice(0, INTERFACE_QUESTIONS));
  if (declared !== undefined) return { kind: declared, isWrapped: false };
  const [decimals, supply, balance, ...owners] = answers.slice(INTERFACE_QUESTIONS).map((answer) => readNumber(answer));
  if (decimals !== undefined) return { kind: ERC20, isWrapped: isBacked(supply, native) };
  const isOldCollection = balance !== undefined || owners.some((owner) => owner !== undefined);
  return { kind: isOldCollection ? ERC721 : undefined, isWrapped: false };
}

/** A wrapped coin can pay out what it issued. Others with such events (vaults, farms) hold other tokens. */
function isBacked(supply: bigint | undefined, native: bigint | undefined): boolean {
  return supply !== undefined && (native === undefined || native >= supply);
}
