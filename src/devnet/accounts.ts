/** The keys whose holders a genesis of the local network pays: public in every development network, so worth nothing elsewhere. */
import type { NetworkInstance } from "../network/network.ts";
import { formatAddress } from "../primitives/address.ts";
import { encodeCb58 } from "../primitives/cb58.ts";
import { formatEvmAddress } from "../primitives/evm-address.ts";
import type { ShortId } from "../primitives/id.ts";
import { addressOf, evmAddressOf } from "../primitives/secp256k1.ts";

export interface DevnetAccount {
  /** what the key is called among developers */
  readonly name: string;
  /** `PrivateKey-…`, as Avalanche's wallets take it */
  readonly privateKey: string;
  /** `0x…`, as EVM wallets take it */
  readonly privateKeyHex: string;
  readonly addresses: {
    /** `P-local1…` */
    readonly P: string;
    readonly X: string;
    /** `C-local1…`: owner of what is on its way between C and the others */
    readonly C: string;
    /** `0x…`: the account on the C-chain */
    readonly evm: string;
  };
}

/** The key that all examples use. */
export const EWOQ_KEY = Buffer.from("56289e99c94b6912bfc12adc093c9b51124f0dc54ac7a766b2bc5ccf558d8027", "hex");

const KEYS = [{ name: "ewoq", key: EWOQ_KEY }];

/** Those that the network's genesis pays; none for a custom genesis of other keys. */
export function devnetAccounts({ genesisBytes, hrp }: NetworkInstance): DevnetAccount[] {
  return KEYS.filter(({ key }) => isPaid(genesisBytes, addressOf(key))).map(({ name, key }) => accountOf(name, key, hrp));
}

/** A genesis that pays an address holds its bytes, on P and on X alike. */
function isPaid(genesisBytes: Uint8Array, address: ShortId): boolean {
  return Buffer.from(genesisBytes.buffer, genesisBytes.byteOffset, genesisBytes.length).includes(address, 0, "hex");
}

function accountOf(name: string, key: Buffer, hrp: string): DevnetAccount {
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
