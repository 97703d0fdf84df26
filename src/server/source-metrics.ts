/** Metrics of what the index is made from: the nodes of a followed network and of EVM chains, and what waits to be read from them. */
import { evmUpstreams } from "../evm/index/tables.ts";
import { evmContractQueue, evmNftQueue } from "../evm/index/token-tables.ts";
import type { CommittedState, EvmChainHeight } from "../node/committed-states.ts";
import { type FollowedSource, readFollowedSource, secondsSince } from "../node/followed-source.ts";
import type { Gauge } from "./metrics.ts";

export interface SourceFacts {
  /** undefined: no process has followed the network into this store */
  readonly network: FollowedSource | undefined;
  readonly evmChains: readonly EvmSourceFacts[];
}

interface EvmSourceFacts {
  /** EVM chain ID */
  readonly name: string;
  readonly secondsSilent: number | undefined;
  readonly dueContracts: number;
  readonly dueNfts: number;
}

export const NO_SOURCES: SourceFacts = { network: undefined, evmChains: [] };

const STATES = ["used", "resting", "refused"] as const;
/** counting stops here */
const MOST_DUE = 1000;

/** From rows that the process which follows the chains writes, so any process can read them. */
export async function readSourceFacts({ reader, evmChains }: Pick<CommittedState, "reader" | "evmChains">): Promise<SourceFacts> {
  const ofChain = async ({ chain, alias: name }: EvmChainHeight): Promise<EvmSourceFacts> => {
    const due = { prefix: { chain }, until: { dueAt: BigInt(Math.floor(Date.now() / 1000)) + 1n }, limit: MOST_DUE };
    const [upstream, contracts, nfts] = await Promise.all([
      reader.get(evmUpstreams, { chain }),
      reader.scan(evmContractQueue, due),
      reader.scan(evmNftQueue, due),
    ]);
    return { name, secondsSilent: upstream && secondsSince(upstream.seenAt), dueContracts: contracts.length, dueNfts: nfts.length };
  };
  return { network: await readFollowedSource(reader), evmChains: await Promise.all(evmChains.map(ofChain)) };
}

export function sourceGauges({ network, evmChains }: SourceFacts): Gauge[] {
  const upstreams = network?.upstreams ?? [];
  const silent = [{ name: "network", secondsSilent: network?.secondsSilent }, ...evmChains];
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
      help: "1 for the state that a node of the followed network is in: used, resting after failures, or refused for what it said.",
      values: upstreams.flatMap(({ name, state }) =>
        STATES.map((one) => ({ labels: { upstream: name, state: one }, value: one === state ? 1 : 0 })),
      ),
    },
    {
      name: "firn_upstream_failed_requests",
      help: "Consecutive messages to a node of the followed network without a usable answer.",
      values: upstreams.map(({ name, failures }) => ({ labels: { upstream: name }, value: failures })),
    },
    {
      name: "firn_upstream_height_blocks",
      help: "Newest block that a node of the followed network has.",
      values: upstreams.flatMap(({ name, heights }) =>
        Object.entries(heights).map(([chain, height]) => ({ labels: { upstream: name, chain }, value: BigInt(height) })),
      ),
    },
    {
      name: "firn_chain_due_contracts",
      help: "Contracts of an EVM chain that wait to be asked for their names, up to 1000.",
      values: evmChains.map(({ name, dueContracts }) => ({ labels: { chain: name }, value: dueContracts })),
    },
    {
      name: "firn_chain_due_nfts",
      help: "NFTs of an EVM chain whose metadata waits to be read, up to 1000.",
      values: evmChains.map(({ name, dueNfts }) => ({ labels: { chain: name }, value: dueNfts })),
    },
  ];
}
