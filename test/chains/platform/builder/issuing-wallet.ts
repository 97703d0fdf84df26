/**
 * Makes signed P-chain transactions for the funded key of the local network, from its UTXOs and from outputs of its earlier transactions.
 */

import { type Id, PLATFORM_CHAIN_ID } from "../../../../src/base/bytes/id.ts";
import { addressOf, signDigest } from "../../../../src/base/signatures/secp256k1.ts";
import { parseGenesis } from "../../../../src/chains/platform/genesis/genesis.ts";
import type { TransferableOutput } from "../../../../src/chains/platform/output.ts";
import type { Owner } from "../../../../src/chains/platform/owner.ts";
import { type SignedTx, type UnsignedTx, unsignedTx } from "../../../../src/chains/platform/tx/registry.ts";
import { assemble } from "../../../../src/chains/platform/tx/signed.ts";
import { EWOQ_KEY } from "../../../../src/devnet/account-keys.ts";
import { localGenesis } from "../../../../src/network/local-genesis.ts";
import type { NetworkInstance } from "../../../../src/network/network.ts";

export interface Coin {
  readonly txId: Id;
  readonly outputIndex: number;
  readonly amount: bigint;
}

export const ADDRESS = addressOf(EWOQ_KEY);
export const OWNER: Owner = { kind: "OutputOwners", locktime: 0n, threshold: 1, addresses: [ADDRESS] };
export const AUTHORIZED = { kind: "Input" as const, signatureIndices: [0] };
/** BLS keys with proofs; nothing keeps validators from sharing one. */
export const SIGNERS = localGenesis().initialStakers.map(({ signer }) => ({ kind: "ProofOfPossession" as const, ...signer! }));

interface Order {
  readonly coins: readonly Coin[];
  /** nAVAX burned */
  readonly burned: bigint;
  /** nAVAX that become no output of the transaction: stake, exports, balances */
  readonly used?: bigint;
  /** how many outputs the change is split into */
  readonly parts?: number;
  readonly fields?: object;
  /** authorizations besides the inputs' */
  readonly authorizations?: number;
  /** credentials besides those of inputs and authorizations */
  readonly imports?: number;
  readonly isForged?: boolean;
}

export class IssuingWallet {
  readonly #network: NetworkInstance;

  constructor(network: NetworkInstance) {
    this.#network = network;
  }

  tx(kind: UnsignedTx["kind"], { coins, burned, used = 0n, parts = 1, fields = {}, ...rest }: Order): SignedTx {
    const sorted = coins.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
    const change = sorted.reduce((total, { amount }) => total + amount, 0n) - burned - used;
    const unsigned = {
      kind,
      networkId: this.#network.networkId,
      blockchainId: PLATFORM_CHAIN_ID,
      outputs: change > BigInt(parts) ? this.outputs(split(change, parts)) : [],
      inputs: sorted.map((coin) => this.input(coin)),
      memo: new Uint8Array(),
      ...fields,
    } as UnsignedTx;
    return signed(unsigned, coins.length + (rest.authorizations ?? 0) + (rest.imports ?? 0), rest.isForged ?? false);
  }

  input({ txId, outputIndex, amount }: Coin) {
    const { avaxAssetId: assetId } = this.#network;
    return { txId, outputIndex, assetId, fxId: undefined, input: { kind: "TransferInput" as const, amount, signatureIndices: [0] } };
  }

  /** @param amounts ascending */
  outputs(amounts: readonly bigint[]): TransferableOutput[] {
    const { avaxAssetId: assetId } = this.#network;
    const owner = { locktime: 0n, threshold: 1, addresses: [ADDRESS] };
    return amounts.map((amount) => ({ assetId, fxId: undefined, output: { kind: "TransferOutput", amount, ...owner } }));
  }

  coinsOf({ id, unsigned }: SignedTx): Coin[] {
    const outputs = "outputs" in unsigned ? unsigned.outputs : [];
    return outputs.flatMap(({ output }, outputIndex) =>
      output.kind === "TransferOutput" ? [{ txId: id, outputIndex, amount: output.amount }] : [],
    );
  }
}

/** What genesis gave to the key. */
export function genesisCoins({ genesisBytes }: NetworkInstance): Coin[] {
  return parseGenesis(genesisBytes).utxos.flatMap(({ txId, outputIndex, output }) =>
    output.kind === "TransferOutput" && output.addresses[0] === ADDRESS ? [{ txId, outputIndex, amount: output.amount }] : [],
  );
}

function signed(unsigned: UnsignedTx, count: number, isForged: boolean): SignedTx {
  const { digest } = assemble(unsignedTx, unsigned, []);
  const signature = isForged ? Buffer.alloc(65) : signDigest(digest, EWOQ_KEY);
  return assemble(
    unsignedTx,
    unsigned,
    Array.from({ length: count }, () => ({ kind: "Credential" as const, signatures: [signature] })),
  );
}

function split(total: bigint, parts: number): bigint[] {
  const part = total / BigInt(parts);
  return [...Array<bigint>(parts - 1).fill(part), total - part * BigInt(parts - 1)];
}

function placeOf({ txId, outputIndex }: Coin): string {
  return `${txId}${outputIndex.toString(16).padStart(8, "0")}`;
}
