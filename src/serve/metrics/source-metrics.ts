/** Metrics of what the index is made from: the nodes of a followed network and of EVM chains, and what waits to be read from them. */

import type { CommittedState, EvmChainHeight } from "../../api/state/committed-states.ts";
import { type EvmUpstream, readEvmUpstreams } from "../../api/state/evm-progress.ts";
import {
  type FollowedSource,
  readFollowedSource,
  readSourceQueue,
  type SourceQueue,
  secondsSince,
} from "../../api/state/followed-source.ts";
import { evmReorganisations, evmUpstreams } from "../../evm/index/tables.ts";
import { evmContractQueue, evmNftQueue } from "../../evm/index/token-tables.ts";
import type { UpstreamStatus } from "../../sources/source.ts";
import type { Gauge } from "./metrics.ts";

export interface SourceFacts {
  /** undefined: no process has followed the network into this store */
  readonly network: FollowedSource | undefined;
  readonly queues: readonly (SourceQueue & { readonly chain: string })[];
  readonly evmChains: readonly EvmSourceFacts[];
}

interface EvmSourceFacts {
  /** EVM chain ID */
  readonly name: string;
  readonly secondsSilent: number | undefined;
  readonly upstreams: readonly EvmUpstream[];
  readonly prefetched: number;
  readonly reorganisations: { readonly count: bigint; readonly blocks: bigint; readonly deepest: bigint };
  readonly dueContracts: number;
  readonly dueNfts: number;
}

export const NO_SOURCES: SourceFacts = { network: undefined, queues: [], evmChains: [] };

const STATES = ["used", "resting", "refused"] as const;
/** counting stops here */
const MOST_DUE = 1000;

/** From rows that the process which follows the chains writes, so any process can read them. */
export async function readSourceFacts({
  reader,
  chains,
  evmChains,
}: Pick<CommittedState, "reader" | "chains" | "evmChains">): Promise<SourceFacts> {
  const queues = chains.map(async ({ alias: chain, chainId }) => {
    const queue = await readSourceQueue(reader, chainId);
    return queue === undefined ? [] : [{ chain, ...queue }];
  });
  return {
    network: await readFollowedSource(reader),
    queues: (await Promise.all(queues)).flat(),
    evmChains: await Promise.all(evmChains.map((chain) => readEvmSource(reader, chain))),
  };
}

async function readEvmSource(reader: CommittedState["reader"], { chain, alias: name }: EvmChainHeight): Promise<EvmSourceFacts> {
  const due = { prefix: { chain }, until: { dueAt: BigInt(Math.floor(Date.now() / 1000)) + 1n }, limit: MOST_DUE };
  const [upstream, nodes, reorganisations, contracts, nfts] = await Promise.all([
    reader.get(evmUpstreams, { chain }),
    readEvmUpstreams(reader, chain),
    reader.get(evmReorganisations, { chain }),
    reader.scan(evmContractQueue, due),
    reader.scan(evmNftQueue, due),
  ]);
  return {
    name,
    secondsSilent: upstream && secondsSince(upstream.seenAt),
    ...nodes,
    reorganisations: reorganisations ?? { count: 0n, blocks: 0n, deepest: 0n },
    dueContracts: contracts.length,
    dueNfts: nfts.length,
  };
}

export function sourceGauges({ network, queues, evmChains }: SourceFacts): Gauge[] {
  const ofNetwork = network?.upstreams ?? [];
  const upstreams = [
    ...ofNetwork.map((upstream) => ({ source: "network", ...upstream })),
    ...evmChains.flatMap(({ name, upstreams }) => upstreams.map((upstream) => ({ ...upstream, source: name }))),
  ];
  const labelsOf = ({ source, name }: { source: string; name: string }) => ({ source, upstream: name });
  const silent = [{ name: "network", secondsSilent: network?.secondsSilent }, ...evmChains];
  const ofPeers = (value: (peers: NonNullable<UpstreamStatus["peers"]>) => number | undefined) =>
    ofNetwork.flatMap(({ peers }) => {
      const found = peers && value(peers);
      return found === undefined ? [] : [{ labels: {}, value: found }];
    });
  const ofEvmChains = (value: (chain: EvmSourceFacts) => number | bigint) =>
    evmChains.map((chain) => ({ labels: { chain: chain.name }, value: value(chain) }));
  return [
    {
      name: "firn_source_silent_seconds",
      help: "Time since a node of the followed network, or of an EVM chain, last answered. Written every ten seconds while nodes answer.",
      values: silent.flatMap(({ name, secondsSilent }) =>
        secondsSilent === undefined ? [] : [{ labels: { source: name }, value: secondsSilent }],
      ),
    },
    {
      name: "firn_upstream_state_boolean",
      help: "1 for the state that a node of the followed network, or of an EVM chain, is in: used, resting after failures, or refused for what it said.",
      values: upstreams.flatMap((upstream) =>
        STATES.map((state) => ({ labels: { ...labelsOf(upstream), state }, value: state === upstream.state ? 1 : 0 })),
      ),
    },
    {
      name: "firn_upstream_failed_requests",
      help: "Consecutive messages to a node without a usable answer.",
      values: upstreams.map((upstream) => ({ labels: labelsOf(upstream), value: upstream.failures })),
    },
    {
      name: "firn_upstream_errors_total",
      type: "counter",
      help: "Messages to a node that failed, by kind, since the process that follows it began. Written every ten seconds.",
      values: upstreams.flatMap((upstream) =>
        Object.entries(upstream.errors ?? {}).map(([kind, value]) => ({ labels: { ...labelsOf(upstream), kind }, value })),
      ),
    },
    {
      name: "firn_connected_peers",
      help: "Peers of the followed network that are connected.",
      values: ofPeers(({ connected }) => connected),
    },
    {
      name: "firn_connected_stake_ratio",
      help: "Share of the validators' stake that is connected. Below three quarters blocks come late; below two thirds none come.",
      values: ofPeers(({ validators }) => validators?.connectedShare),
    },
    {
      name: "firn_peers_received_bytes_total",
      type: "counter",
      help: "Bytes that came from peers, since the process that follows them began.",
      values: ofPeers(({ bytesReceived }) => bytesReceived),
    },
    {
      name: "firn_peers_sent_bytes_total",
      type: "counter",
      help: "Bytes that were sent to peers, since the process that follows them began.",
      values: ofPeers(({ bytesSent }) => bytesSent),
    },
    {
      name: "firn_upstream_height_blocks",
      help: "Newest block that a node of the followed network has.",
      values: ofNetwork.flatMap(({ name, heights }) =>
        Object.entries(heights).map(([chain, height]) => ({ labels: { upstream: name, chain }, value: BigInt(height) })),
      ),
    },
    {
      name: "firn_chain_prefetched_blocks",
      help: "Blocks that were read from nodes ahead of the index.",
      values: [
        ...queues.map(({ chain, prefetched }) => ({ labels: { chain }, value: prefetched })),
        ...ofEvmChains(({ prefetched }) => prefetched),
      ],
    },
    {
      name: "firn_chain_waiting_blocks",
      help: "Blocks of a followed network that import what another chain has yet to export, and blocks behind them.",
      values: queues.map(({ chain, waiting }) => ({ labels: { chain }, value: waiting })),
    },
    {
      name: "firn_chain_reorganisations_total",
      type: "counter",
      help: "Times that an EVM chain replaced indexed blocks since it was first indexed.",
      values: ofEvmChains(({ reorganisations }) => reorganisations.count),
    },
    {
      name: "firn_chain_replaced_blocks_total",
      type: "counter",
      help: "Indexed blocks that an EVM chain replaced since it was first indexed.",
      values: ofEvmChains(({ reorganisations }) => reorganisations.blocks),
    },
    {
      name: "firn_chain_deepest_reorganisation_blocks",
      help: "Most indexed blocks that an EVM chain replaced at once.",
      values: ofEvmChains(({ reorganisations }) => reorganisations.deepest),
    },
    {
      name: "firn_chain_due_contracts",
      help: "Contracts of an EVM chain that wait to be asked for their names, up to 1000.",
      values: ofEvmChains(({ dueContracts }) => dueContracts),
    },
    {
      name: "firn_chain_due_nfts",
      help: "NFTs of an EVM chain whose metadata waits to be read, up to 1000.",
      values: ofEvmChains(({ dueNfts }) => dueNfts),
    },
  ];
}
