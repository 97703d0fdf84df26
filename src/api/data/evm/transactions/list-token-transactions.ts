/** Transfers of one kind of token, from or to an address. */
import Type, { type TSchema } from "typebox";
import { ERC20, ERC721, ERC1155, type TransferKind } from "../../../../evm/facts.ts";
import { ROLE_OF } from "../../../../evm/index/postings.ts";
import { addressParts, addressTransactions, type ListRange, type NextParts, readParts } from "../../../../evm/index/read-lists.ts";
import { readTransferParts, type TransactionPlace } from "../../../../evm/index/read-parts.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { blockBounds, blocksQuery, evmAddress, parseEvmAddress } from "../parameters.ts";
import { isBehind, itemPage, partOf, presentTransfers, transferStart } from "../present-transfers.ts";
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
      const start = after && transferStart(after);
      const role = ROLE_OF[kind];
      const read = (range: ListRange<TransactionPlace>, limit: number) =>
        addressTransactions(reader, { chain: evmChain.chain, address }, (each) => (each & role) !== 0, range, limit);
      const next: NextParts = (behind, limit) => {
        const range = { ...bounds, ...(start && { from: partOf(start) }), ...(behind && { after: behind }), reverse: true };
        return addressParts(read, ({ kinds }) => (kinds & role) !== 0, range, limit);
      };
      // one more than the page and the part that the last page ended in
      const page = await itemPage(readParts(reader, evmChain.chain, next, readTransferParts, pageSize + 2), {
        pageSize,
        reverse: true,
        accepts: (transfer, _, part) =>
          transfer.kind === kind && (transfer.from === address || transfer.to === address) && isBehind(transfer, part, start),
      });
      const { transfers, last } = await presentTransfers(page, context);
      return { transactions: transfers, ...context.nextPage(last) };
    },
  });
}
