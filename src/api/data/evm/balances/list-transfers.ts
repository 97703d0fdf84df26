import Type from "typebox";
import type { Transfer } from "../../../../evm/facts.ts";
import { type ReadPart, tokenParts } from "../../../../evm/index/read-lists.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { blockBounds, blocksQuery, evmAddress, parseEvmAddress } from "../parameters.ts";
import { isBehind, itemPage, partOf, presentTransfers, transferStart } from "../present-transfers.ts";
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
    const start = after && transferStart(after);
    const range = { ...bounds, ...(start && { from: partOf(start) }), reverse: true };
    const { pageSize } = query;
    // one more than the page and the part that the last page ended in
    const parts = tokenParts(reader, { chain: evmChain.chain, token }, { ...range, wanted: pageSize + 2 });
    const accepts = (transfer: Transfer, _: number, part: ReadPart<Transfer>) =>
      transfer.token === token && isBehind(transfer, part, start);
    const { transfers, last } = await presentTransfers(await itemPage(parts, { pageSize, reverse: true, accepts }), context);
    return { ...context.nextPage(last), transfers };
  },
});
