/** Lists the transactions of an address without those that the operator calls malicious. */
import type { Address } from "../../../../sources/evm/parser/block.ts";
import { type EvmReading, formatAddress } from "../present-token.ts";
import type { TransactionPlace } from "../present-transaction.ts";
import type { TransactionDetails } from "../transaction-schemas.ts";
import { type AddressPage, type AddressQuery, addressPage } from "./address-transactions.ts";

/** Number of times that a page reads further to fill the gaps. Then it ends early. */
export const MOST_ROUNDS = 10;

export async function pageWithoutSpam(
  address: Address,
  query: AddressQuery,
  after: TransactionPlace | undefined,
  reading: EvmReading,
): Promise<AddressPage> {
  const shown = formatAddress(address);
  const items: AddressPage["items"][number][] = [];
  let next = after;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    // one more than a page shows whether there is another page
    const page = await addressPage(address, { ...query, pageSize: query.pageSize + 1 }, next, reading);
    for (const { place, details } of page.items) {
      const kept = withoutSpam(details, shown);
      if (kept === undefined) continue;
      if (items.length === query.pageSize) return { items, next: items.at(-1)!.place };
      items.push({ place, details: kept });
    }
    next = page.next;
    if (next === undefined) break;
  }
  return { items, next };
}

/** undefined if only spam is left of the address's part */
function withoutSpam(details: TransactionDetails, address: string): TransactionDetails | undefined {
  const { erc20Transfers, ...others } = details;
  const benign = erc20Transfers?.filter(({ erc20Token }) => erc20Token.tokenReputation !== "Malicious") ?? [];
  const { from, to } = details.nativeTransaction;
  const isParty = from.address === address || to.address === address || Object.keys(others).length > 1;
  if (benign.length === 0 && !isParty) return undefined;
  return { ...others, ...(benign.length > 0 && { erc20Transfers: benign }) };
}
