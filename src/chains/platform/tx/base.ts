/** The part shared by all transactions with inputs: their first fields, with their checks and effect (chain-rules 2.4, 2.5, 10). */

import { type Id, PLATFORM_CHAIN_ID } from "../../../base/bytes/id.ts";
import { utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import { bytes, encodeAll, list, u32, type Value } from "../../../base/codec/codec.ts";
import { struct } from "../../../base/codec/struct.ts";
import { type RowKey, rowKey } from "../../../base/table/view.ts";
import { RuleError } from "../../../network/execution.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import { within } from "../../../network/within.ts";
import { id } from "../fields.ts";
import { transferableInput, transferableOutput } from "../output.ts";
import { verifyInput, verifyInputOrder, verifyOutput, verifyOutputOrder } from "../output-rules.ts";
import type { PlatformState } from "../state/platform-state.ts";
import { platformTxs, platformUtxos } from "../tables.ts";
import type { Signed } from "./signed.ts";

/** The first fields in order; their JSON is flat too. */
export const baseFields = {
  networkId: u32,
  blockchainId: id,
  outputs: list(transferableOutput),
  inputs: list(transferableInput),
  memo: bytes,
};
const base = struct(baseFields);
export type Base = Value<typeof base>;

const MAX_MEMO_BYTES = 256;

export function verifyBase(tx: Base, network: NetworkInstance): void {
  within("metadata failed verification", () => verifyMetadata(tx, network));
  for (const output of tx.outputs) within("output failed verification", () => verifyOutput(output));
  for (const input of tx.inputs) within("input failed verification", () => verifyInput(input));
  verifyOutputOrder(tx.outputs);
  verifyInputOrder(tx.inputs);
}

function verifyMetadata(tx: Base, network: NetworkInstance): void {
  if (tx.networkId !== network.networkId) throw new RuleError("wrong-network", "tx has wrong network ID");
  if (tx.blockchainId !== PLATFORM_CHAIN_ID) throw new RuleError("wrong-chain", "tx has wrong chain ID");
  verifyMemoLength(tx.memo, MAX_MEMO_BYTES);
}

export function verifyMemoLength(memo: Uint8Array, limit: number): void {
  if (memo.length > limit) throw new RuleError("memo-too-large", `memo exceeds maximum length: ${memo.length} > ${limit}`);
}

const NOTHING = new Uint8Array(0);
/** codec version and type ID */
const HEAD_BYTES = 6;
const NO_CREDENTIALS = Buffer.alloc(4);

/**
 * What the row of a staker keeps of its transaction, with codec version: all that ends its staking period reads, and what is shown of it. The
 * inputs, the memo and the signatures are in the block. Its hash is not the transaction's ID.
 */
export function stakerBytes({ unsigned, unsignedBytes }: Signed<Base & { readonly kind: string }>): Buffer {
  const own = unsignedBytes.subarray(HEAD_BYTES + encodeAll(base, unsigned).length);
  const kept = encodeAll(base, { ...unsigned, inputs: [], memo: NOTHING });
  return Buffer.concat([unsignedBytes.subarray(0, HEAD_BYTES), kept, own, NO_CREDENTIALS]);
}

/** The UTXOs that it consumes. */
export function inputKeys(tx: Base): RowKey[] {
  return tx.inputs.map((input) => rowKey(platformUtxos, { utxoId: utxoIdOf(input) }));
}

/** The inputs, and the transaction whose ID is the subnet ID: it decides which error an ID that is not a subnet's gets. */
export function subnetTxKeys(tx: Base & { readonly subnetId: Id }): RowKey[] {
  return [...inputKeys(tx), rowKey(platformTxs, { txId: tx.subnetId })];
}

/** Consumes the inputs and produces the outputs. */
export function applyBase(tx: Signed<Base & { readonly kind: string }>, state: PlatformState): void {
  for (const input of tx.unsigned.inputs) state.consumeUtxo(utxoIdOf(input));
  tx.unsigned.outputs.forEach(({ assetId, output }, outputIndex) => {
    state.produceUtxo({ txId: tx.id, outputIndex, assetId, output });
  });
}
