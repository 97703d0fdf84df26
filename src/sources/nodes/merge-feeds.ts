/**
 * Merges the blocks of several chains by time, as a hint: a chain that has nothing at present, or that cannot be read, is not waited for. The
 * ingester lets blocks wait that come too early.
 */

import type { Id } from "../../base/bytes/id.ts";
import { pause } from "../../base/work/pause.ts";
import type { BlockItem, VertexItem } from "../source.ts";

export type LiveItem = BlockItem | VertexItem;

export interface Feed {
  readonly chainId: Id;
  readonly items: AsyncGenerator<readonly LiveItem[]>;
  /** whether more is on its way: it is worth to wait for it */
  readonly isComing: () => boolean;
}

/** Others are not kept waiting longer by a chain whose blocks are on their way. */
const PATIENCE_MS = 1_000;
/** until a chain that was held back is looked at again */
const HELD_MS = 100;

interface Branch extends Feed {
  run: readonly LiveItem[];
  at: number;
  pending: Promise<void> | undefined;
  /** aborted when what is pending has come. Each reaction to a promise stays with it, and that of a chain that stands still lives for long */
  arrival: AbortController;
  hasEnded: boolean;
  failure: unknown;
}

/** Ends when all feeds have ended that are not held. */
export async function* mergeFeeds(
  feeds: readonly Feed[],
  { signal, isHeld }: { signal: AbortSignal; isHeld: (chainId: Id) => boolean },
): AsyncGenerator<readonly LiveItem[]> {
  const branches: Branch[] = feeds.map((feed) => ({
    ...feed,
    run: [],
    at: 0,
    pending: undefined,
    arrival: new AbortController(),
    hasEnded: false,
    failure: undefined,
  }));
  try {
    while (!signal.aborted) {
      const open = branches.filter((branch) => !branch.hasEnded && !isHeld(branch.chainId));
      for (const branch of open) if (isEmpty(branch)) pull(branch);
      const late = open.filter((branch) => isEmpty(branch) && branch.isComing());
      if (late.length > 0) await firstOf(late, PATIENCE_MS);
      const run = take(open);
      const failed = branches.find(({ failure }) => failure !== undefined);
      if (run.length > 0) yield run;
      else if (failed !== undefined) throw failed.failure;
      // a chain that waits for one that has ended waits in vain
      else if (open.length === 0 && branches.some(({ hasEnded }) => hasEnded)) return;
      else await firstOf(open, branches.length === open.length ? undefined : HELD_MS, signal);
    }
  } finally {
    for (const { items, pending } of branches) void (pending ?? Promise.resolve()).then(() => items.return(undefined)).catch(() => {});
  }
}

function isEmpty({ run, at }: Branch): boolean {
  return at >= run.length;
}

function pull(branch: Branch): void {
  if (branch.pending !== undefined) return;
  branch.arrival = new AbortController();
  branch.pending = branch.items.next().then(
    ({ value, done }) => {
      Object.assign(branch, { run: done ? [] : value, at: 0, hasEnded: done === true, pending: undefined });
      branch.arrival.abort();
    },
    (failure: unknown) => {
      Object.assign(branch, { failure, hasEnded: true, pending: undefined });
      branch.arrival.abort();
    },
  );
}

async function firstOf(branches: readonly Branch[], mostMs: number | undefined, signal?: AbortSignal): Promise<void> {
  const arrivals = branches.filter(({ pending }) => pending !== undefined).map(({ arrival }) => arrival.signal);
  await pause(mostMs ?? 2 ** 30, ...arrivals, ...(signal === undefined ? [] : [signal]));
}

/** The earliest blocks, up to where the next one of a chain that has more is not known yet. */
function take(branches: readonly Branch[]): LiveItem[] {
  const there = branches.filter((branch) => !isEmpty(branch));
  const taken: LiveItem[] = [];
  while (there.length > 0) {
    const first = there.reduce((least, branch) => (timeOf(branch) < timeOf(least) ? branch : least));
    taken.push(first.run[first.at++]!);
    if (!isEmpty(first)) continue;
    if (first.isComing()) break;
    there.splice(there.indexOf(first), 1);
  }
  return taken;
}

function timeOf({ run, at }: Branch): bigint {
  return run[at]!.acceptedAt;
}
