/** How far each chain is, and how far its source: what the checks of chains judge. Remembers since when a height stands still. */

import { blocks, sourceTips } from "../index/tables.ts";
import type { NetworkInstance } from "../network/network.ts";
import { isStandalone } from "../network/standalone.ts";
import { platformChains } from "../platform/tables.ts";
import { formatId } from "../primitives/cb58.ts";
import { EMPTY_ID, type Id, PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../primitives/id.ts";
import type { Clock } from "../rpc/health/check-set.ts";
import type { StoreReader } from "../store/store.ts";
import type { ChainHeight, CommittedState, CommittedStates, EvmChainHeight } from "./committed-states.ts";
import { lagOfEvmChain } from "./evm-progress.ts";

export interface ChainProgress {
  /** alias, or blockchain ID; of an EVM chain its EVM chain ID */
  readonly name: string;
  /** of an EVM chain, which may have none, a name that no blockchain has */
  readonly chainId: Id;
  /** ID of its subnet as text: the tag of its check */
  readonly subnet: string;
  /** the store holds it */
  readonly isServed: boolean;
  /** the node is of no use without it */
  readonly isRequired: boolean;
  /** why nothing is known */
  readonly problem?: string | undefined;
  readonly height: bigint;
  /** ID of the last block with its proposervm wrapper */
  readonly lastContainerId: Id;
  readonly lastBlockAgeSeconds?: number;
  /** 0 if the source is not known to have more */
  readonly blocksBehind: bigint;
  readonly secondsBehind: number;
  readonly secondsWithoutProgress: number;
}

export class ProgressObserver {
  readonly #states: CommittedStates;
  readonly #clock: Clock;
  readonly #stillSince = new Map<string, { height: bigint; since: bigint }>();
  /** chains that there must be or may be, before anything is known of them */
  readonly #expected: readonly ChainProgress[];
  #known: readonly ChainProgress[];

  constructor(states: CommittedStates, network: NetworkInstance, clock: Clock) {
    this.#states = states;
    this.#clock = clock;
    const primary = { subnet: formatId(PRIMARY_NETWORK_ID), ...NOTHING };
    // A source may lack the C-chain: P and X are what there must be
    this.#expected = isStandalone(network)
      ? []
      : [
          { name: "P", chainId: PLATFORM_CHAIN_ID, isRequired: true, ...primary },
          { name: "X", chainId: network.xChainId, isRequired: true, ...primary },
          { name: "C", chainId: network.cChainId, isRequired: false, ...primary },
        ];
    this.#known = this.#expected;
  }

  /** Never rejects: if the store does not answer, every chain known so far says why. */
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
    const { block, blocksBehind, secondsBehind } = await lagOf(reader, chain);
    const isPrimary = name === "P" || name === "X" || name === "C";
    const subnetId = isPrimary ? PRIMARY_NETWORK_ID : (await reader.get(platformChains, { chainId }))?.subnetId;
    return {
      name,
      chainId,
      subnet: formatId(subnetId ?? PRIMARY_NETWORK_ID),
      isServed: true,
      isRequired: isPrimary,
      height,
      lastContainerId: block?.containerId ?? EMPTY_ID,
      ...(block && { lastBlockAgeSeconds: secondsBetween(block.acceptedAt, now) }),
      blocksBehind,
      secondsBehind,
      secondsWithoutProgress: secondsBetween(this.#stillSinceOf(chainId, height, now), now),
    };
  }

  /** None of a chain whose blocks are made here: it is a chain of the primary network too. */
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

/** How far the index is behind what its source is known to have. */
async function lagOf(reader: StoreReader, { chainId, height }: Pick<ChainHeight, "chainId" | "height">) {
  const block = await reader.get(blocks, { chainId, height });
  const tip = await reader.get(sourceTips, { chainId });
  if (tip === undefined || tip.height <= height) return { block, blocksBehind: 0n, secondsBehind: 0 };
  return { block, blocksBehind: tip.height - height, secondsBehind: secondsBetween(block?.acceptedAt ?? 0n, tip.acceptedAt) };
}

export async function secondsBehindSource(reader: StoreReader, chain: Pick<ChainHeight, "chainId" | "height">): Promise<number> {
  return (await lagOf(reader, chain)).secondsBehind;
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
