/** Presents contracts: their kind as the index classified them, their own metadata, and their deployers. */

import { ERC20, ERC721, ERC1155 } from "../../../../evm/facts.ts";
import { evmTokens, evmTransactions } from "../../../../evm/index/tables.ts";
import { evmContractMetadata, evmTokenChecks } from "../../../../evm/index/token-tables.ts";
import { NO_SUCH_TOKEN } from "../../../../evm/tokens/balance-samples.ts";
import type { Address } from "../../../../sources/evm/parser/block.ts";
import { type EvmReading, formatAddress, Tokens } from "../present-token.ts";
import type { Contract } from "./schemas.ts";

interface ContractCreation {
  readonly height: bigint;
  readonly index: number;
  readonly deployer: Address;
  readonly factory: Address | undefined;
}

export interface ListedContract {
  readonly contract: Address;
  /** undefined: an account, or not created by an indexed transaction */
  readonly creation: ContractCreation | undefined;
}

const ERC_TYPES = new Map<number, "ERC-20" | "ERC-721" | "ERC-1155">([
  [ERC20, "ERC-20"],
  [ERC721, "ERC-721"],
  [ERC1155, "ERC-1155"],
]);

/** In the order of the list. Costs five rows for each. */
export async function presentContracts(listed: readonly ListedContract[], context: EvmReading): Promise<Contract[]> {
  const { reader, evmChain } = context;
  const { chain, labels } = evmChain;
  const created = listed.filter(({ creation }) => creation !== undefined);
  const [kinds, transactions, tokens] = await Promise.all([
    kindsOf(
      listed.map(({ contract }) => contract),
      context,
    ),
    reader.getMany(
      evmTransactions,
      created.map(({ creation }) => ({ chain, height: creation!.height, index: creation!.index })),
    ),
    Tokens.read({ addresses: listed.map(({ contract }) => contract) }, context),
  ]);
  const hashes = new Map(created.map((item, i) => [item, transactions[i]?.hash]));
  return listed.map((item, i): Contract => {
    const { contract, creation } = item;
    const { name, symbol, decimals = 0, address } = tokens.address(contract);
    const hash = hashes.get(item);
    const imageUri = labels.token(contract)?.logoUri;
    const common = {
      ...(name !== undefined && { name }),
      address,
      ...(creation !== undefined && hash !== undefined && { deploymentDetails: presentCreation(creation, hash) }),
      ...(imageUri !== undefined && { logoAsset: { imageUri } }),
    };
    const ercType = ERC_TYPES.get(kinds[i]!);
    if (ercType === undefined) return { ...common, ercType: "UNKNOWN" };
    const named = { ...common, ...(symbol !== undefined && { symbol }) };
    return ercType === "ERC-20" ? { ...named, decimals, ercType } : { ...named, ercType };
  });
}

/** Token kinds; 0: not a token. A contract's own metadata counts before the kind that its logs suggested when it was first seen. */
async function kindsOf(contracts: readonly Address[], { reader, evmChain: { chain } }: EvmReading): Promise<number[]> {
  const ofToken = contracts.map((token) => ({ chain, token }));
  const [said, met, checks] = await Promise.all([
    reader.getMany(
      evmContractMetadata,
      contracts.map((contract) => ({ chain, contract })),
    ),
    reader.getMany(evmTokens, ofToken),
    reader.getMany(evmTokenChecks, ofToken),
  ]);
  return contracts.map((_, i) => (checks[i]?.verdict === NO_SUCH_TOKEN ? 0 : said[i]?.kind || (met[i]?.kind ?? 0)));
}

export function presentCreation({ deployer, factory }: Pick<ContractCreation, "deployer" | "factory">, hash: string) {
  return {
    txHash: `0x${hash}`,
    deployerAddress: formatAddress(deployer),
    ...(factory !== undefined && { deployerContractAddress: formatAddress(factory) }),
  };
}
