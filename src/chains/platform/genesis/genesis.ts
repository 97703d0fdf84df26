/** The P-chain's genesis bytes (chain-formats 6.7): everything that exists before block 0. */

import { bytes, decodeVersioned, encodeVersioned, list, str, struct, u32, u64, type Value } from "../../../base/codec/codec.ts";
import { id, output } from "../output.ts";
import { addPermissionlessValidator } from "../tx/add-permissionless-validator.ts";
import { addValidator } from "../tx/add-validator.ts";
import { anyOf } from "../tx/base.ts";
import { createChain } from "../tx/create-chain.ts";
import { signed } from "../tx/signed.ts";

export const genesisValidatorTx = anyOf([addValidator, addPermissionlessValidator]);
export const genesisChainTx = anyOf([createChain]);

const genesisUtxo = struct({ txId: id, outputIndex: u32, assetId: id, output, message: bytes });
const genesis = struct({
  utxos: list(genesisUtxo),
  /** in the order of a binary heap */
  validators: list(signed(genesisValidatorTx)),
  chains: list(signed(genesisChainTx)),
  timestamp: u64,
  initialSupply: u64,
  message: str,
});
export type PlatformGenesis = Value<typeof genesis>;

export function parseGenesis(genesisBytes: Uint8Array): PlatformGenesis {
  return decodeVersioned(genesis, genesisBytes);
}

export function encodeGenesis(value: PlatformGenesis): Buffer {
  return encodeVersioned(genesis, value);
}
