/** Subnets, blockchains, L1 validators, blocks and vertices, recomputed (reference 5.12, 5.13, 6.4, 6.6, 8.10). */

import { formatId, formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import { type Id, type NodeId, PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import { isActive } from "../../../../src/network/network.ts";
import type { Block, Blockchain, Chain, History, Proposer, Subnet, Vertex } from "./history.ts";
import { addressesOf, contractText, present } from "./json.ts";
import { compareBy, ordered } from "./utxos.ts";

type SortOrder = "asc" | "desc" | undefined;

function evmChainIdOf(genesis: Uint8Array): number {
  try {
    const chainId = (JSON.parse(Buffer.from(genesis).toString("utf8")) as { config?: { chainId?: unknown } } | null)?.config?.chainId;
    return Number.isSafeInteger(chainId) ? (chainId as number) : 0;
  } catch {
    return 0;
  }
}

/** What genesis made has no block. */
function creationHeight(height: bigint): string {
  return height === 0n ? "-1" : `${height}`;
}

function blockchainJson(
  history: History,
  { chainId, subnetId, name, vmId, genesis, height, time }: Blockchain,
  { isInSubnet = false } = {},
) {
  const isX = chainId === history.network.xChainId && !isInSubnet;
  return {
    createBlockTimestamp: Number(time),
    createBlockNumber: creationHeight(height),
    blockchainId: formatId(chainId),
    vmId: chainId === PRIMARY_NETWORK_ID ? "platformvm" : isX ? "avm" : formatId(vmId),
    subnetId: formatId(subnetId),
    // the codec reads names byte for byte
    blockchainName: Buffer.from(name, "latin1").toString("utf8"),
    evmChainId: evmChainIdOf(genesis),
  };
}

/** The P-chain, then what transactions created; those of genesis are X and C. */
function blockchainsOf(history: History): Blockchain[] {
  const { time } = history.blocks.find(({ chain, height }) => chain === "P" && height === 0n)!;
  const genesis = new Uint8Array();
  const platform = { chainId: PRIMARY_NETWORK_ID, subnetId: PRIMARY_NETWORK_ID, name: "P-Chain", vmId: "", genesis, height: 0n, time };
  return [platform, ...history.blockchains];
}

export function listBlockchains(history: History, sortOrder: SortOrder) {
  const created = blockchainsOf(history).map((chain) => blockchainJson(history, chain));
  return sortOrder === "asc" ? created : created.reverse();
}

/** The primary network is the oldest, and nobody's. */
export function listSubnets(history: History, sortOrder: SortOrder) {
  const { time } = blockchainsOf(history)[0]!;
  const nobody = { locktime: 0n, threshold: 0, addresses: [] };
  const all = [{ subnetId: PRIMARY_NETWORK_ID, height: 0n, time, owner: nobody }, ...history.subnets];
  return (sortOrder === "asc" ? all : all.reverse()).map((subnet) => subnetJson(history, subnet));
}

function subnetJson(history: History, { subnetId, height, time, owner, conversion }: Subnet) {
  const addresses = addressesOf(history, owner.addresses);
  const [threshold, locktime] = [owner.threshold, Number(owner.locktime)];
  const own = blockchainsOf(history)
    .filter((chain) => chain.subnetId === subnetId)
    .map((chain) => blockchainJson(history, chain, { isInSubnet: true }));
  // of the primary network P, X, C
  if (subnetId !== PRIMARY_NETWORK_ID) own.sort(compareBy(({ blockchainId }) => blockchainId));
  return present({
    createBlockTimestamp: Number(time),
    createBlockIndex: creationHeight(height),
    subnetId: formatId(subnetId),
    ...{ ownerAddresses: addresses, threshold, locktime, subnetOwnershipInfo: { addresses, threshold, locktime } },
    isL1: conversion !== undefined,
    l1ConversionTransactionHash: conversion && formatId(conversion.tx.txId),
    l1ValidatorManagerDetails: conversion && {
      blockchainId: formatId(conversion.managerChainId),
      contractAddress: contractText(conversion.managerAddress),
    },
    blockchains: own,
  });
}

export interface L1Query {
  readonly l1ValidationId?: Id | undefined;
  readonly nodeId?: NodeId | undefined;
  readonly subnetId?: Id | undefined;
  readonly includeInactiveL1Validators?: boolean | undefined;
}

/** Newest first; removed ones are gone. */
export function listL1Validators(history: History, { l1ValidationId, nodeId, subnetId, includeInactiveL1Validators }: L1Query) {
  const found = history.l1Validators.filter((validator) => {
    if (validator.weight === 0n) return false;
    if (validator.endAccumulatedFee === 0n && !includeInactiveL1Validators) return false;
    if (l1ValidationId !== undefined && validator.validationId !== l1ValidationId) return false;
    return (nodeId ?? validator.nodeId) === validator.nodeId && (subnetId ?? validator.subnetId) === validator.subnetId;
  });
  const order = compareBy<(typeof found)[number]>(
    ({ startTime }) => startTime,
    ({ validationId }) => validationId,
  );
  const owner = ({ addresses, threshold }: { addresses: readonly string[]; threshold: number }) => ({
    addresses: addressesOf(history, addresses),
    threshold,
  });
  return ordered(found, order).map((validator) => ({
    validationId: formatId(validator.validationId),
    validationIdHex: `0x${validator.validationId}`,
    nodeId: formatNodeId(validator.nodeId),
    subnetId: formatId(validator.subnetId),
    weight: Number(validator.weight),
    remainingBalance: validator.endAccumulatedFee === 0n ? 0 : Number(validator.endAccumulatedFee - history.accruedFees),
    creationTimestamp: Number(validator.startTime),
    blsCredentials: { publicKey: `0x${validator.publicKey}` },
    remainingBalanceOwner: owner(validator.remainingBalanceOwner),
    deactivationOwner: owner(validator.deactivationOwner),
  }));
}

export interface BlockQuery {
  readonly chain: Chain;
  /** who proposed it */
  readonly nodeId?: NodeId | undefined;
  readonly startTimestamp?: number | undefined;
  readonly endTimestamp?: number | undefined;
}

/** Fees of L1 validators are told from Etna on. */
export function listBlocks(history: History, { chain, nodeId, startTimestamp = 0, endTimestamp }: BlockQuery) {
  const found = history.blocks.filter((block) => {
    if (block.chain !== chain || block.time < startTimestamp) return false;
    if (nodeId !== undefined && block.proposer?.nodeId !== nodeId) return false;
    return endTimestamp === undefined || block.time < endTimestamp;
  });
  const order = compareBy<Block>(
    ({ time }) => time,
    ({ height }) => height,
  );
  return ordered(found, order).map((block) => blockJson(history, block));
}

export function blockJson({ network }: History, { chain, height, blockId, parentId, kind, time, txIds, size, proposer, ...state }: Block) {
  const id = (value: Id) => (chain === "C" ? `0x${value}` : formatId(value));
  const { supply } = state;
  const { accruedFees, activeL1Validators } = isActive(network, "etna", time) ? state : {};
  return present({
    blockNumber: `${height}`,
    blockHash: id(blockId),
    parentHash: id(parentId),
    blockTimestamp: Number(time),
    blockType: kind,
    txCount: txIds.length,
    transactions: txIds.map(formatId),
    blockSizeBytes: size,
    ...(chain === "P" && isActive(network, "etna", time) && { l1ValidatorsAccruedFees: Number(accruedFees), activeL1Validators }),
    currentSupply: supply === undefined ? undefined : `${supply}`,
    proposerDetails: proposer && proposerJson(proposer),
  });
}

function proposerJson({ containerId, parentId, nodeId, pChainHeight, time }: Proposer) {
  return present({
    proposerId: formatId(containerId),
    proposerParentId: formatId(parentId),
    proposerNodeId: nodeId && formatNodeId(nodeId),
    proposerPChainHeight: pChainHeight === undefined ? undefined : Number(pChainHeight),
    proposerTimestamp: time === undefined ? undefined : Number(time),
  });
}

/** By height, within it by ID: that is a vertex's index. */
const byPlace = compareBy<Vertex>(
  ({ height }) => height,
  ({ vertexId }) => vertexId,
);

/** Newest first, in the order of their acceptance. */
export function listLatestVertices(history: History) {
  return [...history.vertices].reverse().map((vertex) => vertexJson(history, vertex));
}

export function listVertices(history: History, { vertexHeight, sortOrder }: { vertexHeight: number; sortOrder?: SortOrder }) {
  const found = history.vertices.filter(({ height }) => height === BigInt(vertexHeight));
  return ordered(found, byPlace, sortOrder).map((vertex) => vertexJson(history, vertex));
}

function vertexJson(history: History, { vertexId, parentIds, height, time, txIds, size }: Vertex) {
  const rank = history.vertices.filter((other) => other.height === height && other.vertexId < vertexId).length;
  return {
    vertexHash: formatId(vertexId),
    parentHashes: parentIds.map(formatId),
    vertexHeight: Number(height),
    vertexIndex: rank,
    vertexTimestamp: Number(time),
    txCount: txIds.length,
    transactions: txIds.map(formatId),
    vertexSizeBytes: size,
  };
}
