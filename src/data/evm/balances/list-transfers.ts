import Type from "typebox";
import { evmTokenTransfers } from "../../../evm/index/tables.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { blockBounds, blocksQuery, evmAddress, parseEvmAddress } from "../parameters.ts";
import { presentTransfers, transferPlace } from "../present-transfers.ts";
import { tokenTransferSchema } from "../transfer-schemas.ts";

export const listTokenTransfers = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/tokens/{address}/transfers",
  operationId: "listTransfers",
  tag: "EVM: contracts",
  summary: "Transfers of a token of any kind, newest first.",
  cost: "O(pageSize) rows",
  computeUnits: 20,
  evm: "chain",
  isOfState: true,
  params: Type.Object({ address: evmAddress("Contract of the token") }),
  query: Type.Object({ ...blocksQuery, ...pageQuery() }),
  response: pageOf({ transfers: Type.Array(tokenTransferSchema) }),
  async handle({ params, query }, context) {
    const { reader, evmChain, after } = context;
    const token = parseEvmAddress(params.address);
    const bounds = blockBounds(query, { reverse: true });
    if (bounds === undefined) return { transfers: [] };
    const rows = await reader.scan(evmTokenTransfers, {
      prefix: { chain: evmChain.chain, token },
      ...bounds,
      ...(after && { after: transferPlace(after) }),
      reverse: true,
      limit: query.pageSize + 1,
    });
    const places = rows.slice(0, query.pageSize).map(({ key }) => transferPlace(key));
    const last = rows.length > query.pageSize ? places.at(-1) : undefined;
    return { ...context.nextPage(last && { ...last }), transfers: await presentTransfers(places, context) };
  },
});
