/**
 * Changes of accounts between two blocks, which no transaction makes: how they are stored, and made in a child. The same block with the same
 * edits after it is always the same state, so the child can be rebuilt.
 */

import { sha256Hex } from "../../../base/bytes/hash.ts";
import { EMPTY_ID, type Id, type ShortId } from "../../../base/bytes/id.ts";
import { encodeAll, struct } from "../../../base/codec/codec.ts";
import { FirnError } from "../../../base/errors/errors.ts";
import type { Change, TableValue } from "../../../base/table/table.ts";
import { type StoreReader, scanAll } from "../../../store/store.ts";
import type { Accounts } from "../accounts.ts";
import { toHex } from "../header.ts";
import type { JsonRpcClient } from "../json-rpc-client.ts";
import { evmEdits } from "../tables.ts";

export type EvmEdit =
  /** aAVAX */
  | { readonly kind: "balance"; readonly address: ShortId; readonly value: bigint }
  /** not less than the account's */
  | { readonly kind: "nonce"; readonly address: ShortId; readonly value: bigint }
  | { readonly kind: "code"; readonly address: ShortId; readonly code: Uint8Array }
  /** both 32 bytes in hex */
  | { readonly kind: "storage"; readonly address: ShortId; readonly slot: Id; readonly value: Id };

/** The state of a child: its newest block, and the edits since. */
export interface EvmState {
  readonly height: bigint;
  /** number of edits since the block */
  readonly edits: number;
  /** the block's ID if there are none; else a hash of it and of them */
  readonly id: Id;
}

type EditRow = TableValue<typeof evmEdits>;

/** Most edits in one commit: they are made one after the other while all requests wait, each in about 0.2 ms. */
export const MOST_EDITS = 1024;

const [BALANCE, NONCE, CODE, STORAGE] = [0, 1, 2, 3];
const ROW = struct(evmEdits.value);

export function stateAtBlock(height: bigint, blockId: Id): EvmState {
  return { height, edits: 0, id: blockId };
}

/** The rows of new edits after this state of a blockchain. */
export function rowsOfEdits(chainId: Id, { height, edits: made }: EvmState, edits: readonly EvmEdit[]): Change[] {
  return edits.map((edit, n) => ({ table: evmEdits, key: { chainId, height, index: made + n }, value: rowOf(edit) }) as Change);
}

/** The stored edits after a block, in order. */
export async function storedEdits(reader: StoreReader, chainId: Id, height: bigint): Promise<EvmEdit[]> {
  const edits: EvmEdit[] = [];
  for await (const { value } of scanAll(reader, evmEdits, { chainId, height })) edits.push(editOf(value));
  return edits;
}

/** Accounts whose code or storage is edited. */
export function contractsOf(edits: readonly EvmEdit[]): Set<ShortId> {
  return new Set(edits.filter(({ kind }) => kind === "code" || kind === "storage").map(({ address }) => address));
}

/** Accounts of a blockchain whose code or storage was ever edited. */
export async function editedContracts(reader: StoreReader, chainId: Id): Promise<Set<ShortId>> {
  const contracts = new Set<ShortId>();
  for await (const { value } of scanAll(reader, evmEdits, { chainId })) {
    if (value.kind === CODE || value.kind === STORAGE) contracts.add(value.address);
  }
  return contracts;
}

export function stateAfterEdits(before: EvmState, edits: readonly EvmEdit[]): EvmState {
  const id = edits.reduce((last, edit) => sha256Hex(Buffer.concat([Buffer.from(last, "hex"), encodeAll(ROW, rowOf(edit))])), before.id);
  return { height: before.height, edits: before.edits + edits.length, id };
}

/** Makes edits in the child's newest state. If it fails, the child's state is unknown. */
export async function makeEdits(rpc: JsonRpcClient, edits: readonly EvmEdit[]): Promise<void> {
  for (const edit of edits) await rpc.call(...callOf(edit));
}

/**
 * A nonce that goes back would let a transaction be in two blocks. The text is Hardhat's.
 * @param accounts of all edits of nonces
 */
export function requireRisingNonces(edits: readonly EvmEdit[], accounts: Accounts): void {
  const nonces = new Map([...accounts].map(([address, { nonce }]) => [address, nonce]));
  for (const edit of edits) {
    if (edit.kind !== "nonce") continue;
    const { address, value } = edit;
    const before = nonces.get(address)!;
    if (value < before) {
      throw new FirnError("nonce-back", `New nonce (${value}) must not be smaller than the existing nonce (${before})`, { address });
    }
    nonces.set(address, value);
  }
}

function callOf(edit: EvmEdit): [method: string, ...params: string[]] {
  const address = `0x${edit.address}`;
  switch (edit.kind) {
    case "balance":
      return ["anvil_setBalance", address, toHex(edit.value)];
    case "nonce":
      return ["anvil_setNonce", address, toHex(edit.value)];
    case "code":
      return ["anvil_setCode", address, `0x${Buffer.from(edit.code).toString("hex")}`];
    case "storage":
      return ["anvil_setStorageAt", address, `0x${edit.slot}`, `0x${edit.value}`];
  }
}

function rowOf(edit: EvmEdit): EditRow {
  const { address } = edit;
  switch (edit.kind) {
    case "balance":
      return { address, kind: BALANCE, slot: EMPTY_ID, data: bytesOf(edit.value) };
    case "nonce":
      return { address, kind: NONCE, slot: EMPTY_ID, data: bytesOf(edit.value) };
    case "code":
      return { address, kind: CODE, slot: EMPTY_ID, data: edit.code };
    case "storage":
      return { address, kind: STORAGE, slot: edit.slot, data: Buffer.from(edit.value, "hex") };
  }
}

function editOf({ address, kind, slot, data }: EditRow): EvmEdit {
  const hex = Buffer.from(data).toString("hex");
  if (kind === CODE) return { kind: "code", address, code: data };
  if (kind === STORAGE) return { kind: "storage", address, slot, value: hex };
  return { kind: kind === NONCE ? "nonce" : "balance", address, value: hex === "" ? 0n : BigInt(`0x${hex}`) };
}

function bytesOf(value: bigint): Buffer {
  const hex = value.toString(16);
  return value === 0n ? Buffer.alloc(0) : Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
}
