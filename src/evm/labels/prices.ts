/**
 * Reads the operator's prices of one whole token, by its address or `native`, then by currency: `{ "native": { "usd": 23.41 },
 * "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E": { "usd": 1, "eur": 0.92 } }`
 */

import { JsonInput } from "../../base/json/json-input.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import { CURRENCY_CODES, type CurrencyCode } from "./currencies.ts";
import { entriesOf, readAddress } from "./label-file.ts";

export const NATIVE = "native";

export type Prices = ReadonlyMap<Address | typeof NATIVE, ReadonlyMap<CurrencyCode, number>>;

export function readPrices(file: JsonInput, fileName: string): Prices {
  const prices = new Map<string, ReadonlyMap<CurrencyCode, number>>();
  for (const [name, ofToken] of entriesOf(file)) {
    const token = name === NATIVE ? NATIVE : readAddress(new JsonInput(name, fileName, "a name in it"));
    if (prices.has(token)) throw ofToken.wrong("each token once");
    prices.set(token, readCurrencies(ofToken));
  }
  return prices;
}

function readCurrencies(ofToken: JsonInput): ReadonlyMap<CurrencyCode, number> {
  const prices = new Map<CurrencyCode, number>();
  for (const [name, price] of entriesOf(ofToken)) {
    const currency = CURRENCY_CODES.find((code) => code === name);
    if (currency === undefined) throw ofToken.wrong(`prices in ${CURRENCY_CODES.join(", ")}`);
    const { value } = price;
    if (typeof value !== "number" || !Number.isFinite(value) || value < 0) throw price.wrong("a number from 0 on");
    prices.set(currency, value);
  }
  return prices;
}
