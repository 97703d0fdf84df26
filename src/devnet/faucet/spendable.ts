/** Finds AVAX outputs that a single key may spend, the newest first: the change of the last payment usually pays for the next one. */

import type { Id, ShortId } from "../../base/bytes/id.ts";
import type { Codec } from "../../base/codec/codec.ts";
import { decodeAll } from "../../base/codec/codec.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { utxosOfAddress } from "../../index/utxos-of-address.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { Store, StoreReader } from "../../store/store.ts";

/** The fields that all chains have in common. */
export interface SpendableUtxo {
  readonly txId: Id;
  readonly outputIndex: number;
  readonly assetId: Id;
  readonly output: {
    readonly kind: string;
    readonly amount?: bigint;
    readonly locktime?: bigint;
    readonly threshold?: number;
    readonly addresses?: readonly ShortId[];
  };
}

export interface Purse {
  /** as in `utxos_by_address` */
  readonly chain: number;
  readonly owner: ShortId;
  readonly assetId: Id;
  /** Unix seconds; outputs locked beyond this time cannot be spent */
  readonly clock: bigint;
  /** without codec version */
  readonly codec: Codec<SpendableUtxo>;
}

export interface Selection {
  readonly utxos: readonly (SpendableUtxo & { readonly amount: bigint })[];
  readonly total: bigint;
}

/** More inputs would not fit into a transaction of every chain. */
const MOST_INPUTS = 128;
const TRANSFER_OUTPUTS: ReadonlySet<string> = new Set(["TransferOutput", "secp256k1.TransferOutput"]);

/** Selects at least `needed` nAVAX, which depends on the number of inputs because they cost fees. */
export async function selectUtxos(reader: StoreReader, purse: Purse, needed: (inputs: number) => bigint): Promise<Selection> {
  const utxos: (SpendableUtxo & { amount: bigint })[] = [];
  let total = 0n;
  for await (const { bytes } of utxosOfAddress(reader, { chain: purse.chain, address: purse.owner }, { pageSize: 64 })) {
    const utxo = decodeAll(purse.codec, bytes);
    const amount = spendableAmount(utxo, purse);
    if (amount === undefined) continue;
    utxos.push({ ...utxo, amount });
    total += amount;
    if (total >= needed(utxos.length)) return { utxos, total };
    if (utxos.length === MOST_INPUTS) break;
  }
  throw new FirnError(
    "no-funds",
    `the pre-funded key has ${total} nAVAX in ${utxos.length} outputs on that chain, but needs ${needed(utxos.length)}`,
    {
      total,
    },
  );
}

function spendableAmount({ assetId, output }: SpendableUtxo, purse: Purse): bigint | undefined {
  const { kind, amount, locktime, threshold, addresses } = output;
  const isOwn = threshold === 1 && addresses?.length === 1 && addresses[0] === purse.owner;
  const isSpendable = TRANSFER_OUTPUTS.has(kind) && assetId === purse.assetId && isOwn && (locktime ?? 0n) <= purse.clock;
  return isSpendable ? amount : undefined;
}

/** The payer, and the state it pays from. */
export interface Payer {
  readonly store: Store;
  readonly network: NetworkInstance;
  readonly key: Uint8Array;
  readonly owner: ShortId;
  /** Unix seconds */
  readonly clock: bigint;
}
