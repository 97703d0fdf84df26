/** Currencies of the Data API (data-api 3.5). */
export const CURRENCY_CODES = ["usd", "eur", "aud", "cad", "chf", "clp", "cny", "czk", "dkk", "gbp", "hkd", "huf", "jpy", "nzd"] as const;
export type CurrencyCode = (typeof CURRENCY_CODES)[number];
