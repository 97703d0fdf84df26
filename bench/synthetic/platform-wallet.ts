/** Makes transactions of the synthetic P-chain: sorted outputs, coins to spend, and dummy credentials. */

import { EMPTY_ID, type Id, PLATFORM_CHAIN_ID, type ShortId } from "../../src/base/bytes/id.ts";
import type { Output, TransferableInput, TransferableOutput } from "../../src/chains/platform/output.ts";
import type { Owner } from "../../src/chains/platform/owner.ts";
import { type SignedTx, type UnsignedTx, unsignedTx } from "../../src/chains/platform/tx/registry.ts";
import { assemble } from "../../src/chains/platform/tx/signed.ts";

/** An unspent output and its owner. */
export interface Coin {
  readonly txId: Id;
  readonly outputIndex: number;
  readonly amount: bigint;
  readonly address: ShortId;
}

export interface Payment {
  readonly amount: bigint;
  readonly addresses: readonly ShortId[];
  readonly threshold?: number;
  /** Unix seconds until which it may only be staked */
  readonly stakeableLocktime?: bigint;
}

/** More than any of these transactions must burn. */
export const FEE = 10_000_000n;
const NO_MEMO = Buffer.alloc(0);
const DUMMY_CREDENTIAL = { kind: "Credential" as const, signatures: [Buffer.alloc(65)] };

export function ownedBy(...addresses: ShortId[]): Owner {
  return { kind: "OutputOwners", locktime: 0n, threshold: 1, addresses };
}

export class PlatformWallet {
  readonly #networkId: number;
  readonly #avaxAssetId: Id;

  constructor(networkId: number, avaxAssetId: Id) {
    this.#networkId = networkId;
    this.#avaxAssetId = avaxAssetId;
  }

  /** The genesis UTXO at this index. */
  genesisCoin(amount: bigint, address: ShortId): Coin {
    return { txId: EMPTY_ID, outputIndex: 0, amount, address };
  }

  outputs(payments: readonly Payment[]): TransferableOutput[] {
    return payments.toSorted(compare).map((payment) => ({ assetId: this.#avaxAssetId, fxId: undefined, output: outputOf(payment) }));
  }

  /** Spends coins; `fields` are those specific to the type. */
  tx(kind: UnsignedTx["kind"], coins: readonly Coin[], payments: readonly Payment[], fields: object = {}, authorizations = 0): SignedTx {
    const base = {
      networkId: this.#networkId,
      blockchainId: PLATFORM_CHAIN_ID,
      outputs: this.outputs(payments),
      inputs: this.inputs(coins),
      memo: NO_MEMO,
    };
    const credentials = Array.from({ length: coins.length + authorizations }, () => DUMMY_CREDENTIAL);
    return assemble(unsignedTx, { kind, ...base, ...fields } as UnsignedTx, credentials);
  }

  inputs(coins: readonly Coin[]): TransferableInput[] {
    const place = ({ txId, outputIndex }: Coin) => `${txId}${outputIndex.toString(16).padStart(8, "0")}`;
    return coins
      .toSorted((a, b) => (place(a) < place(b) ? -1 : 1))
      .map(({ txId, outputIndex, amount }) => {
        const input = { kind: "TransferInput" as const, amount, signatureIndices: [0] };
        return { txId, outputIndex, assetId: this.#avaxAssetId, fxId: undefined, input };
      });
  }

  /** A transaction's own outputs as coins, in order. */
  coinsOf(tx: SignedTx): Coin[] {
    return (tx.unsigned as { outputs: TransferableOutput[] }).outputs.map(({ output }, outputIndex) => {
      const { amount, addresses } = output.kind === "LockOut" ? output.output : output;
      return { txId: tx.id, outputIndex, amount, address: addresses[0]! };
    });
  }
}

function outputOf({ amount, addresses, threshold = 1, stakeableLocktime }: Payment): Output {
  const output = { kind: "TransferOutput" as const, amount, locktime: 0n, threshold, addresses: addresses.toSorted() };
  return stakeableLocktime === undefined ? output : { kind: "LockOut", locktime: stakeableLocktime, output };
}

/** Compares outputs as their bytes sort: type, lock, amount, threshold, addresses. */
function compare(a: Payment, b: Payment): number {
  const [lockA, lockB] = [a.stakeableLocktime ?? -1n, b.stakeableLocktime ?? -1n];
  if (lockA !== lockB) return lockA < lockB ? -1 : 1;
  if (a.amount !== b.amount) return a.amount < b.amount ? -1 : 1;
  const [ownersA, ownersB] = [a, b].map(
    ({ threshold = 1, addresses }) => `${threshold}${addresses.length}${addresses.toSorted().join("")}`,
  );
  return ownersA! < ownersB! ? -1 : 1;
}
