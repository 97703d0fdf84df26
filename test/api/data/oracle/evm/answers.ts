/** The expected answers of the Data API about a chain's parts (data-api 4.6–4.11, 6.1), written from the reference alone. */
import { getAddress } from "viem";
import { present } from "../json.ts";
import type { RawLog } from "./chain-answers.ts";
import type { Contracts, Description } from "./contracts.ts";
import type { OracleDeployment, OracleInternal } from "./frames.ts";
import type { Held } from "./ledger.ts";
import { nftName } from "./nfts.ts";
import type { OracleTransfer, TokenKind } from "./token-logs.ts";
import type { OracleBlock, OracleTransaction } from "./world.ts";

export const ERC_TYPES = { erc20: "ERC-20", erc721: "ERC-721", erc1155: "ERC-1155" } as const;

const decimal = (hex: string) => `${BigInt(hex)}`;
const optionalDecimal = (hex: string | undefined) => (hex === undefined ? undefined : decimal(hex));
const optionalNumber = (hex: string | undefined) => (hex === undefined ? undefined : Number(hex));
const shown = (address: string) => getAddress(address);

/** What was asked of contracts for the answers. Owners are those after the last block. */
export interface Told {
  readonly contracts: ReadonlyMap<string, Description>;
  /** by `nftName` */
  readonly uris: ReadonlyMap<string, string>;
  readonly owners: ReadonlyMap<string, string>;
}

/** Of every contract that was made or that logs tokens, and of every NFT. */
export async function askContracts(blocks: readonly OracleBlock[], contracts: Contracts): Promise<Told> {
  const transactions = blocks.flatMap((block) => block.transactions);
  const transfers = transactions.flatMap((tx) => tx.transfers);
  const described = new Map<string, Description>();
  for (const address of new Set([
    ...transactions.flatMap((tx) => tx.deployments.map(({ contract }) => contract)),
    ...transfers.map(({ token }) => token),
  ])) {
    described.set(address, await contracts.describe(address));
  }
  const uris = new Map<string, string>();
  const owners = new Map<string, string>();
  for (const { kind, token, tokenId, to } of transfers) {
    if (kind === "erc20") continue;
    const name = nftName({ token, tokenId });
    if (kind === "erc721") owners.set(name, to);
    if (!uris.has(name)) uris.set(name, (await contracts.tokenUri(kind, token, tokenId)) ?? "");
  }
  return { contracts: described, uris, owners };
}

/** A contract, and the transaction that made it. */
export interface Made extends OracleDeployment {
  readonly tx: OracleTransaction;
}

/** A token as a whole. */
export interface TokenSums {
  readonly ercType: string;
  readonly supply: bigint;
  readonly holderCount: number | undefined;
  readonly transferCount: number;
  readonly isExact: boolean;
  readonly firstBlockNumber: string;
  readonly made: Made | undefined;
}

export class Answers {
  readonly #chainId: string;
  readonly #told: Told;

  constructor(chainId: string, told: Told) {
    this.#chainId = chainId;
    this.#told = told;
  }

  block(block: OracleBlock) {
    const { raw, transactions, transactionsSoFar } = block;
    const gas = transactions.map(({ receipt }) => BigInt(receipt.gasUsed));
    const fees = transactions.map(({ receipt }) => BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice));
    return present({
      chainId: this.#chainId,
      blockNumber: decimal(raw.number),
      blockTimestamp: Number(raw.timestamp),
      blockTimestampMilliseconds: optionalNumber(raw.timestampMilliseconds),
      blockMinDelayExcess: optionalNumber(raw.minDelayExcess),
      blockHash: raw.hash,
      txCount: transactions.length,
      baseFee: baseFeeOf(block).baseFee,
      isBaseFeeBound: baseFeeOf(block).isBaseFeeBound,
      gasUsed: `${gas.reduce((sum, each) => sum + each, 0n)}`,
      gasLimit: decimal(raw.gasLimit),
      gasCost: decimal(raw.blockGasCost ?? "0x0"),
      parentHash: raw.parentHash,
      feesSpent: `${fees.reduce((sum, each) => sum + each, 0n)}`,
      cumulativeTransactions: `${transactionsSoFar}`,
    });
  }

  native(tx: OracleTransaction) {
    const { raw, receipt, block, index } = tx;
    return present({
      ...this.#blockOf(block),
      blockMinDelayExcess: optionalNumber(block.raw.minDelayExcess),
      chainId: this.#chainId,
      blockIndex: index,
      txHash: raw.hash,
      txStatus: `${Number(receipt.status)}`,
      txType: Number(raw.type),
      gasLimit: decimal(raw.gas),
      gasUsed: decimal(receipt.gasUsed),
      gasPrice: decimal(receipt.effectiveGasPrice),
      nonce: decimal(raw.nonce),
      from: this.address(tx.from),
      to: this.address(tx.to),
      method: methodOf(tx),
      value: decimal(raw.value),
    });
  }

  whole(tx: OracleTransaction) {
    const { raw, block } = tx;
    const nativeTransaction = present({
      ...this.native(tx),
      input: raw.input,
      baseFeePerGas: baseFeeOf(block).baseFee,
      isBaseFeeBound: baseFeeOf(block).isBaseFeeBound,
      maxFeePerGas: optionalDecimal(raw.maxFeePerGas),
      maxPriorityFeePerGas: optionalDecimal(raw.maxPriorityFeePerGas),
    });
    return { ...this.details(tx, () => true), nativeTransaction };
  }

  /** A transaction with those of its parts that are wanted. */
  details(tx: OracleTransaction, isWanted: (party: { from: string; to: string }) => boolean, { isRated = false } = {}) {
    const transfers = tx.transfers.filter(isWanted);
    const ofKind = (kind: TokenKind) =>
      unlessEmpty(transfers.filter((transfer) => transfer.kind === kind).map((transfer) => this.#transfer(transfer, isRated)));
    return present({
      nativeTransaction: this.native(tx),
      erc20Transfers: ofKind("erc20"),
      erc721Transfers: ofKind("erc721"),
      erc1155Transfers: ofKind("erc1155"),
      internalTransactions: unlessEmpty(tx.internals.filter(isWanted).map((internal) => this.#internal(internal))),
    });
  }

  transfer({ raw, block }: OracleTransaction, transfer: OracleTransfer) {
    return present({ ...this.#blockOf(block), txHash: raw.hash, ...this.#transfer(transfer, false) });
  }

  internal({ raw, block }: OracleTransaction, internal: OracleInternal) {
    return present({ ...this.#blockOf(block), txHash: raw.hash, ...this.#internal(internal) });
  }

  log({ raw, block, index }: OracleTransaction, { logIndex, address, topics, data }: RawLog) {
    const place = present({ ...this.#blockOf(block), txHash: raw.hash });
    return { ...place, txIndex: index, logIndex: Number(logIndex), address: shown(address), topics, data };
  }

  address(address: string) {
    return { ...this.#told.contracts.get(address), address: shown(address) };
  }

  erc20(token: string) {
    const { name = "", symbol = "", decimals = 0 } = this.#told.contracts.get(token) ?? {};
    return { address: shown(token), name, symbol, decimals, ercType: ERC_TYPES.erc20 };
  }

  plain(address: string): string {
    return shown(address);
  }

  token(token: string, { made, supply, ...sums }: TokenSums) {
    const { deploymentDetails } = this.contract(token, sums.ercType, made) as { readonly deploymentDetails?: object };
    const { ercType: _, decimals, ...named } = this.erc20(token);
    return present({
      ...named,
      ...sums,
      decimals: sums.ercType === ERC_TYPES.erc20 ? decimals : undefined,
      tokenReputation: null,
      supply: `${supply}`,
      deploymentDetails,
    });
  }

  erc20Balance({ token, balance }: Held) {
    return { ...this.erc20(token), chainId: this.#chainId, balance: `${balance}`, tokenReputation: null };
  }

  nftBalance({ kind, token, tokenId, balance }: Held) {
    const nft = this.nft(kind === "erc721" ? "erc721" : "erc1155", token, tokenId);
    return { ...nft, chainId: this.#chainId, ...(kind === "erc1155" && { balance: `${balance}` }) };
  }

  contract(contract: string, ercType: string, made: Made | undefined) {
    const { name, symbol, decimals = 0 } = this.#told.contracts.get(contract) ?? {};
    return present({
      name,
      symbol: ercType === "UNKNOWN" ? undefined : symbol,
      decimals: ercType === ERC_TYPES.erc20 ? decimals : undefined,
      address: shown(contract),
      ercType,
      deploymentDetails:
        made &&
        present({
          txHash: made.tx.raw.hash,
          deployerAddress: shown(made.tx.from),
          deployerContractAddress: made.factory && shown(made.factory),
        }),
    });
  }

  /** Which metadata there is behind a URI has tests of its own. */
  nft(kind: "erc721" | "erc1155", token: string, tokenId: bigint) {
    const { name = "", symbol = "" } = this.#told.contracts.get(token) ?? {};
    const owner = this.#told.owners.get(nftName({ token, tokenId }));
    const isOwned = owner !== undefined && BigInt(owner) !== 0n;
    return present({
      address: shown(token),
      ...(kind === "erc721" && { name, symbol, ownerAddress: isOwned ? shown(owner) : undefined }),
      ercType: ERC_TYPES[kind],
      tokenId: `${tokenId}`,
      tokenUri: this.#told.uris.get(nftName({ token, tokenId })) ?? "",
    });
  }

  #transfer({ kind, token, from, to, tokenId, value, logIndex }: OracleTransfer, isRated: boolean) {
    return present({
      from: this.address(from),
      to: this.address(to),
      logIndex,
      value: kind === "erc721" ? undefined : `${value}`,
      [`${kind}Token`]:
        kind === "erc20" ? { ...this.erc20(token), ...(isRated && { tokenReputation: null }) } : this.nft(kind, token, tokenId),
    });
  }

  #internal({ from, to, type, value, isReverted, gas, gasUsed }: OracleInternal) {
    return {
      from: this.address(from),
      to: this.address(to),
      internalTxType: type,
      value: `${value}`,
      isReverted,
      gasUsed: `${gasUsed}`,
      gasLimit: `${gas}`,
    };
  }

  #blockOf({ raw }: OracleBlock) {
    return {
      blockNumber: decimal(raw.number),
      blockTimestamp: Number(raw.timestamp),
      blockTimestampMilliseconds: optionalNumber(raw.timestampMilliseconds),
      blockHash: raw.hash,
    };
  }
}

/** Whether a selector has a known name is the server's business; `shorn` checks the name. */
function methodOf({ raw: { to, input } }: OracleTransaction) {
  if (to === null) return { callType: "CONTRACT_CREATION", methodHash: "", methodName: "Contract Created" };
  if (input === "0x") return { callType: "NATIVE_TRANSFER", methodHash: "", methodName: "Native Transfer" };
  return { callType: "CONTRACT_CALL", methodHash: input.slice(0, 10) };
}

/** The only base fee with which the block's transactions pay what their receipts say; if there is no single one, that of the header. */
function baseFeeOf({ raw: { settledHeight, withdrawalsRoot, baseFeePerGas = "0x0" }, transactions }: OracleBlock) {
  const bound = BigInt(baseFeePerGas);
  // a devnet has Ethereum's headers, and executes blocks before they are accepted
  if (settledHeight === undefined || withdrawalsRoot !== undefined) return { baseFee: `${bound}` };
  const fees = transactions.map(({ raw, receipt }) => {
    const paid = BigInt(receipt.effectiveGasPrice);
    return { paid, most: BigInt(raw.maxFeePerGas ?? paid), tip: BigInt(raw.maxPriorityFeePerGas ?? paid) };
  });
  const isPossible = (baseFee: bigint) =>
    0n <= baseFee &&
    baseFee <= bound &&
    fees.every(({ paid, most, tip }) => baseFee <= most && (paid === most ? paid <= baseFee + tip : paid === baseFee + tip));
  const only = fees
    .flatMap(({ paid, tip }) => [paid, paid - tip])
    .find((baseFee) => isPossible(baseFee) && !isPossible(baseFee - 1n) && !isPossible(baseFee + 1n));
  return only === undefined ? { baseFee: `${bound}`, isBaseFeeBound: true } : { baseFee: `${only}` };
}

function unlessEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}
