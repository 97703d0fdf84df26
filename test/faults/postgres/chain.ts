/** A small chain whose rows contradict each other if a commit is lost, doubled, made from an old state, or read in parts. */
import { createHash } from "node:crypto";
import { fixedHex, u8, u32, u64 } from "../../../src/base/codec/codec.ts";
import { type Change, table } from "../../../src/base/table/table.ts";
import { allTables } from "../../../src/cli/store/all-tables.ts";
import type { StoreReader } from "../../../src/store/store.ts";
import { servedChanges } from "./served.ts";

export const SCHEMA = "firn";
export const ACCOUNTS = 20;
const MOST_MOVES = 10_000;

const tip = table({ id: 60_101, name: "checked_tip", key: { slot: u8 }, value: { height: u64 } });
const blocks = table({
  id: 60_102,
  name: "checked_blocks",
  key: { height: u64 },
  value: { fence: u64, hash: fixedHex(32), total: u64, moves: u32 },
});
const accounts = table({ id: 60_103, name: "checked_accounts", key: { account: u32 }, value: { balance: u64 } });
const moves = table({ id: 60_104, name: "checked_moves", key: { height: u64, index: u32 }, value: { account: u32, amount: u64 } });
export const tables = [...allTables, tip, blocks, accounts, moves];

export interface ChainState {
  readonly height: bigint;
  readonly hash: string;
  readonly balances: readonly bigint[];
}

/** One state of the chain; an error says what contradicts what. */
export async function readState(reader: StoreReader): Promise<ChainState> {
  const height = (await reader.get(tip, { slot: 0 }))?.height ?? 0n;
  const rows = await reader.getMany(
    accounts,
    Array.from({ length: ACCOUNTS }, (_, account) => ({ account })),
  );
  const balances = rows.map((row) => row?.balance ?? 0n);
  if (height === 0n) return { height, hash: "00".repeat(32), balances };
  const block = await reader.get(blocks, { height });
  if (block === undefined) throw new Error(`contradiction: block ${height} is the last, but is not there`);
  if ((await reader.get(blocks, { height: height + 1n })) !== undefined) throw new Error(`contradiction: block ${height} is not the last`);
  const sum = balances.reduce((a, b) => a + b);
  if (sum !== block.total) throw new Error(`contradiction: accounts hold ${sum} at height ${height}, whose block says ${block.total}`);
  const list = await reader.scan(moves, { prefix: { height }, limit: MOST_MOVES });
  if (list.length !== block.moves) throw new Error(`contradiction: block ${height} has ${list.length} moves and says ${block.moves}`);
  return { height, hash: block.hash, balances };
}

/** The next block, which depends on all before it. */
export function nextBlock(before: ChainState, fence: bigint, count: number): { state: ChainState; changes: Change[] } {
  const height = before.height + 1n;
  const balances = [...before.balances];
  const list = Array.from({ length: count }, (_, index) => ({
    account: (Number(height) + index) % ACCOUNTS,
    amount: height + BigInt(index),
  }));
  for (const { account, amount } of list) balances[account]! += amount;
  const state = { height, hash: hashOf(before.hash, height, fence), balances };
  const total = balances.reduce((a, b) => a + b);
  const changes = [
    { table: tip, key: { slot: 0 }, value: { height } },
    { table: blocks, key: { height }, value: { fence, hash: state.hash, total, moves: count } },
    ...balances.map((balance, account) => ({ table: accounts, key: { account }, value: { balance } })),
    ...list.map((value, index) => ({ table: moves, key: { height, index }, value })),
    ...servedChanges(height),
  ] as Change[];
  return { state, changes };
}

/** Of all blocks: that each follows from the one before, fencing numbers never fall, and accounts hold what was moved. @returns hashes by height */
export async function checkChain(reader: StoreReader): Promise<Map<bigint, string>> {
  const last = await readState(reader);
  const hashes = new Map<bigint, string>();
  const balances = Array.from({ length: ACCOUNTS }, () => 0n);
  let [hash, fence] = ["00".repeat(32), 0n];
  for (let height = 1n; height <= last.height; height++) {
    const block = await reader.get(blocks, { height });
    if (block === undefined) throw new Error(`contradiction: block ${height} of ${last.height} is lost`);
    if (block.fence < fence)
      throw new Error(`contradiction: holder ${block.fence} committed block ${height} after holder ${fence} had committed`);
    if (block.hash !== hashOf(hash, height, block.fence))
      throw new Error(`contradiction: block ${height} does not follow from ${height - 1n}`);
    for (const { value } of await reader.scan(moves, { prefix: { height }, limit: MOST_MOVES })) balances[value.account]! += value.amount;
    [hash, fence] = [block.hash, block.fence];
    hashes.set(height, hash);
  }
  if (balances.some((balance, account) => balance !== last.balances[account]))
    throw new Error("contradiction: accounts do not hold what was moved");
  return hashes;
}

function hashOf(parent: string, height: bigint, fence: bigint): string {
  return createHash("sha256").update(`${parent} ${height} ${fence}`).digest("hex");
}
