/** Measures how far each chain and its source are, for the health checks. Remembers since when a height has not changed. */

import { formatId } from "../../base/bytes/cb58.ts";
import { EMPTY_ID, type Id, PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../../base/bytes/id.ts";
import { platformChains } from "../../chains/platform/tables.ts";
import { blocks, sourceState, sourceTips } from "../../index/tables.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { isStandalone } from "../../network/standalone.ts";
import { silentSeconds } from "../../store/live-rows.ts";
import type { StoreReader } from "../../store/store.ts";
import type { ChainHeight, CommittedState, CommittedStates, EvmChainHeight } from "./committed-states.ts";
import { type EvmUpstream, lagOfEvmChain } from "./evm-progress.ts";
import type { Clock } from "./health-checks.ts";

export interface ChainProgress {
  /** alias or blockchain ID; for an EVM chain, its EVM chain ID */
  readonly name: string;
  /** for an EVM chain, which may have none, a name that no blockchain has */
  readonly chainId: Id;
  /** ID of its subnet as text, which is the tag of its check */
  readonly subnet: string;
  /** whether the store holds it */
  readonly isServed: boolean;
  /** whether the node is useless without it */
  readonly isRequired: boolean;
  /** why nothing is known */
  readonly problem?: string | undefined;
  readonly height: bigint;
  /** ID of the last block's proposervm container; the block's own if a node gave the block without it */
  readonly lastContainerId: Id;
  readonly lastBlockAgeSeconds?: number;
  /** 0 if the source is not known to have more */
  readonly blocksBehind: bigint;
  readonly secondsBehind: number;
  readonly secondsWithoutProgress: number;
  /** EVM chains only: number of transactions without call trace, up to MOST_UNTRACED */
  readonly untraced?: number;
  /** EVM chains only */
  readonly upstreams?: readonly EvmUpstream[];
}

export class ProgressObserver {
  readonly #states: CommittedStates;
  readonly #clock: Clock;
  readonly #stillSince = new Map<string, { height: bigint; since: bigint }>();
  /** chains that must or may exist, before anything is known about them */
  readonly #expected: readonly ChainProgress[];
  #known: readonly ChainProgress[];

  constructor(states: CommittedStates, network: NetworkInstance, clock: Clock) {
    this.#states = states;
    this.#clock = clock;
    const primary = { subnet: formatId(PRIMARY_NETWORK_ID), ...NOTHING };
    // A source may lack the C-chain; only P and X are required
    this.#expected = isStandalone(network)
      ? []
      : [
          { name: "P", chainId: PLATFORM_CHAIN_ID, isRequired: true, ...primary },
          { name: "X", chainId: network.xChainId, isRequired: true, ...primary },
          { name: "C", chainId: network.cChainId, isRequired: false, ...primary },
        ];
    this.#known = this.#expected;
  }

  /** Never rejects: if the store does not answer, every known chain reports the problem. */
  async observe(): Promise<readonly ChainProgress[]> {
    try {
      const served = await this.#states.use(async (state) => [
        ...(await Promise.all(state.chains.map((chain) => this.#progressOf(state, chain)))),
        ...(await Promise.all(state.evmChains.map((chain) => this.#evmProgressOf(state, chain)))).flat(),
      ]);
      const servedIds = new Set(served.map(({ chainId }) => chainId));
      this.#known = [...served, ...this.#expected.filter(({ chainId }) => !servedIds.has(chainId))];
      return this.#known;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      return this.#known.map((chain) => ({ ...chain, problem }));
    }
  }

  async #progressOf({ reader }: CommittedState, chain: ChainHeight): Promise<ChainProgress> {
    const { chainId, height, alias: name } = chain;
    const now = this.#clock.now();
    const { block, blocksBehind, secondsBehind, problem } = await lagOfChain(reader, chain);
    const isPrimary = name === "P" || name === "X" || name === "C";
    const subnetId = isPrimary ? PRIMARY_NETWORK_ID : (await reader.get(platformChains, { chainId }))?.subnetId;
    return {
      name,
      chainId,
      subnet: formatId(subnetId ?? PRIMARY_NETWORK_ID),
      isServed: true,
      isRequired: isPrimary,
      problem,
      height,
      lastContainerId: (block?.containerId === EMPTY_ID ? block.blockId : block?.containerId) ?? EMPTY_ID,
      ...(block && { lastBlockAgeSeconds: secondsBetween(block.acceptedAt, now) }),
      blocksBehind,
      secondsBehind,
      secondsWithoutProgress: secondsBetween(this.#stillSinceOf(chainId, height, now), now),
    };
  }

  /** Returns nothing for a chain whose blocks are made here, because it is also listed as a chain of the primary network. */
  async #evmProgressOf({ reader }: CommittedState, chain: EvmChainHeight): Promise<ChainProgress[]> {
    const { alias: name, height, hash, timestamp } = chain;
    const lag = await lagOfEvmChain(reader, chain);
    if (lag === undefined) return [];
    const now = this.#clock.now();
    const chainId = `evm ${name}`;
    return [
      {
        name,
        chainId,
        subnet: name,
        isServed: true,
        isRequired: false,
        height,
        lastContainerId: hash,
        lastBlockAgeSeconds: secondsBetween(timestamp * 1_000_000_000n, now),
        secondsWithoutProgress: secondsBetween(this.#stillSinceOf(chainId, height, now), now),
        ...lag,
      },
    ];
  }

  #stillSinceOf(chainId: string, height: bigint, now: bigint): bigint {
    const known = this.#stillSince.get(chainId);
    if (known?.height === height) return known.since;
    this.#stillSince.set(chainId, { height, since: now });
    return now;
  }
}

/** How far the index is behind its source's last known block. While no node answers, the chain's progress is unknown. */
export async function lagOfChain(reader: StoreReader, { chainId, height }: Pick<ChainHeight, "chainId" | "height">) {
  const [block, tip, source] = await Promise.all([
    reader.get(blocks, { chainId, height }),
    reader.get(sourceTips, { chainId }),
    reader.get(sourceState, { slot: 0 }),
  ]);
  const isBehind = tip !== undefined && tip.height > height;
  const known = isBehind ? secondsBetween(block?.acceptedAt ?? 0n, tip.acceptedAt) : 0;
  const silent = source === undefined ? 0 : silentSeconds(source.seenAt);
  const problem = source?.problem || (silent > 0 ? `no upstream node has answered for ${silent}s` : undefined);
  return { block, tip, blocksBehind: isBehind ? tip.height - height : 0n, secondsBehind: Math.max(known, silent), problem };
}

export async function secondsBehindSource(reader: StoreReader, chain: Pick<ChainHeight, "chainId" | "height">): Promise<number> {
  return (await lagOfChain(reader, chain)).secondsBehind;
}

const NOTHING = {
  isServed: false,
  height: 0n,
  lastContainerId: EMPTY_ID,
  blocksBehind: 0n,
  secondsBehind: 0,
  secondsWithoutProgress: 0,
} as const;

function secondsBetween(earlier: bigint, later: bigint): number {
  return later > earlier ? Number((later - earlier) / 1_000_000_000n) : 0;
}
