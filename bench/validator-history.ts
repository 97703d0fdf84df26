/**
 * A generated history of one validator set, written with the real projection into a real store. The set keeps its size: every block changes
 * the weights of some members, and one member is replaced by a new one.
 */

import { createHash } from "node:crypto";
import type { Id, NodeId } from "../src/base/bytes/id.ts";
import type { Table, TableKey } from "../src/base/table/table.ts";
import { View } from "../src/base/table/view.ts";
import type { ValidatorChange } from "../src/chains/platform/events.ts";
import { platformValidatorDiffs, type ValidatorMember } from "../src/chains/platform/tables.ts";
import { projectValidatorSnapshots, validatorSetProgress } from "../src/index/validator-snapshots.ts";
import type { Column, PartOf, ScanRange, Store, StoreReader } from "../src/store/store.ts";

export const MEMBERS = 2000;
export const CHANGES_PER_BLOCK = 20;
const BLOCKS_PER_COMMIT = 50;
export const subnetId: Id = "5e".repeat(32);

/** Writes a first block with all members, then `changes` changes; returns the newest height and the set at it. */
export async function writeHistory(store: Store, changes: number): Promise<{ newest: number; set: ReadonlyMap<NodeId, ValidatorMember> }> {
  const set = new Map<NodeId, ValidatorMember>();
  const view = new View();
  view.setResident(validatorSetProgress);
  const newest = changes / CHANGES_PER_BLOCK;
  for (let height = 0; height <= newest; height++) {
    const facts = height === 0 ? range(0, MEMBERS).map((n) => change(set, n, 1n)) : changesOfBlock(set, height);
    for (const { nodeId, before, after } of facts) {
      view.put(platformValidatorDiffs, { subnetId, height: BigInt(height), nodeId }, { before, after });
    }
    projectValidatorSnapshots(view, BigInt(height), facts, () => set);
    if (height % BLOCKS_PER_COMMIT === 0 || height === newest) {
      await store.commit(view.drain());
      view.evict();
    }
  }
  return { newest, set };
}

/** Before the block at `height`, the members are the nodes from `height - 1` on. */
function changesOfBlock(set: Map<NodeId, ValidatorMember>, height: number): ValidatorChange[] {
  const staying = MEMBERS - 1;
  const weights = range(0, CHANGES_PER_BLOCK - 2).map((n) => height + ((height * CHANGES_PER_BLOCK + n) % staying));
  return [
    change(set, height - 1, undefined),
    change(set, height - 1 + MEMBERS, 1n),
    ...weights.map((node) => change(set, node, BigInt(height + 1))),
  ];
}

function change(set: Map<NodeId, ValidatorMember>, node: number, weight: bigint | undefined): ValidatorChange {
  const name = createHash("sha512").update(`${node}`).digest("hex");
  const nodeId = name.slice(0, 40);
  const before = set.get(nodeId);
  const after = weight === undefined ? undefined : { weight, publicKey: name.slice(0, 96) };
  if (after === undefined) set.delete(nodeId);
  else set.set(nodeId, after);
  return { subnetId, nodeId, before, after };
}

export function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, n) => from + n);
}

/** Counts the rows read through it. */
export class CountingReader implements StoreReader {
  rowsRead = 0;
  readonly #reader: StoreReader;

  constructor(reader: StoreReader) {
    this.#reader = reader;
  }

  get<T extends Table>(table: T, key: TableKey<T>) {
    this.rowsRead++;
    return this.#reader.get(table, key);
  }

  getMany<T extends Table>(table: T, keys: readonly TableKey<T>[]) {
    this.rowsRead += keys.length;
    return this.#reader.getMany(table, keys);
  }

  getParts<T extends Table>(table: T, column: Column<T>, parts: readonly PartOf<T>[]) {
    this.rowsRead += new Set(parts.map(({ key }) => key)).size;
    return this.#reader.getParts(table, column, parts);
  }

  async scan<T extends Table>(table: T, scanned: ScanRange<T>) {
    const rows = await this.#reader.scan(table, scanned);
    this.rowsRead += rows.length;
    return rows;
  }
}
