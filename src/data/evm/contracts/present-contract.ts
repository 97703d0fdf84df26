/** Contracts of an answer: what they are as the index classed them and as they say themselves, and who made them. */
import type { Address } from "../../../evm/block.ts";
import { ERC20, ERC721, ERC1155 } from "../../../evm/facts.ts";
import { NO_SUCH_TOKEN } from "../../../evm/tokens/balance-samples.ts";
import { evmTokens, evmTransactions } from "../../../index/evm/tables.ts";
import { evmContractMetadata, evmTokenChecks } from "../../../index/evm/token-tables.ts";
import { type EvmReading, formatAddress, Tokens } from "../present-token.ts";
import type { Contract } from "./schemas.ts";

export interface ContractCreation {
  readonly height: bigint;
  readonly index: number;
  readonly deployer: Address;
  readonly factory: Address | undefined;
}

export interface ListedContract {
  readonly contract: Address;
  /** undefined: an account, or made by no transaction of the index */
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

/** What a contract says of itself counts before what its logs looked like when it was first met. 0: no token. */
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

function presentCreation({ deployer, factory }: ContractCreation, hash: string) {
  return {
    txHash: `0x${hash}`,
    deployerAddress: formatAddress(deployer),
    ...(factory !== undefined && { deployerContractAddress: formatAddress(factory) }),
  };
}
