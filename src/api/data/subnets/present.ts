/** Presents subnets in answers, with their blockchains. */
import Type, { type Static } from "typebox";
import { formatId } from "../../../base/bytes/cb58.ts";
import { type Id, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { blockchains, type SubnetInfo, subnetBlockchains, subnets } from "../../../index/primary/network/network-tables.ts";
import { type BlockchainAnswer, blockchainSchema, creationHeight, presentBlockchain } from "../blockchains/present.ts";
import type { DataContext } from "../context.ts";
import { exactInteger } from "../exact-integer.ts";
import { namedObject } from "../named-object.ts";
import { l1Manager, l1ManagerSchema, subnetOwnership, subnetOwnershipSchema } from "./ownership.ts";

export const subnetSchema = namedObject("Subnet", {
  createBlockTimestamp: Type.Integer({ description: "Unix seconds" }),
  createBlockIndex: Type.String({ description: "height on the P-chain; -1 for the primary network" }),
  subnetId: Type.String(),
  ownerAddresses: Type.Array(Type.String(), { description: "Deprecated: as in `subnetOwnershipInfo`." }),
  threshold: Type.Integer({ description: "Deprecated: as in `subnetOwnershipInfo`." }),
  locktime: exactInteger("Deprecated: as in `subnetOwnershipInfo`."),
  subnetOwnershipInfo: subnetOwnershipSchema,
  isL1: Type.Boolean(),
  l1ConversionTransactionHash: Type.Optional(Type.String({ description: "L1s only" })),
  l1ValidatorManagerDetails: Type.Optional(l1ManagerSchema),
  blockchains: Type.Array(blockchainSchema, { description: "in order of their IDs; of the primary network P, X, C" }),
});
type SubnetAnswer = Static<typeof subnetSchema>;

/** Costs four reads, whatever the number of subnets; undefined for a subnet that does not exist. */
export async function presentSubnets(subnetIds: readonly Id[], context: DataContext): Promise<(SubnetAnswer | undefined)[]> {
  const rows = await context.reader.getMany(
    subnets,
    subnetIds.map((subnetId) => ({ subnetId })),
  );
  const chains = await blockchainsOf(subnetIds, rows, context);
  return subnetIds.map((subnetId, i) => rows[i] && presentSubnet(subnetId, rows[i], chains[i]!, context));
}

function presentSubnet(subnetId: Id, row: SubnetInfo, chains: BlockchainAnswer[], context: DataContext): SubnetAnswer {
  const { conversion } = row;
  const owner = subnetOwnership(row.owner, context);
  return {
    createBlockTimestamp: Number(row.timestamp),
    createBlockIndex: creationHeight(row.height),
    subnetId: formatId(subnetId),
    ownerAddresses: owner.addresses,
    threshold: owner.threshold,
    locktime: owner.locktime,
    subnetOwnershipInfo: owner,
    isL1: conversion !== undefined,
    ...(conversion && {
      l1ConversionTransactionHash: formatId(conversion.txId),
      l1ValidatorManagerDetails: l1Manager(conversion.managerChainId, conversion.managerAddress),
    }),
    blockchains: chains,
  };
}

/** Blockchains of a subnet are numbered, so one read finds those of all subnets, and a second one reads them. */
async function blockchainsOf(
  subnetIds: readonly Id[],
  rows: readonly (SubnetInfo | undefined)[],
  { reader, network }: DataContext,
): Promise<BlockchainAnswer[][]> {
  const keys = subnetIds.flatMap((subnetId, i) =>
    Array.from({ length: rows[i]?.blockchainCount ?? 0 }, (_, number) => ({ subnetId, number })),
  );
  const created = (await reader.getMany(subnetBlockchains, keys)).map((row) => row!);
  const infos = await reader.getMany(blockchains, created);
  const bySubnet = new Map<Id, BlockchainAnswer[]>(subnetIds.map((subnetId) => [subnetId, []]));
  for (const [i, { subnetId }] of keys.entries()) {
    bySubnet.get(subnetId)!.push(presentBlockchain(created[i]!.chainId, infos[i]!, network, { isInSubnet: true }));
  }
  for (const [subnetId, chains] of bySubnet) {
    if (subnetId !== PRIMARY_NETWORK_ID) chains.sort((a, b) => (a.blockchainId < b.blockchainId ? -1 : 1));
  }
  return subnetIds.map((subnetId) => bySubnet.get(subnetId)!);
}
