/** Nonces of accounts by height, counted from a chain's transactions and creations. */
import type { AccountsAt, Frame, RecordedBlock } from "./recording.ts";

/** a frame that the EVM did not begin with: nothing was counted */
const NOT_BEGUN = /insufficient balance|depth/i;

/**
 * Counted ones, put right by the last recorded height: a C-chain makes no frame where a creation meets an address in use, and it gives
 * precompiles a nonce in the genesis.
 */
export function noncesOf(blocks: readonly RecordedBlock[], accounts: readonly AccountsAt[]): (address: string, height: number) => number {
  const counted = countNonces(blocks);
  return (address, height) => {
    const recorded = accounts.findLast((at) => at.height <= height && at.accounts[address] !== undefined);
    const missed = recorded === undefined ? 0 : recorded.accounts[address]!.nonce - counted(address, recorded.height);
    return counted(address, height) + missed;
  };
}

export function countNonces(blocks: readonly RecordedBlock[]): (address: string, height: number) => number {
  const changes = new Map<string, { height: number; nonce: number }[]>();
  const nonceOf = (address: string) => changes.get(address)?.at(-1)?.nonce ?? 0;
  for (const { height, block, receipts, traces } of blocks) {
    const set = (address: string, nonce: number) => {
      if (!changes.has(address)) changes.set(address, []);
      changes.get(address)!.push({ height, nonce });
    };
    for (const [index, transaction] of block.transactions.entries()) {
      set(transaction.from, Number(transaction.nonce) + 1);
      if (receipts[index]!.status !== "0x1") continue;
      const created = new Set<string>();
      const create = (address: string) => {
        set(address, 1);
        created.add(address);
      };
      if (receipts[index]!.contractAddress !== null) create(receipts[index]!.contractAddress!);
      const trace = traces?.[index]?.result;
      const frames = trace === undefined ? [] : executedBelow(trace);
      for (const frame of frames) {
        if (!frame.type.startsWith("CREATE") || NOT_BEGUN.test(frame.error ?? "")) continue;
        set(frame.from, nonceOf(frame.from) + 1);
        if (frame.error === undefined && frame.to !== undefined) create(frame.to);
      }
      // only what was made in the same transaction is gone after it
      for (const { type, from } of [trace!, ...frames]) if (type === "SELFDESTRUCT" && created.has(from)) set(from, 0);
    }
  }
  return (address, height) => changes.get(address)?.findLast((change) => change.height <= height)?.nonce ?? 0;
}

/** Frames below one without a failed frame above them. They may have failed themselves: creations count for their creator even so. */
function executedBelow(frame: Frame): Frame[] {
  if (frame.error !== undefined) return [];
  return (frame.calls ?? []).flatMap((call) => [call, ...executedBelow(call)]);
}
