/**
 * Loads the operator's files and the built-in signatures of a chain. Files are read once and checked completely; an error names the place
 * of a mistake.
 */

import { foldedName } from "../../base/bytes/folded-name.ts";
import { JsonInput } from "../../base/json/json-input.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import type { EvmChainSettings } from "../chain-settings.ts";
import { type AbiFile, readAbiFile } from "./abi-file.ts";
import { bundledMethodName } from "./bundled-signatures.ts";
import { CURRENCY_CODES, type CurrencyCode } from "./currencies.ts";
import { readAddress, readLabelFile } from "./label-file.ts";
import type { EvmLabels, TokenLabel } from "./labels.ts";

// Reads a token list as defined by tokenlists.org: names, symbols and logos. In addition, `extensions.reputation` may be `Malicious` or
// `Benign`.

const MAX_DECIMALS = 255n;
const REPUTATIONS = ["Malicious", "Benign"] as const;

/** Returns the tokens of one chain; entries of other chains are not checked. */
function readTokenList(file: JsonInput, evmChainId: bigint): ReadonlyMap<Address, TokenLabel> {
  const labels = new Map<Address, TokenLabel>();
  for (const token of file.member("tokens").list()) {
    if (token.member("chainId").integer() !== evmChainId) continue;
    const address = readAddress(token.member("address"));
    if (labels.has(address)) throw token.member("address").wrong("each address once for a chain");
    labels.set(address, readToken(token));
  }
  return labels;
}

function readToken(token: JsonInput): TokenLabel {
  const logoUri = token.optionalMember("logoURI")?.text();
  const reputation = token.optionalMember("extensions")?.optionalMember("reputation");
  const known = REPUTATIONS.find((each) => each === reputation?.value);
  if (reputation !== undefined && known === undefined) throw reputation.wrong("Malicious or Benign");
  return {
    name: token.member("name").text(),
    symbol: token.member("symbol").text(),
    decimals: Number(token.member("decimals").integer(MAX_DECIMALS)),
    ...(logoUri !== undefined && { logoUri }),
    ...(known !== undefined && { reputation: known }),
  };
}

const NATIVE = "native";

type Prices = ReadonlyMap<Address | typeof NATIVE, ReadonlyMap<CurrencyCode, number>>;

/**
 * Reads the operator's prices of one whole token, by its address or `native`, then by currency: `{ "native": { "usd": 23.41 },
 * "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E": { "usd": 1, "eur": 0.92 } }`
 */
export function readPrices(file: JsonInput, fileName: string): Prices {
  const prices = new Map<string, ReadonlyMap<CurrencyCode, number>>();
  for (const [name, ofToken] of file.entries()) {
    const token = name === NATIVE ? NATIVE : readAddress(new JsonInput(name, fileName, "a name in it"));
    if (prices.has(token)) throw ofToken.wrong("each token once");
    prices.set(token, readCurrencies(ofToken));
  }
  return prices;
}

function readCurrencies(ofToken: JsonInput): ReadonlyMap<CurrencyCode, number> {
  const prices = new Map<CurrencyCode, number>();
  for (const [name, price] of ofToken.entries()) {
    const currency = CURRENCY_CODES.find((code) => code === name);
    if (currency === undefined) throw ofToken.wrong(`prices in ${CURRENCY_CODES.join(", ")}`);
    const { value } = price;
    if (typeof value !== "number" || !Number.isFinite(value) || value < 0) throw price.wrong("a number from 0 on");
    prices.set(currency, value);
  }
  return prices;
}

const LONGEST_NAME = 200;

/** Reads the operator's names of accounts and contracts: `{ "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E": "Treasury" }` */
export function readNames(file: JsonInput, fileName: string): ReadonlyMap<Address, string> {
  const names = new Map<Address, string>();
  for (const [text, name] of file.entries()) {
    const address = readAddress(new JsonInput(text, fileName, "a name in it"));
    if (names.has(address)) throw name.wrong("each address once");
    const { length } = name.text().trim();
    if (length === 0 || length > LONGEST_NAME) throw name.wrong(`1 to ${LONGEST_NAME} characters`);
    names.set(address, name.text().trim());
  }
  return names;
}

/** Addresses by what the operator calls them, tokens also by their symbols. */
export class LabelNames {
  /** in order of the folded names */
  readonly #names: readonly (readonly [folded: string, token: Address])[];

  constructor(tokens: ReadonlyMap<Address, TokenLabel>) {
    const names = [...tokens].flatMap(([token, { name = "", symbol = "" }]) =>
      [...new Set([name, symbol].map(foldedName))].map((folded) => [folded, token] as const),
    );
    this.#names = names
      .filter(([folded]) => folded !== "")
      .sort(([a, tokenA], [b, tokenB]) => (a < b || (a === b && tokenA < tokenB) ? -1 : 1));
  }

  beginningWith(folded: string, limit: number): Address[] {
    const found = new Set<Address>();
    for (let at = this.#firstFrom(folded); at < this.#names.length && found.size < limit; at++) {
      const [name, token] = this.#names[at]!;
      if (!name.startsWith(folded)) break;
      found.add(token);
    }
    return [...found];
  }

  #firstFrom(folded: string): number {
    let [low, high] = [0, this.#names.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#names[middle]![0] < folded) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** @param evmChainId a token list may have tokens of several chains */
export async function openLabels({ tokenList, prices, names, abis }: EvmChainSettings["files"], evmChainId: bigint): Promise<EvmLabels> {
  const [tokens, priced, called, ...given] = await Promise.all([
    tokenList === undefined
      ? new Map<Address, TokenLabel>()
      : readLabelFile(tokenList, "a token list").then((file) => readTokenList(file, evmChainId)),
    prices === undefined ? (new Map() as Prices) : readLabelFile(prices, "prices").then((file) => readPrices(file, prices)),
    names === undefined ? new Map<Address, string>() : readLabelFile(names, "names of addresses").then((file) => readNames(file, names)),
    ...abis.map(async (path) => readAbiFile(await readLabelFile(path, "an ABI"))),
  ]);
  const tokensByName = new LabelNames(tokens);
  const addressesByName = new LabelNames(new Map([...called].map(([address, name]) => [address, { name }])));
  const methods = new MethodNames(given);
  return {
    token: (address) => tokens.get(address),
    name: (address) => called.get(address),
    addressesNamed: (folded, limit) => addressesByName.beginningWith(folded, limit),
    tokensNamed: (folded, limit) => tokensByName.beginningWith(folded, limit),
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
