/** Chains that the oracle is asked of: recorded ones, and a live one that the workload runs on while it is indexed. */
import { type EvmChainEntry, entryOf } from "../../../../src/evm/chain-entry.ts";
import { formatId, parseId } from "../../../../src/primitives/cb58.ts";
import { EMPTY_ID } from "../../../../src/primitives/id.ts";
import { type Followed, followHere } from "../../../conformance/evm/followed.ts";
import { readEvmRecording } from "../../../conformance/evm/recording.ts";
import { USUAL_FAULTS } from "../../../conformance/evm/run-evm.ts";
import { type Anvil, startAnvil } from "../../../evm/anvil.ts";
import { startReplayRpc } from "../../../evm/replay-rpc/replay-rpc.ts";
import { runWorkload } from "../../../evm/workload/run-workload.ts";
import type { OracleCourt } from "./case-maker.ts";
import { hold, openCourt, type TrialOptions, type Verdict } from "./court.ts";

/** What the operator says of the chain, and how it is shown then. */
const BLOCKCHAIN_ID = "2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5";
const SAID = {
  name: "Trial chain",
  description: "A chain on trial.",
  isTestnet: true,
  nativeToken: { name: "Coin", symbol: "COIN", decimals: 18, description: "The chain's own." },
  publicRpcUrl: "https://rpc.example.org/trial",
  explorerUrl: "https://explorer.example.org",
};

function entryFor(rpc: string): EvmChainEntry {
  return { ...entryOf([rpc]), ...SAID, blockchainId: parseId(BLOCKCHAIN_ID), subnetId: EMPTY_ID, vmId: EMPTY_ID };
}

function shownAs(chainId: string) {
  const { name: chainName, nativeToken: networkToken, publicRpcUrl: rpcUrl, ...others } = SAID;
  const ids = { platformChainId: BLOCKCHAIN_ID, subnetId: formatId(EMPTY_ID), vmId: formatId(EMPTY_ID), vmName: "EVM" };
  const chain = {
    ...others,
    ...ids,
    chainId,
    chainName,
    networkToken,
    rpcUrl,
    status: "OK",
    private: false,
    enabledFeatures: ["nftIndexing"],
  };
  return { chain, chainNames: [chainId, BLOCKCHAIN_ID] };
}

function ercTypesOf(contracts: readonly { readonly address: string; readonly erc: string }[]): ReadonlyMap<string, string> {
  return new Map(contracts.map(({ address, erc }) => [address, erc]));
}

/** Indexed from a node that misbehaves; the oracle asks it when it no longer does. */
export async function withRecorded<T>(folder: string, use: (court: OracleCourt) => Promise<T>): Promise<T> {
  const { chainId, states, contracts } = readEvmRecording(folder);
  const rpc = await startReplayRpc({ recording: folder, faults: USUAL_FAULTS });
  try {
    return await withFollowed(rpc.url, async (followed) => {
      await followed.indexedTo(chainId, rpc.head);
      rpc.setFaults({});
      const stateHeights = states.map(({ height }) => height);
      const known = { ...shownAs(chainId), ercTypes: ercTypesOf(contracts) };
      return use(await openCourt({ url: followed.url, rpc: rpc.url, ...known, stateHeights }));
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
      const { contracts } = await runWorkload({ rpc: anvil.url, seed: `${seed}`, txs });
      const chainId = `${Number(await anvil.call("eth_chainId"))}`;
      await followed.indexedTo(chainId, Number(await anvil.call("eth_blockNumber")));
      return use(await openCourt({ url: followed.url, rpc: anvil.url, ...shownAs(chainId), ercTypes: ercTypesOf(contracts) }), anvil);
    });
  } finally {
    await anvil.stop();
  }
}

export function holdLive(options: LiveOptions): Promise<Verdict> {
  return withLive(options, (court) => hold(court, options));
}

async function withFollowed<T>(rpc: string, use: (followed: Followed) => Promise<T>): Promise<T> {
  const followed = await followHere([entryFor(rpc)]);
  try {
    return await use(followed);
  } finally {
    await followed.stop();
  }
}
