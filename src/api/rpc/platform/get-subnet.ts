import { formatId } from "../../../base/bytes/cb58.ts";
import { sha256Hex } from "../../../base/bytes/hash.ts";
import { encodeHexPlain } from "../../../base/bytes/hex.ts";
import { EMPTY_ID, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { platformSubnets } from "../../../chains/platform/tables.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { id } from "../params.ts";
import { addressTexts } from "./owner-json.ts";
import { wrongKind } from "./subnet-errors.ts";

export const getSubnet = method({
  name: "platform.getSubnet",
  summary: "A subnet: owner, transformation, conversion.",
  cost: "one row",
  computeUnits: 10,
  params: { subnetID: id },
  async handler({ subnetID: subnetId }, context) {
    if (subnetId === PRIMARY_NETWORK_ID) throw new RpcError("the primary network isn't a subnet");
    const subnet = await context.reader.get(platformSubnets, { subnetId });
    if (subnet === undefined) throw new RpcError((await wrongKind(context, subnetId, "subnet")) ?? "not found");
    const { owner, transformation, conversion } = subnet;
    return {
      isPermissioned: transformation === undefined && conversion === undefined,
      controlKeys: addressTexts(context, owner.addresses),
      threshold: `${owner.threshold}`,
      locktime: `${owner.locktime}`,
      subnetTransformationTxID: formatId(transformation === undefined ? EMPTY_ID : sha256Hex(transformation)),
      conversionID: formatId(conversion?.conversionId ?? EMPTY_ID),
      managerChainID: formatId(conversion?.managerChainId ?? EMPTY_ID),
      managerAddress: conversion === undefined ? null : encodeHexPlain(conversion.managerAddress),
    };
  },
});
