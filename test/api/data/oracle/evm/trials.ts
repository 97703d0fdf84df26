/** The chains that the oracle checks: recorded ones, and a live one on which the workload runs while it is indexed. */

import { formatId, parseId } from "../../../../../src/base/bytes/cb58.ts";
import { EMPTY_ID } from "../../../../../src/base/bytes/id.ts";
import { type EvmChainEntry, entryOf } from "../../../../../src/evm/chain-entry.ts";
import { type Followed, followHere } from "../../../../conformance/evm/followed.ts";
import { readEvmRecording } from "../../../../conformance/evm/recording.ts";
import { USUAL_FAULTS } from "../../../../conformance/evm/run-evm.ts";
import { type Anvil, startAnvil } from "../../../../evm/anvil.ts";
import { startReplayRpc } from "../../../../evm/replay-rpc/replay-rpc.ts";
import { runWorkload } from "../../../../evm/workload/run-workload.ts";
import type { OracleCourt } from "./case-maker.ts";
import { openCourt } from "./court.ts";
import { reindexNfts } from "./reindex-nfts.ts";

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
    enabledFeatures: ["nftIndexing", "teleporter"],
  };
  return { chain, chainNames: [chainId, BLOCKCHAIN_ID] };
}

function ercTypesOf(contracts: readonly { readonly address: string; readonly erc: string }[]): ReadonlyMap<string, string> {
  return new Map(contracts.map(({ address, erc }) => [address, erc]));
}

/** A chain that is indexed, and what it is held against. */
export interface Trial {
  readonly court: OracleCourt;
  close(): Promise<void>;
}

/** Indexed from a node that misbehaves; the oracle asks it when it no longer does. */
export async function openRecorded(folder: string): Promise<Trial> {
  const { chainId, states, contracts } = readEvmRecording(folder);
  const rpc = await startReplayRpc({ recording: folder, faults: USUAL_FAULTS });
  return opened(rpc, rpc.url, async ({ url, indexedTo }) => {
    await indexedTo(chainId, rpc.head);
    rpc.setFaults({});
    const stateHeights = states.map(({ height }) => height);
    return openCourt({ url, rpc: rpc.url, ...shownAs(chainId), ercTypes: ercTypesOf(contracts), stateHeights });
  });
}

export interface LiveOptions {
  /** of the workload */
  readonly seed: number;
  readonly txs: number;
}

/** The workload runs on a development node while Firn follows it, from before the first transaction on. */
export async function openLive({ seed, txs }: LiveOptions): Promise<Trial> {
  const anvil = await startAnvil({ args: ["--no-mining"] });
  return opened({ close: () => anvil.stop() }, anvil.wsUrl, async ({ url, indexedTo }) => {
    const { contracts } = await runWorkload({ rpc: anvil.url, seed: `${seed}`, txs });
    const chainId = `${Number(await anvil.call("eth_chainId"))}`;
    await indexedTo(chainId, Number(await anvil.call("eth_blockNumber")));
    await reindexNfts(url, chainId, contracts);
    return openCourt({ url, rpc: anvil.url, ...shownAs(chainId), ercTypes: ercTypesOf(contracts) });
  });
}

/** A chain that `make` makes on a node while Firn follows it through the node's URL; none of its contracts answers what a token is asked. */
export async function openGrowing(
  node: { readonly url: string; readonly anvil: Anvil; close(): Promise<void> },
  make: () => Promise<void>,
): Promise<Trial> {
  return opened(node, node.url, async ({ url, indexedTo }) => {
    await make();
    const chainId = `${Number(await node.anvil.call("eth_chainId"))}`;
    await indexedTo(chainId, Number(await node.anvil.call("eth_blockNumber")));
    return openCourt({ url, rpc: node.anvil.url, ...shownAs(chainId) });
  });
}

async function opened(
  node: { close(): Promise<void> },
  rpc: string,
  courtOf: (followed: Followed) => Promise<OracleCourt>,
): Promise<Trial> {
  let followed: Followed | undefined;
  const close = async () => {
    await followed?.stop();
    await node.close();
  };
  try {
    followed = await followHere([entryFor(rpc)]);
    return { court: await courtOf(followed), close };
  } catch (error) {
    await close();
    throw error;
  }
}
