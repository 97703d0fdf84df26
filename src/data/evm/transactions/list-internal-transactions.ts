import Type from "typebox";
import { evmAddressInternals, evmInternals } from "../../../evm/index/tables.ts";
import { DataError } from "../../errors.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { hasInternals, lacksInternals } from "../chains/internals.ts";
import { blockBounds, blocksQuery, evmAddress, parseEvmAddress } from "../parameters.ts";
import { type EvmReading, Tokens } from "../present-token.ts";
import { presentInternal } from "../present-transaction.ts";
import { presentPlaces } from "../present-transfers.ts";
import { type InternalTransaction, internalTransactionSchema } from "../transaction-schemas.ts";

interface InternalPlace {
  readonly height: bigint;
  readonly index: number;
  readonly position: number;
}

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
    const rows = await reader.scan(evmAddressInternals, {
      prefix: { chain, address },
      ...bounds,
      ...(after && { after: { height: BigInt(after.height!), index: Number(after.index), position: Number(after.position) } }),
      reverse: true,
      limit: pageSize + 1,
    });
    const places = rows.slice(0, pageSize).map(({ key: { height, index, position } }) => ({ height, index, position }));
    return {
      transactions: await presentInternals(places, context),
      ...((await lacksInternals(context)) && { isIncomplete: true as const }),
      ...context.nextPage(rows.length > pageSize ? { ...places.at(-1)! } : undefined),
    };
  },
});

async function presentInternals(places: readonly InternalPlace[], reading: EvmReading): Promise<InternalTransaction[]> {
  const { chain } = reading.evmChain;
  const [happened, rows] = await Promise.all([
    presentPlaces(places, reading),
    reading.reader.getMany(
      evmInternals,
      places.map(({ height, index, position }) => ({ chain, height, index, position })),
    ),
  ]);
  const tokens = await Tokens.read({ addresses: rows.flatMap((row) => [row!.from, row!.to]) }, reading);
  return rows.map((row, i) => ({ ...happened[i]!, ...presentInternal(row!, tokens) }));
}
