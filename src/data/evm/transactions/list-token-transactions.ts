/** Transfers of one kind of token, from or to an address. */
import Type, { type TSchema } from "typebox";
import { ERC20, ERC721, ERC1155, type TransferKind } from "../../../evm/facts.ts";
import { evmAddressTransfers } from "../../../evm/index/tables.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { blockBounds, blocksQuery, evmAddress, parseEvmAddress } from "../parameters.ts";
import { presentTransfers, transferPlace } from "../present-transfers.ts";
import { erc20TransferSchema, erc721TransferSchema, erc1155TransferSchema, type TokenTransfer } from "../transfer-schemas.ts";

export const listErc20Transactions = transfersOfKind(ERC20, "ERC-20", erc20TransferSchema);
export const listErc721Transactions = transfersOfKind(ERC721, "ERC-721", erc721TransferSchema);
export const listErc1155Transactions = transfersOfKind(ERC1155, "ERC-1155", erc1155TransferSchema);

function transfersOfKind(kind: TransferKind, name: "ERC-20" | "ERC-721" | "ERC-1155", schema: TSchema) {
  const verb = name.replace("ERC-", "Erc");
  return dataRoute({
    method: "GET",
    path: `/chains/{chainId}/addresses/{address}/transactions:list${verb}`,
    operationId: `list${verb}Transactions`,
    tag: "EVM: transactions",
    summary: `Transfers of ${name} tokens from or to an address, newest first.`,
    cost: "O(pageSize) rows",
    computeUnits: 20,
    evm: "chain",
    isOfState: true,
    params: Type.Object({ address: evmAddress("Whose transfers") }),
    query: Type.Object({ ...pageQuery(), ...blocksQuery }),
    response: pageOf({ transactions: Type.Array(Type.Unsafe<TokenTransfer>(schema)) }),
    async handle({ params, query: { pageSize, ...blocks } }, context) {
      const { reader, evmChain, after } = context;
      const address = parseEvmAddress(params.address);
      const bounds = blockBounds(blocks, { reverse: true });
      if (bounds === undefined) return { transactions: [] };
      const rows = await reader.scan(evmAddressTransfers, {
        prefix: { chain: evmChain.chain, address, kind },
        ...bounds,
        ...(after && { after: transferPlace(after) }),
        reverse: true,
        limit: pageSize + 1,
      });
      const places = rows.slice(0, pageSize).map(({ key }) => transferPlace(key));
      return {
        transactions: await presentTransfers(places, context),
        ...context.nextPage(rows.length > pageSize ? { ...places.at(-1)! } : undefined),
      };
    },
  });
}
