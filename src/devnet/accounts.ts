/** The accounts that a network's genesis funds, of keys that are public and worthless elsewhere. */

import { formatAddress } from "../base/bytes/address.ts";
import { encodeCb58 } from "../base/bytes/cb58.ts";
import { formatEvmAddress } from "../base/bytes/evm-address.ts";
import type { ShortId } from "../base/bytes/id.ts";
import { addressOf, evmAddressOf } from "../base/signatures/secp256k1.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { AccountKey } from "./account-keys.ts";

export interface DevnetAccount {
  /** the name that developers use for the key */
  readonly name: string;
  /** `PrivateKey-…`, the form for Avalanche wallets */
  readonly privateKey: string;
  /** `0x…`, the form for EVM wallets */
  readonly privateKeyHex: string;
  readonly addresses: {
    /** `P-local1…` */
    readonly P: string;
    readonly X: string;
    /** `C-local1…`: owner of UTXOs moving between the C-chain and the others */
    readonly C: string;
    /** `0x…`: the account on the C-chain */
    readonly evm: string;
  };
}

/** Those of the keys that this network's genesis funds; empty if a custom genesis funds others. */
export function devnetAccounts({ genesisBytes, hrp }: NetworkInstance, keys: readonly AccountKey[]): DevnetAccount[] {
  return fundedKeys({ genesisBytes }, keys).map((key) => accountOf(key, hrp));
}

export function fundedKeys({ genesisBytes }: Pick<NetworkInstance, "genesisBytes">, keys: readonly AccountKey[]): AccountKey[] {
  return keys.filter(({ key }) => isPaid(genesisBytes, addressOf(key)));
}

/** A genesis contains the address bytes of everyone it pays, on P and on X alike. */
function isPaid(genesisBytes: Uint8Array, address: ShortId): boolean {
  return Buffer.from(genesisBytes.buffer, genesisBytes.byteOffset, genesisBytes.length).includes(address, 0, "hex");
}

function accountOf({ name, key }: AccountKey, hrp: string): DevnetAccount {
  const address = addressOf(key);
  return {
    name,
    privateKey: `PrivateKey-${encodeCb58(key)}`,
    privateKeyHex: `0x${key.toString("hex")}`,
    addresses: {
      P: formatAddress("P", hrp, address),
      X: formatAddress("X", hrp, address),
      C: formatAddress("C", hrp, address),
      evm: formatEvmAddress(evmAddressOf(key)),
    },
  };
}
