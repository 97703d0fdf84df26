/** Checks answers for required members, optional members, and no others. */
import { expect } from "vitest";
import type { Item } from "./recorded.ts";

export const words = (text: string): string[] => text.split(" ");

const ASSET_AMOUNT = words("amount assetId denomination name symbol type");

export function expectMembers(item: Item, must: readonly string[], may: readonly string[] = []): void {
  const names = Object.keys(item);
  expect(names, `${item.txHash} ${item.txType}`).toEqual(expect.arrayContaining([...must]));
  expect(names.filter((name) => !must.includes(name) && !may.includes(name))).toEqual([]);
  expect(Object.values(item)).not.toContain(null);
}

export function expectAmounts(amounts: Item[]): void {
  for (const amount of amounts) {
    expectMembers(amount, ASSET_AMOUNT);
    expect(amount.amount).toMatch(/^[1-9][0-9]*$/);
  }
}
