/** What tests of the screens of P, X and C ask the API, and look for on a screen. */
import type { components } from "../../explorer/src/api/data-api.d.ts";
import type { Visit } from "./browser.ts";
import { ask, type World } from "./worlds.ts";

export type Transaction = components["schemas"]["Transaction"];

export const CHAINS = { P: "p-chain", X: "x-chain", C: "c-chain" } as const;
export type Alias = keyof typeof CHAINS;

export function pathOf(chain: Alias): string {
  return `/v1/networks/fuji/blockchains/${CHAINS[chain]}`;
}

export async function transactionsOf(world: World, chain: Alias): Promise<Transaction[]> {
  const all: Transaction[] = [];
  let token = "";
  do {
    const page = await ask<{ transactions: Transaction[]; nextPageToken?: string }>(
      world,
      `${pathOf(chain)}/transactions?pageSize=100${token}`,
    );
    all.push(...page.transactions);
    token = page.nextPageToken === undefined ? "" : `&pageToken=${page.nextPageToken}`;
  } while (token !== "");
  return all;
}

/** How many links of the screen lead there. */
export function linksTo(user: Visit, href: string): Promise<number> {
  return user.page.locator(`main a[href="${href}"]`).count();
}
