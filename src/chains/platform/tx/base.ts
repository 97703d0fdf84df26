/** The part shared by all transactions with inputs: their first fields, with their checks and effect (chain-rules 2.4, 2.5, 10). */

import { type Id, PLATFORM_CHAIN_ID } from "../../../base/bytes/id.ts";
import { utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import { bytes, type Codec, encodeAll, list, struct, u32, union, type Value } from "../../../base/codec/codec.ts";
import type { Possession } from "../../../base/signatures/possession-equation.ts";
import { type RowKey, rowKey } from "../../../base/table/view.ts";
import { RuleError, within } from "../../../network/execution.ts";
import type { NetworkInstance, UpgradeName } from "../../../network/network.ts";
import type { Dimensions } from "../complexity.ts";
import type { TxExecution } from "../execution.ts";
import { id, type TransferableInput, type TransferableOutput, transferableInput, transferableOutput } from "../output.ts";
import { verifyInput, verifyInputOrder, verifyOutput, verifyOutputOrder } from "../output-rules.ts";
import type { PlatformState } from "../state/platform-state.ts";
import { platformTxs, platformUtxos } from "../tables.ts";
import { registerTxType, txTypeIds } from "../type-ids.ts";
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

/**
 * Defines a kind of transaction: everything about it is in one object. `execute.ts` runs the parts in the node's order: era, form, memo,
 * then `execute` or `propose`, which verify against the state and change it. They throw RuleErrors with the node's texts; the caller rolls
 * back.
 */
export type Branch = "commit" | "abort";

/** The context of a kind's own code. */
export interface TxContext extends TxExecution {
  /** The minimum to burn, in nAVAX; 0 before Etna. */
  fee(): bigint;
  /** The name of the kind with a type ID. */
  kindOf(typeId: number): string;
  /** Outputs in addition to the transaction's own, from its definition; the flow check counts them. */
  readonly produced: readonly TransferableOutput[];
  /** nAVAX that become balances of L1 validators, from its definition; the flow check counts them. */
  readonly balances: readonly bigint[];
}

export interface TxDefinition<T extends { readonly kind: string }> {
  readonly name: T["kind"];
  readonly typeId: number;
  /** The body after the type ID. */
  readonly codec: Codec<T> & { readonly kind: T["kind"] };
  /** The upgrade that introduced it; the block's era decides. */
  readonly since?: UpgradeName;
  /** The upgrade since which it is no longer permitted. */
  readonly until?: UpgradeName;
  /** Whether an atomic block before Banff may contain it. */
  readonly isAtomic?: true;
  /** Its complexity from Etna on. Absent: it cannot be metered, so it can only be in a block as a proposal. */
  complexity?(tx: T): Dimensions;
  /**
   * Names of what it deals with: nodes and the IDs of subnets, chains, validations and transactions, except those whose outputs it spends.
   * In the mempool, transactions build on waiting ones with the same names.
   */
  names(tx: T): readonly string[];
  /** What it consumes from shared memory. */
  imported?(tx: T): readonly TransferableInput[];
  /** Outputs in addition to its own, numbered after them: stake, exports. */
  produced?(tx: T): readonly TransferableOutput[];
  /** nAVAX that become balances of L1 validators. */
  balances?(tx: T): readonly bigint[];
  /** Whether it may refund a balance, as the output after its own. */
  readonly mayRefund?: true;
  /** Its proofs of possession, which are verified before execution. */
  proofs?(tx: T): readonly Possession[];
  /** The warp message in it, which validators must have signed. */
  warpMessage?(tx: T): Uint8Array;
  /** The rows that execution reads, except resident ones. */
  keysRead(tx: T, txId: Id): RowKey[];
  /** Checks that need only the transaction. */
  verifyForm(tx: T, network: NetworkInstance): void;
  /** Checks made before the era's, in a standard block only. */
  verifyFirst?(tx: T): void;
  /** Executes it as a decision in a standard block (Import and Export also in an atomic one). Absent: it may not be a decision. */
  execute?(tx: Signed<T>, context: TxContext): void;
  /** Executes it as a block's proposal: verifies, then applies the branch. Absent: it may not be proposed. */
  propose?(tx: Signed<T>, context: TxContext, branch: Branch): void;
}

/**
 * Registers a kind under its type ID, and completes its definition so that the form of a transaction, with its BLS proofs, is verified only
 * once.
 */
export function defineTx<T extends { readonly kind: string }>(definition: TxDefinition<T>): TxDefinition<T> {
  registerTxType(definition.typeId, definition.name);
  const wellFormed = new WeakSet<T>();
  return {
    ...definition,
    verifyForm(tx, network) {
      if (wellFormed.has(tx)) return;
      definition.verifyForm(tx, network);
      wellFormed.add(tx);
    },
  };
}

/** The codec of a transaction of one of these kinds: u32 type ID, then the body. */
export function anyOf<D extends { readonly typeId: number; readonly codec: { readonly kind: string } }>(
  definitions: readonly D[],
): Codec<Value<D["codec"]>> {
  const codecs = Object.fromEntries(definitions.map(({ typeId, codec }) => [typeId, codec])) as Record<number, D["codec"]>;
  return union(codecs, txTypeIds);
}
