/**
 * Follows a recorded EVM chain, served by a misbehaving node: at every recorded height it checks what addresses own, and at the end
 * everything.
 */
import { entryOf } from "../../../src/evm/chain-entry.ts";
import { type ReplayFaults, startReplayRpc } from "../../evm/replay-rpc/replay-rpc.ts";
import { eventually, stopwatch } from "../../patience.ts";
import type { CheckResult } from "../check.ts";
import { checkAtomic } from "./atomic.ts";
import { checkContracts } from "./contracts.ts";
import { Expectation } from "./expectation.ts";
import { followHere } from "./followed.ts";
import { checkLists } from "./lists.ts";
import { readEvmRecording } from "./recording.ts";
import { StateChecker } from "./states.ts";

/** At most one in five messages goes wrong, in any of the ways. */
export const USUAL_FAULTS: ReplayFaults = {
  seed: 1,
  late: 0.05,
  inPieces: 0.05,
  rateLimited: 0.03,
  serverError: 0.03,
  wrongIds: 0.02,
  cutOff: 0.01,
  garbage: 0.01,
};

/** How long contracts may take to be asked once their blocks are indexed. */
const PATIENCE_MS = 200_000;

export interface EvmPart {
  readonly name: string;
  readonly results: readonly CheckResult[];
}

export interface EvmConformanceOptions {
  readonly faults?: ReplayFaults;
  /** one in so many addresses, transactions and blocks is asked about; default all */
  readonly share?: number;
}

/** Part by part; the chain is indexed further between them. */
export async function* runEvmConformance(
  folder: string,
  { faults = USUAL_FAULTS, share = 1 }: EvmConformanceOptions = {},
): AsyncGenerator<EvmPart> {
  const recording = readEvmRecording(folder);
  const expectation = new Expectation(recording, { share });
  const { chainId, states } = recording;
  const rpc = await startReplayRpc({ recording: folder, head: states[0]!.height, faults });
  try {
    const followed = await followHere([entryOf([rpc.url])]);
    try {
      const checker = new StateChecker(followed.url, expectation);
      for (const state of states) {
        rpc.setFaults(faults);
        if (state.height > rpc.head) rpc.setHead(state.height);
        await followed.indexedTo(chainId, state.height);
        // whoever asks through Firn would be told that the node does not answer
        rpc.setFaults({});
        yield { name: `state at ${state.height}`, results: await settled(() => checker.now(state)) };
      }
      for (const state of states)
        yield { name: `state at ${state.height}, asked at the end`, results: await settled(() => checker.at(state)) };
      yield { name: "contracts and NFTs", results: await settled(() => checkContracts(followed.url, expectation)) };
      yield { name: "atomic transactions", results: await collected(checkAtomic(followed.url, expectation)) };
      yield { name: "lists", results: await collected(checkLists(followed.url, expectation)) };
    } finally {
      await followed.stop();
    }
  } finally {
    await rpc.close();
  }
}

/** What contracts say is asked behind the blocks: a check may fail until that is done. */
export async function settled(check: () => AsyncIterable<CheckResult>): Promise<CheckResult[]> {
  const elapsed = stopwatch();
  return eventually(async () => {
    const results = await collected(check());
    return (results.every(({ failure }) => failure === undefined) || elapsed() > PATIENCE_MS) && results;
  });
}

export async function collected(results: AsyncIterable<CheckResult>): Promise<CheckResult[]> {
  const list: CheckResult[] = [];
  for await (const result of results) list.push(result);
  return list;
}
