/** Who owns a subnet, and who manages an L1, in answers about subnets and about transactions. */
import Type, { type Static } from "typebox";
import { encodeBech32 } from "../../../base/bytes/address.ts";
import { formatId } from "../../../base/bytes/cb58.ts";
import { formatEvmAddress } from "../../../base/bytes/evm-address.ts";
import type { Id } from "../../../base/bytes/id.ts";
import type { OutputOwners } from "../../../chains/platform/owner.ts";
import type { DataContext } from "../context.ts";
import { exactInteger } from "../exact-integer.ts";
import { namedObject } from "../named-object.ts";

export const subnetOwnershipSchema = namedObject("SubnetOwnershipInfo", {
  locktime: exactInteger("Unix seconds from which the owners can sign"),
  threshold: Type.Integer({ description: "how many of them must sign" }),
  addresses: Type.Array(Type.String(), { description: "bech32, without chain" }),
});

export function subnetOwnership(
  { locktime, threshold, addresses }: OutputOwners,
  { network }: Pick<DataContext, "network">,
): Static<typeof subnetOwnershipSchema> {
  return { locktime, threshold, addresses: addresses.map((address) => encodeBech32(network.hrp, address)) };
}

export const l1ManagerSchema = namedObject(
  "L1ValidatorManagerDetails",
  { blockchainId: Type.String(), contractAddress: Type.String({ description: "EIP-55 if it has 20 bytes, otherwise plain hex" }) },
  { description: "The contract that manages the L1's validators." },
);

export function l1Manager(chainId: Id, address: Uint8Array): Static<typeof l1ManagerSchema> {
  const hex = Buffer.from(address).toString("hex");
  return { blockchainId: formatId(chainId), contractAddress: address.length === 20 ? formatEvmAddress(hex) : `0x${hex}` };
}
