import Type from "typebox";
import type { Internal } from "../../../../evm/facts.ts";
import {
  addressInternals,
  addressParts,
  type ListRange,
  type NextParts,
  type ReadPart,
  readParts,
} from "../../../../evm/index/read-lists.ts";
import { PART_ITEMS, readInternalParts, type TransactionPlace } from "../../../../evm/index/read-parts.ts";
import { DataError } from "../../errors.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { hasInternals, lacksInternals } from "../chains/internals.ts";
import { blockBounds, blocksQuery, evmAddress, parseEvmAddress } from "../parameters.ts";
import { type EvmReading, Tokens } from "../present-token.ts";
import { presentInternal, withBlocks } from "../present-transaction.ts";
import { itemPage, type PlacedItem, presentPlace } from "../present-transfers.ts";
import { type InternalTransaction, internalTransactionSchema } from "../transaction-schemas.ts";

export const listInternalTransactions = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/addresses/{address}/transactions:listInternals",
  operationId: "listInternalTransactions",
  tag: "EVM: transactions",
  summary: "Internal transactions from or to an address, newest first.",
  description:
    "Calls with a value and creations of contracts that contracts made within transactions, including reverted ones. 503 on a chain whose nodes return no call traces.",
  cost: "O(pageSize) rows",
  computeUnits: 20,
  evm: "chain",
  isOfState: true,
  params: Type.Object({ address: evmAddress("Account or contract") }),
  query: Type.Object({ ...pageQuery(), ...blocksQuery }),
  response: pageOf({
    transactions: Type.Array(internalTransactionSchema),
    isIncomplete: Type.Optional(
      Type.Literal(true, {
        description: "Present if no node returned the call traces of some transactions: their internal transactions are missing.",
      }),
    ),
  }),
  async handle({ params, query: { pageSize, ...blocks } }, context) {
    const { reader, evmChain, after } = context;
    const { chain, evmChainId } = evmChain;
    const address = parseEvmAddress(params.address);
    if (!(await hasInternals(context))) {
      throw new DataError(
        503,
        `internal transactions of chain ${evmChainId} are not available: its nodes returned no call traces for some block`,
      );
    }
    const bounds = blockBounds(blocks, { reverse: true });
    if (bounds === undefined) return { transactions: [] };
    const start = after && { height: BigInt(after.height!), index: Number(after.index), position: Number(after.position) };
    const from = start && { height: start.height, index: start.index, part: Math.floor(start.position / PART_ITEMS) };
    const read = (range: ListRange<TransactionPlace>, limit: number) => addressInternals(reader, { chain, address }, range, limit);
    const next: NextParts = (behind, limit) =>
      addressParts(read, () => true, { ...bounds, ...(from && { from }), ...(behind && { after: behind }), reverse: true }, limit);
    const positionOf = ({ part }: { readonly part: number }, at: number) => part * PART_ITEMS + at;
    // one more than the page and the part that the last page ended in
    const { items, hasMore } = await itemPage(numbered(readParts(reader, chain, next, readInternalParts, pageSize + 2), positionOf), {
      pageSize,
      reverse: true,
      accepts: ({ internal, position }, _, { place }) =>
        (internal.from === address || internal.to === address) &&
        (start === undefined || place.height !== start.height || place.index !== start.index || position < start.position),
    });
    const last = hasMore ? items.at(-1) : undefined;
    return {
      transactions: await presentInternals(items, context),
      ...((await lacksInternals(context)) && { isIncomplete: true as const }),
      ...context.nextPage(last && { ...last.place, position: last.item.position }),
    };
  },
});

/** An internal transaction with its index among those of its transaction. */
interface NumberedInternal {
  readonly internal: Internal;
  readonly position: number;
}

async function* numbered(
  parts: AsyncIterable<ReadPart<Internal>>,
  positionOf: (part: ReadPart<Internal>, at: number) => number,
): AsyncGenerator<ReadPart<NumberedInternal>> {
  for await (const part of parts) {
    yield { ...part, items: part.items.map((internal, at) => ({ internal, position: positionOf(part, at) })) };
  }
}

async function presentInternals(items: readonly PlacedItem<NumberedInternal>[], reading: EvmReading): Promise<InternalTransaction[]> {
  const transactions = await withBlocks(items, reading);
  const tokens = await Tokens.read({ addresses: items.flatMap(({ item: { internal } }) => [internal.from, internal.to]) }, reading);
  return items.map(({ item: { internal } }, i) => ({ ...presentPlace(transactions[i]!), ...presentInternal(internal, tokens) }));
}
