/** Finds what has an ID of 32 bytes. Costs some 20 rows, and two for each EVM chain. */

import { formatId, parseId } from "../../../base/bytes/cb58.ts";
import { utf8 } from "../../../base/bytes/hex.ts";
import { EMPTY_ID, type Id } from "../../../base/bytes/id.ts";
import { assets, assetVertices } from "../../../chains/asset/tables.ts";
import { findByHash } from "../../../evm/index/read-parts.ts";
import { evmBlockHashes } from "../../../evm/index/tables.ts";
import { blockchains, l1Validators, subnets } from "../../../index/primary/network/network-tables.ts";
import { C_CHAIN, chainIdOf, type PrimaryChain, primaryChains, X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { l1ValidatorTransactions } from "../../../index/primary/transactions/transaction-tables.ts";
import { blockHeights, containerHeights } from "../../../index/tables.ts";
import type { Hash } from "../../../sources/evm/parser/block.ts";
import { cChainGenesisRow } from "../blocks/c-chain-genesis.ts";
import { blockHash } from "../blocks/present.ts";
import type { EvmChainsContext } from "../context.ts";
import { publicChainId } from "../network-labels.ts";
import { X_CHAIN_NUMBER } from "../transactions/asset.ts";
import { readTransactionTypes } from "../transactions/transaction-type.ts";
import type { SearchResult } from "./schemas.ts";

export const ALIASES = ["P", "X", "C"] as const;

type Found = readonly SearchResult[];
const NOTHING: Found = [];

/** An asset, subnet or chain that the transaction with this ID created comes before the transaction. */
export async function findById(id: Id & Hash, context: EvmChainsContext): Promise<Found> {
  const found = await Promise.all([
    findAsset(id, context),
    findSubnet(id, context),
    findBlockchain(ownChainId(id, context), context),
    findL1Validator(id, context),
    ...primaryChains.map((chain) => findTransaction(chain, id, context)),
    findHash(id, context),
    ...primaryChains.map((chain) => findBlock(chain, id, context)),
    findVertex(id, context),
  ]);
  return found.flat();
}

/** Clients know the chains of the primary network under the IDs of the public networks. */
function ownChainId(id: Id, { network, label }: EvmChainsContext): Id {
  const chain = primaryChains.find((one) => parseId(publicChainId(one, label)) === id);
  return chain === undefined ? id : chainIdOf(chain, network);
}

async function findAsset(assetId: Id, { reader }: EvmChainsContext): Promise<Found> {
  const row = await reader.get(assets, { chain: X_CHAIN_NUMBER, assetId });
  return row === undefined ? NOTHING : [presentAsset(assetId, row)];
}

/** @param asset texts as latin1 */
export function presentAsset(assetId: Id, asset: { readonly name: string; readonly symbol: string }): SearchResult {
  return { kind: "asset", chain: "X", id: formatId(assetId), name: utf8(asset.name), symbol: utf8(asset.symbol) };
}

async function findSubnet(subnetId: Id, { reader }: EvmChainsContext): Promise<Found> {
  const row = await reader.get(subnets, { subnetId });
  if (row === undefined) return NOTHING;
  const hint = row.conversion === undefined ? `${row.blockchainCount} blockchains` : `L1, ${row.blockchainCount} blockchains`;
  return [{ kind: "subnet", chain: "P", id: formatId(subnetId), hint, blockNumber: `${row.height}` }];
}

async function findBlockchain(chainId: Id, { reader, evmChains }: EvmChainsContext): Promise<Found> {
  const row = await reader.get(blockchains, { chainId });
  const served = evmChains.filter(({ settings }) => settings.blockchainId === chainId).map(presentEvmChain);
  return row === undefined ? served : [...served, presentBlockchain(chainId, row)];
}

export function presentEvmChain({ evmChainId, settings }: EvmChainsContext["evmChains"][number]): SearchResult {
  return { kind: "evmChain", evmChainId: `${evmChainId}`, id: `${evmChainId}`, name: settings.name, symbol: settings.nativeToken.symbol };
}

/** @param blockchain text as latin1 */
export function presentBlockchain(chainId: Id, { name, height }: { readonly name: string; readonly height: bigint }): SearchResult {
  return { kind: "blockchain", chain: "P", id: formatId(chainId), name: utf8(name), blockNumber: `${height}` };
}

/** Transactions name also those that were removed. */
async function findL1Validator(validationId: Id, { reader }: EvmChainsContext): Promise<Found> {
  const [row, transactions] = await Promise.all([
    reader.get(l1Validators, { validationId }),
    reader.scan(l1ValidatorTransactions, { prefix: { validationId }, limit: 1 }),
  ]);
  if (row === undefined && transactions.length === 0) return NOTHING;
  return [{ kind: "l1Validator", chain: "P", id: formatId(validationId), ...(row === undefined && { hint: "removed" }) }];
}

async function findTransaction(chain: PrimaryChain, txId: Id, { reader }: EvmChainsContext): Promise<Found> {
  const [found] = await readTransactionTypes(chain, [txId], reader);
  if (found === undefined) return NOTHING;
  return [{ kind: "transaction", chain: ALIASES[chain], id: formatId(txId), hint: found.type, blockNumber: `${found.height}` }];
}

async function findBlock(chain: PrimaryChain, blockId: Id, context: EvmChainsContext): Promise<Found> {
  const { reader, network } = context;
  const chainId = chainIdOf(chain, network);
  const [own, wrapper] = await Promise.all([
    reader.get(blockHeights, { chainId, blockId }),
    // stands for all wrappers that are not known
    blockId === EMPTY_ID ? undefined : reader.get(containerHeights, { chainId, containerId: blockId }),
  ]);
  const height = (own ?? wrapper)?.height ?? (chain === C_CHAIN ? await genesisHeight(blockId, context) : undefined);
  if (height === undefined) return NOTHING;
  const isWrapper = own === undefined && wrapper !== undefined;
  if (isWrapper)
    return [{ kind: "block", chain: ALIASES[chain], id: `${height}`, hint: "by the ID of its wrapper", blockNumber: `${height}` }];
  return [{ kind: "block", chain: ALIASES[chain], id: blockHash(chain, blockId), blockNumber: `${height}` }];
}

async function genesisHeight(blockId: Id, context: EvmChainsContext): Promise<bigint | undefined> {
  if (context.heightOf(C_CHAIN) === undefined) return undefined;
  const genesis = await cChainGenesisRow(context);
  return genesis?.blockId === blockId ? 0n : undefined;
}

async function findVertex(vertexId: Id, { reader }: EvmChainsContext): Promise<Found> {
  const row = await reader.get(assetVertices, { chain: X_CHAIN_NUMBER, vertexId });
  return row === undefined ? NOTHING : [{ kind: "vertex", chain: ALIASES[X_CHAIN], id: formatId(vertexId) }];
}

async function findHash(hash: Hash, { reader, evmChains }: EvmChainsContext): Promise<Found> {
  const keys = evmChains.map(({ chain }) => ({ chain, hash }));
  const [transactions, blocks] = await Promise.all([
    Promise.all(evmChains.map(({ chain }) => findByHash(reader, chain, hash))),
    reader.getMany(evmBlockHashes, keys),
  ]);
  const found = (kind: "transaction" | "block", rows: readonly ({ readonly height: bigint } | undefined)[]) =>
    evmChains.flatMap(({ evmChainId, settings }, i): SearchResult[] => {
      const row = rows[i];
      if (row === undefined) return [];
      return [{ kind, evmChainId: `${evmChainId}`, id: `0x${hash}`, hint: settings.name, blockNumber: `${row.height}` }];
    });
  return [...found("transaction", transactions), ...found("block", blocks)];
}
