/** Keys for the local network: the well-known pre-funded one, and one for each name that a test uses. */
import { createHash } from "node:crypto";
import * as avalanchejs from "@avalabs/avalanchejs";
import type { Account, Anything } from "../wallet.ts";

const { networkIDs, secp256k1, utils }: Anything = avalanchejs;

const HRP = networkIDs.LocalHRP;

/** Holds nearly all funds of the local genesis. */
export const ewoq = accountWith("ewoq", Buffer.from("56289e99c94b6912bfc12adc093c9b51124f0dc54ac7a766b2bc5ccf558d8027", "hex"));

export function accountNamed(name: string): Account {
  return accountWith(name, createHash("sha256").update(`test account ${name}`).digest());
}

function accountWith(name: string, privateKey: Buffer): Account {
  const publicKey = secp256k1.getPublicKey(privateKey);
  const bytes = secp256k1.publicKeyBytesToAddress(publicKey);
  return { name, text: utils.formatBech32(HRP, bytes), bytes, evmBytes: secp256k1.publicKeyToEthAddress(publicKey), privateKey };
}

export const evmAddress = ({ evmBytes }: Account): string => `0x${Buffer.from(evmBytes).toString("hex")}`;
export const privateKeyHex = ({ privateKey }: Account): `0x${string}` => `0x${Buffer.from(privateKey).toString("hex")}`;
