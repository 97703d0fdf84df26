/** Transfers value. Every other type starts with its fields and shares its checks. Rules: chain-rules 2.5, 15.5. */
import { bytes, list, u32, type Value, variant } from "../../../base/codec/codec.ts";
import { id } from "../fields.ts";
import type { Parts } from "../parts.ts";
import { defineTx } from "./define.ts";

export function baseFields(parts: Parts) {
  return {
    networkId: u32,
    blockchainId: id,
    outputs: list(parts.transferableOutput),
    inputs: list(parts.transferableInput),
    memo: bytes,
  };
}

function codec(parts: Parts) {
  return variant("BaseTx", baseFields(parts));
}

export type BaseTx = Value<ReturnType<typeof codec>>;
/** The BaseTx members of any transaction. */
export type BaseMembers = Omit<BaseTx, "kind">;

export const baseTx = defineTx<BaseTx>({ name: "BaseTx", typeId: 0, codec });
