/** Owners, inputs that refer to them, and credentials (chain-formats 3.2, 4). */

import { type Codec, list, struct, u32, u64, union, type Value, variant } from "../../base/codec/codec.ts";
import { address, plainAddress, secpSignature } from "./output.ts";
import { txTypeIds } from "./type-ids.ts";

const ownerFields = { locktime: u64, threshold: u32, addresses: list(address) };

/** The body, without type ID. */
export const outputOwners = struct(ownerFields, { jsonSorted: true });
export type OutputOwners = Value<typeof outputOwners>;

export const owner = union({ 11: variant("OutputOwners", ownerFields, { jsonSorted: true }) }, txTypeIds);
export type Owner = Value<typeof owner>;

/** Owner of an L1 validator's balance, or of the right to disable it: without locktime and type ID. */
export const l1Owner = struct({ threshold: u32, addresses: list(plainAddress) });
export type L1Owner = Value<typeof l1Owner>;

/** The owner's addresses that sign, by index. */
export const authorization = union({ 10: variant("Input", { signatureIndices: list(u32) }) }, txTypeIds);
export type Authorization = Value<typeof authorization>;

const credentialBody = variant("Credential", { signatures: list(secpSignature) });
export const credential = union({ 9: credentialBody }, txTypeIds);
export type Credential = Value<typeof credential>;
export const credentials: Codec<Credential[]> = list(credential);
