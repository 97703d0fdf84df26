/** Chains that the oracle is asked of: recorded ones, and a live one that the workload runs on while it is indexed. */
import { entryOf } from "../../../../src/evm/chain-entry.ts";
import { type Followed, followHere } from "../../../conformance/evm/followed.ts";
import { readEvmRecording } from "../../../conformance/evm/recording.ts";
import { USUAL_FAULTS } from "../../../conformance/evm/run-evm.ts";
import { type Anvil, startAnvil } from "../../../evm/anvil.ts";
import { startReplayRpc } from "../../../evm/replay-rpc/replay-rpc.ts";
import { runWorkload } from "../../../evm/workload/run-workload.ts";
import type { OracleCourt } from "./cases.ts";
import { hold, openCourt, type TrialOptions, type Verdict } from "./court.ts";

/** Indexed from a node that misbehaves; the oracle asks it when it no longer does. */
export async function withRecorded<T>(folder: string, use: (court: OracleCourt) => Promise<T>): Promise<T> {
  const { chainId, states } = readEvmRecording(folder);
  const rpc = await startReplayRpc({ recording: folder, faults: USUAL_FAULTS });
  try {
    return await withFollowed(rpc.url, async (followed) => {
      await followed.indexedTo(chainId, rpc.head);
      rpc.setFaults({});
      return use(await openCourt({ url: followed.url, rpc: rpc.url, stateHeights: states.map(({ height }) => height) }));
    });
  } finally {
    await rpc.close();
  }
}

export function holdRecorded(folder: string, options: TrialOptions): Promise<Verdict> {
  return withRecorded(folder, (court) => hold(court, options));
}

export interface LiveOptions extends TrialOptions {
  readonly txs: number;
}

/** Firn follows the node from before the first transaction on. */
export async function withLive<T>({ seed, txs }: LiveOptions, use: (court: OracleCourt, anvil: Anvil) => Promise<T>): Promise<T> {
  const anvil = await startAnvil();
  try {
    return await withFollowed(anvil.wsUrl, async (followed) => {
      await runWorkload({ rpc: anvil.url, seed: `${seed}`, txs });
      await followed.indexedTo(`${Number(await anvil.call("eth_chainId"))}`, Number(await anvil.call("eth_blockNumber")));
      return use(await openCourt({ url: followed.url, rpc: anvil.url }), anvil);
    });
  } finally {
    await anvil.stop();
  }
}

export function holdLive(options: LiveOptions): Promise<Verdict> {
  return withLive(options, (court) => hold(court, options));
}

async function withFollowed<T>(rpc: string, use: (followed: Followed) => Promise<T>): Promise<T> {
  const followed = await followHere([entryOf([rpc])]);
  try {
    return await use(followed);
  } finally {
    await followed.stop();
  }
}
