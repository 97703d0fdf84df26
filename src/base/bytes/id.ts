/**
 * Identifiers. In memory they are lowercase hex strings: they can be map keys, compare with `===`, and sort like their bytes. Text forms
 * (cb58, bech32) are used only in input and output.
 */

/** 32 bytes: transaction, block, asset, subnet, blockchain, UTXO and validation IDs. */
export type Id = string;
/** 20 bytes: addresses and EVM addresses. */
export type ShortId = string;
/** 20 bytes: ripemd160(sha256(certificate)). */
export type NodeId = string;
/** 48 bytes: compressed BLS public key. */
export type BlsPublicKey = string;

export const EMPTY_ID: Id = "0".repeat(64);
export const EMPTY_SHORT_ID: ShortId = "0".repeat(40);

/** The primary network's subnet ID and the P-chain's blockchain ID. */
export const PRIMARY_NETWORK_ID: Id = EMPTY_ID;
export const PLATFORM_CHAIN_ID: Id = EMPTY_ID;

/** VM and fx IDs are ASCII names, padded to 32 bytes with zeros. */
export function nameId(name: string): Id {
  return Buffer.from(name, "ascii").toString("hex").padEnd(64, "0");
}
