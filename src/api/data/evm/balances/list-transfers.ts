import Type from "typebox";
import { ERC20, type Transfer } from "../../../../evm/facts.ts";
import { evmNftRanges } from "../../../../evm/index/log-tables.ts";
import { type ReadPart, tokenParts } from "../../../../evm/index/read-lists.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { parseTokenId } from "../nfts/read-nft.ts";
import { blockBounds, blocksQuery, evmAddress, parseEvmAddress } from "../parameters.ts";
import type { EvmReading } from "../present-token.ts";
import { isBehind, itemPage, partOf, presentTransfers, transferStart } from "../present-transfers.ts";
import { tokenTransferSchema } from "../transfer-schemas.ts";

export const listTokenTransfers = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/tokens/{address}/transfers",
  operationId: "listTransfers",
  tag: "EVM: contracts",
  summary: "Transfers of a token of any kind, or of one NFT, newest first.",
  cost: "O(pageSize) rows",
  computeUnits: 20,
  evm: "chain",
  isOfState: true,
  params: Type.Object({ address: evmAddress("Contract of the token") }),
  query: Type.Object({
    tokenId: Type.Optional(Type.String({ description: "Only transfers of this NFT of the contract: a decimal number." })),
    ...blocksQuery,
    ...pageQuery(),
  }),
  response: pageOf({
    transfers: Type.Array(tokenTransferSchema),
    transfersFromBlock: Type.Optional(
      Type.String({
        description:
          "Present if transfers of the NFT in older blocks are missing: height of the first block whose transfers are listed by NFT. A version of Firn without such lists indexed the older blocks.",
      }),
    ),
  }),
  async handle({ params, query }, context) {
    const { reader, evmChain, after } = context;
    const token = parseEvmAddress(params.address);
    const tokenId = query.tokenId === undefined ? undefined : parseTokenId(query.tokenId);
    const known = tokenId === undefined ? {} : await firstOfNfts(context);
    const bounds = blockBounds(query, { reverse: true });
    if (bounds === undefined) return { transfers: [], ...known };
    const start = after && transferStart(after);
    const range = { ...bounds, ...(start && { from: partOf(start) }), reverse: true };
    const { pageSize } = query;
    // one more than the page and the part that the last page ended in
    const parts = tokenParts(reader, { chain: evmChain.chain, token, tokenId }, { ...range, wanted: pageSize + 2 });
    const accepts = (transfer: Transfer, _: number, part: ReadPart<Transfer>) =>
      transfer.token === token &&
      (tokenId === undefined || (transfer.kind !== ERC20 && transfer.tokenId === tokenId)) &&
      isBehind(transfer, part, start);
    const { transfers, last } = await presentTransfers(await itemPage(parts, { pageSize, reverse: true, accepts }), context);
    return { ...context.nextPage(last), transfers, ...known };
  },
});

async function firstOfNfts({ reader, evmChain: { chain, settings } }: EvmReading): Promise<{ transfersFromBlock?: string }> {
  const range = await reader.get(evmNftRanges, { chain });
  return range === undefined || range.first <= settings.startBlock ? {} : { transfersFromBlock: `${range.first}` };
}
