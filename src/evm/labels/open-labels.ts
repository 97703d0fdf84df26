/**
 * Loads the operator's files and the built-in signatures of a chain. Files are read once and checked completely; an error names the place
 * of a mistake.
 */

import type { Address } from "../../sources/evm/parser/block.ts";
import type { EvmChainSettings } from "../chain-settings.ts";
import { type AbiFile, readAbiFile } from "./abi-file.ts";
import { bundledMethodName } from "./bundled-signatures.ts";
import { readLabelFile } from "./label-file.ts";
import { LabelNames } from "./label-names.ts";
import type { EvmLabels, TokenLabel } from "./labels.ts";
import { type Prices, readPrices } from "./prices.ts";
import { readTokenList } from "./token-list.ts";

/** @param evmChainId a token list may have tokens of several chains */
export async function openLabels({ tokenList, prices, abis }: EvmChainSettings["files"], evmChainId: bigint): Promise<EvmLabels> {
  const [tokens, priced, ...given] = await Promise.all([
    tokenList === undefined
      ? new Map<Address, TokenLabel>()
      : readLabelFile(tokenList, "a token list").then((file) => readTokenList(file, evmChainId)),
    prices === undefined ? (new Map() as Prices) : readLabelFile(prices, "prices").then((file) => readPrices(file, prices)),
    ...abis.map(async (path) => readAbiFile(await readLabelFile(path, "an ABI"))),
  ]);
  const names = new LabelNames(tokens);
  const methods = new MethodNames(given);
  return {
    token: (address) => tokens.get(address),
    tokensNamed: (folded, limit) => names.beginningWith(folded, limit),
    price: (token, currency) => priced.get(token)?.get(currency),
    methodName: (selector, contract) => methods.find(selector, contract),
  };
}

/** A contract's own ABI takes precedence, then ABIs for any contract, then the built-in signatures. */
class MethodNames {
  readonly #own = new Map<Address, Map<string, string>>();
  readonly #given = new Map<string, string>();

  constructor(files: readonly AbiFile[]) {
    for (const { contract, names } of files) {
      const known = contract === undefined ? this.#given : (this.#own.get(contract) ?? new Map<string, string>());
      if (contract !== undefined) this.#own.set(contract, known);
      for (const [selector, name] of names) known.set(selector, name);
    }
  }

  find(selector: string, contract: Address): string | undefined {
    return this.#own.get(contract)?.get(selector) ?? this.#given.get(selector) ?? bundledMethodName(selector);
  }
}
