/**
 * The keys that genesis funds sign for whoever asks, as other development nodes do with theirs: everybody knows them. Methods and answers are
 * geth's.
 */

import { keccak256 } from "../../base/bytes/hash.ts";
import type { ShortId } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { evmAddressOf, signDigest } from "../../base/signatures/secp256k1.ts";
import type { EvmNode } from "../../devnet/anvil/evm-node.ts";
import { signTransaction } from "../../devnet/anvil/pool/sign-transaction.ts";
import { askAsClient } from "./ask-as-client.ts";
import { addressOf, bytesOf, invalid } from "./cheats/cheat-params.ts";
import type { Send } from "./send-transaction.ts";
import { typedDataDigest } from "./typed-data.ts";

const SEND = "eth_sendRawTransaction";
const LONGEST_MESSAGE = 1 << 20;
/** of a recovery code */
const LEAST_V = 27;

export class KeyRing {
  readonly #keys: ReadonlyMap<ShortId, Uint8Array>;

  constructor(keys: readonly Uint8Array[]) {
    this.#keys = new Map(keys.map((key) => [evmAddressOf(key), key]));
  }

  get addresses(): readonly ShortId[] {
    return [...this.#keys.keys()];
  }

  /** How transactions of this account are sent; undefined if its key is not here. */
  wayOf(sender: ShortId, evm: EvmNode): Send | undefined {
    const key = this.#keys.get(sender);
    if (key === undefined) return undefined;
    return (fields, client) => askAsClient(evm, SEND, [`0x${signTransaction(fields, key).toString("hex")}`], client);
  }

  /** `eth_sign`. @param params address, and message */
  async signMessage([account, message]: readonly unknown[]): Promise<string> {
    const key = this.#requireKey(account);
    const bytes = bytesOf(message, "the message", LONGEST_MESSAGE);
    return signatureOf(keccak256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes])), key);
  }

  /** `eth_signTypedData_v4` (EIP-712). @param params address, and typed data, which may be a text of JSON */
  async signTypedData([account, data]: readonly unknown[]): Promise<string> {
    const key = this.#requireKey(account);
    return signatureOf(typedDataDigest(typeof data === "string" ? parsed(data) : data), key);
  }

  #requireKey(account: unknown): Uint8Array {
    const key = this.#keys.get(addressOf(account));
    if (key === undefined) throw new FirnError("unknown-account", "unknown account");
    return key;
  }
}

function signatureOf(digest: Uint8Array, key: Uint8Array): string {
  const signature = signDigest(digest, key);
  signature[64]! += LEAST_V;
  return `0x${signature.toString("hex")}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("the typed data is a text that is not JSON");
  }
}
