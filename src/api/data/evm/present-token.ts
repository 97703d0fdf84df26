/**
 * Presents tokens, addresses and transfers. Descriptions by contracts and by the operator's files are read at once for a whole page.
 * Required fields have defaults until that is known.
 */

import { formatEvmAddress } from "../../../base/bytes/evm-address.ts";
import { utf8 } from "../../../base/bytes/hex.ts";
import { Recent } from "../../../base/collections/bounded-cache.ts";
import type { TableValue } from "../../../base/table/table.ts";
import { ERC20, ERC721, ERC1155, type Transfer, type TransferKind } from "../../../evm/facts.ts";
import { tokenIdKey } from "../../../evm/index/holding-rows.ts";
import { evmNfts } from "../../../evm/index/tables.ts";
import { evmContractMetadata, evmNftMetadata } from "../../../evm/index/token-tables.ts";
import type { CurrencyCode } from "../../../evm/labels/currencies.ts";
import { NFT_STATUSES } from "../../../evm/nft/nft-status.ts";
import type { Address } from "../../../sources/evm/parser/block.ts";
import type { StoreReader } from "../../../store/store.ts";
import type { EvmChain } from "./evm-chain.ts";
import { money, worth } from "./money.ts";
import type {
  Erc20TokenBalance,
  Erc721Token,
  Erc1155Token,
  NetworkToken,
  NetworkTokenDetails,
  Nft,
  RatedErc20Token,
  RichAddress,
} from "./token-schemas.ts";
import type { Erc20TransferDetails, Erc721TransferDetails, Erc1155TransferDetails, TransferDetails } from "./transfer-schemas.ts";

/** The part of a route's context that presenting needs. */
export interface EvmReading {
  readonly reader: StoreReader;
  readonly evmChain: EvmChain;
}

/** One NFT; `tokenId` is the number. */
export interface NftId {
  readonly kind: TransferKind;
  readonly token: Address;
  readonly tokenId: bigint;
}

/** Everything that a page shows: addresses in any number and order, with repetitions. */
interface Mentioned {
  readonly addresses: Iterable<Address>;
  readonly nfts?: Iterable<NftId>;
}

const shownAddresses = new Recent<Address, string>(20_000);

/** Returns `0x` and EIP-55. Results are kept, since pages show the same addresses again and again. */
export function formatAddress(address: Address): string {
  let text = shownAddresses.get(address);
  if (text === undefined) {
    text = formatEvmAddress(address);
    shownAddresses.set(address, text);
  }
  return text;
}

/** The addresses and NFTs in transfers, for `Tokens.read`. */
export function mentionedIn(transfers: readonly Transfer[]): { addresses: Address[]; nfts: NftId[] } {
  return {
    addresses: transfers.flatMap(({ from, to, token }) => [from, to, token]),
    nfts: transfers.flatMap(({ kind, token, tokenId }) => (kind === ERC20 ? [] : [{ kind, token, tokenId }])),
  };
}

type Contracts = ReadonlyMap<Address, TableValue<typeof evmContractMetadata>>;
type Nfts = ReadonlyMap<string, { owner: Address | undefined; said: TableValue<typeof evmNftMetadata> | undefined }>;

export class Tokens {
  readonly #chain: EvmChain;
  readonly #contracts: Contracts;
  readonly #nfts: Nfts;
  readonly #shown = new Map<Address, RichAddress>();

  /** Costs one row for each address and two for each NFT. */
  static async read(mentioned: Mentioned, { reader, evmChain }: EvmReading): Promise<Tokens> {
    const { chain } = evmChain;
    const addresses = [...new Set(mentioned.addresses)];
    const nfts = new Map<string, { chain: number; token: Address; tokenId: string }>();
    for (const { token, tokenId } of mentioned.nfts ?? []) {
      const key = tokenIdKey(tokenId);
      nfts.set(token + key, { chain, token, tokenId: key });
    }
    const keys = [...nfts.values()];
    const [contracts, rows, said] = await Promise.all([
      reader.getMany(
        evmContractMetadata,
        addresses.map((contract) => ({ chain, contract })),
      ),
      reader.getMany(evmNfts, keys),
      reader.getMany(evmNftMetadata, keys),
    ]);
    return new Tokens(
      evmChain,
      new Map(addresses.flatMap((address, i) => (contracts[i] === undefined ? [] : [[address, contracts[i]]]))),
      new Map([...nfts.keys()].map((key, i) => [key, { owner: rows[i]?.owner, said: said[i] }])),
    );
  }

  private constructor(chain: EvmChain, contracts: Contracts, nfts: Nfts) {
    this.#chain = chain;
    this.#contracts = contracts;
    this.#nfts = nfts;
  }

  address(address: Address): RichAddress {
    let shown = this.#shown.get(address);
    if (shown === undefined) {
      const { name, symbol, decimals, logoUri } = this.#described(address);
      shown = {
        ...(name && { name }),
        ...(symbol && { symbol }),
        ...(decimals !== undefined && { decimals }),
        ...(logoUri !== undefined && { logoUri }),
        address: formatAddress(address),
      };
      this.#shown.set(address, shown);
    }
    return shown;
  }

  erc20(token: Address, currency: CurrencyCode = "usd"): RatedErc20Token {
    const { name = "", symbol = "", decimals = 0, logoUri, reputation = null } = this.#described(token);
    const price = money(this.#chain.labels.price(token, currency), currency);
    return {
      address: formatAddress(token),
      name,
      symbol,
      decimals,
      ...(logoUri !== undefined && { logoUri }),
      ercType: "ERC-20",
      ...(price && { price }),
      tokenReputation: reputation,
    };
  }

  /** @param balance base units */
  erc20Balance(token: Address, balance: bigint, currency: CurrencyCode): Erc20TokenBalance {
    const shown = this.erc20(token, currency);
    const { decimals } = this.#described(token);
    // Without decimals, the value of a balance is unknown.
    const balanceValue = decimals === undefined ? undefined : worth(balance, decimals, shown.price);
    return { ...shown, chainId: `${this.#chain.evmChainId}`, balance: `${balance}`, ...(balanceValue && { balanceValue }) };
  }

  erc721(token: Address, tokenId: bigint): Erc721Token {
    const { name = "", symbol = "" } = this.#described(token);
    const owner = this.#nfts.get(token + tokenIdKey(tokenId))?.owner;
    return {
      address: formatAddress(token),
      name,
      symbol,
      ercType: "ERC-721",
      tokenId: `${tokenId}`,
      ...this.#uriAndMetadata(token, tokenId),
      ...(owner !== undefined && { ownerAddress: formatAddress(owner) }),
    };
  }

  erc1155(token: Address, tokenId: bigint): Erc1155Token {
    return { address: formatAddress(token), ercType: "ERC-1155", tokenId: `${tokenId}`, ...this.#uriAndMetadata(token, tokenId) };
  }

  nft({ kind, token, tokenId }: NftId): Nft {
    return kind === ERC721 ? this.erc721(token, tokenId) : this.erc1155(token, tokenId);
  }

  erc20Transfer(row: Transfer): Erc20TransferDetails {
    return { ...this.#parties(row), value: `${row.value}`, erc20Token: this.erc20(row.token) };
  }

  erc721Transfer(row: Transfer): Erc721TransferDetails {
    return { ...this.#parties(row), erc721Token: this.erc721(row.token, row.tokenId) };
  }

  erc1155Transfer(row: Transfer): Erc1155TransferDetails {
    return { ...this.#parties(row), value: `${row.value}`, erc1155Token: this.erc1155(row.token, row.tokenId) };
  }

  transfer(row: Transfer): TransferDetails {
    if (row.kind === ERC20) return this.erc20Transfer(row);
    return row.kind === ERC1155 ? this.erc1155Transfer(row) : this.erc721Transfer(row);
  }

  #parties({ from, to, logIndex }: Transfer) {
    return { from: this.address(from), to: this.address(to), logIndex };
  }

  /** The operator's label counts before the contract's own metadata. */
  #described(address: Address) {
    const label = this.#chain.labels.token(address);
    const said = this.#contracts.get(address);
    return {
      name: label?.name ?? this.#chain.labels.name(address) ?? (said?.name === undefined ? undefined : utf8(said.name)),
      symbol: label?.symbol ?? (said?.symbol === undefined ? undefined : utf8(said.symbol)),
      decimals: label?.decimals ?? said?.decimals,
      logoUri: label?.logoUri,
      reputation: label?.reputation,
    };
  }

  #uriAndMetadata(token: Address, tokenId: bigint) {
    const row = this.#nfts.get(token + tokenIdKey(tokenId))?.said;
    if (row === undefined) return { tokenUri: "", metadata: { indexStatus: "UNINDEXED" as const } };
    const members = row.metadata.length === 0 ? {} : (JSON.parse(Buffer.from(row.metadata).toString()) as object);
    return {
      tokenUri: Buffer.from(row.tokenUri).toString(),
      metadata: {
        ...members,
        indexStatus: NFT_STATUSES[row.status]!,
        ...(row.updatedAt > 0n && { metadataLastUpdatedTimestamp: Number(row.updatedAt) }),
      },
    };
  }
}

export function networkToken({ settings }: EvmChain): NetworkToken {
  const { name, symbol, decimals, logoUri, description } = settings.nativeToken;
  return {
    name,
    symbol,
    decimals,
    ...(logoUri !== undefined && { logoUri }),
    ...(description !== undefined && { description }),
  };
}

export function networkTokenDetails(chain: EvmChain, currency: CurrencyCode = "usd"): NetworkTokenDetails {
  const currentPrice = money(chain.labels.price("native", currency), currency);
  return { networkToken: networkToken(chain), ...(currentPrice && { currentPrice }) };
}
