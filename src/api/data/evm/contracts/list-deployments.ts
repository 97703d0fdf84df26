import Type from "typebox";
import { evmContracts, evmDeployments, evmTransactions } from "../../../../evm/index/tables.ts";
import type { Address } from "../../../../sources/evm/parser/block.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { evmAddress, parseEvmAddress } from "../parameters.ts";
import type { EvmReading } from "../present-token.ts";
import type { TransactionPlace } from "../present-transaction.ts";
import { type ListedContract, presentContracts } from "./present-contract.ts";
import { contractSchema } from "./schemas.ts";

export const listContractDeployments = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/contracts/{address}/deployments",
  operationId: "listContractDeployments",
  tag: "EVM: contracts",
  summary: "Contracts that an address deployed, newest first.",
  description:
    "Lists contracts that the address deployed by its transactions, directly or through other contracts, and contracts that it created as a contract. An address that was used again is listed again.",
  cost: "O(pageSize) rows",
  computeUnits: 20,
  evm: "chain",
  isOfState: true,
  params: Type.Object({ address: evmAddress("Who deployed") }),
  query: Type.Object(pageQuery()),
  response: pageOf({ contracts: Type.Array(contractSchema) }, "ListContractsResponse"),
  async handle({ params, query: { pageSize } }, context) {
    const { reader, evmChain, after } = context;
    const rows = await reader.scan(evmDeployments, {
      prefix: { chain: evmChain.chain, deployer: parseEvmAddress(params.address) },
      ...(after && { after: { height: BigInt(after.height!), index: Number(after.index), position: Number(after.position) } }),
      reverse: true,
      limit: pageSize + 1,
    });
    const shown = rows.slice(0, pageSize).map(({ key: { height, index, position }, value }) => ({ height, index, position, ...value }));
    const last = rows.length > pageSize ? shown.at(-1) : undefined;
    return {
      contracts: await presentContracts(await listed(shown, context), context),
      ...context.nextPage(last && { height: last.height, index: last.index, position: last.position }),
    };
  },
});

/** If an address is used again, the same account or contract creates it again, but perhaps in someone else's transaction. */
async function listed(
  deployments: readonly (TransactionPlace & { readonly contract: Address })[],
  { reader, evmChain: { chain } }: EvmReading,
): Promise<ListedContract[]> {
  const [newest, transactions] = await Promise.all([
    reader.getMany(
      evmContracts,
      deployments.map(({ contract }) => ({ chain, contract })),
    ),
    reader.getMany(
      evmTransactions,
      deployments.map(({ height, index }) => ({ chain, height, index })),
    ),
  ]);
  return deployments.map(({ contract, height, index }, i) => ({
    contract,
    creation: { height, index, deployer: transactions[i]!.from, factory: newest[i]!.factory },
  }));
}
