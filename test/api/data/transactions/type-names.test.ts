import { PrimaryNetworkTxType } from "@avalabs/glacier-sdk";
import { expect, test } from "vitest";
import { defaultDataSettings } from "../../../../src/api/data/context.ts";
import { txTypeName, txTypeNames } from "../../../../src/api/data/transactions/type-names.ts";

test("types of transactions are called by their names exactly if the official SDK knows these", () => {
  const known = new Set<string>(Object.values(PrimaryNetworkTxType));
  for (const type of txTypeNames) expect(txTypeName(type, defaultDataSettings)).toBe(known.has(type) ? type : "UNKNOWN");
  expect([...known].filter((name) => !(txTypeNames as readonly string[]).includes(name))).toEqual([]);
});
