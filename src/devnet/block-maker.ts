/**
 * Makes the next block of one chain: has its issuer build it on the last accepted state, wraps it, and executes it over the view like those of
 * any source.
 */

import type { Logger } from "pino";
import { formatId } from "../base/bytes/cb58.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../base/bytes/id.ts";
import { FirnError } from "../base/errors/errors.ts";
import type { BuildContext, BuiltBlock, ChainIssuer } from "../chains/mempool/issuer.ts";
import type { NodeChains } from "../ingest/chains.ts";
import { executeStep, fetchRows, StopWatch } from "../ingest/steps.ts";
import { RuleError } from "../network/execution.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { StoreReader } from "../store/store.ts";
import { EvmDownError } from "./anvil/evm-error.ts";
import type { Containers, NextHeader } from "./containers.ts";
import type { DevnetClock } from "./devnet-clock.ts";
import type { EvmProduction } from "./evm/running-evms.ts";
import type { ProducerCommits, WholeSections } from "./producer-commits.ts";
import type { Uptimes } from "./uptimes.ts";

interface BlockMakerParts {
  readonly store: StoreReader;
  readonly network: NetworkInstance;
  readonly clock: DevnetClock;
  readonly uptimes: Uptimes;
  readonly log: Logger;
  readonly chains: NodeChains;
  readonly containers: Containers;
  readonly commits: ProducerCommits;
  readonly sections: WholeSections;
  /** of the chains whose EVMs run */
  readonly evms: ReadonlyMap<Id, EvmProduction>;
  /** called when a block of the P-chain was executed, which may create chains */
  onPlatformBlock(): void;
}

/** After this many consecutive defects of one chain, the others continue without it until the next round. */
const MOST_FAILURES = 16;

export class BlockMaker {
  readonly #parts: BlockMakerParts;

  constructor(parts: BlockMakerParts) {
    this.#parts = parts;
  }

  /**
   * Returns whether there was a block to build. If building fails, which is a defect, its transactions are dropped so that the next block
   * can be built.
   * @param failures consecutive defects by chain, which this counts
   */
  async makeNext(issuer: ChainIssuer, failures: Map<Id, number>): Promise<boolean> {
    const { sections, evms, commits, log } = this.#parts;
    const { chainId } = issuer;
    while ((failures.get(chainId) ?? 0) < MOST_FAILURES) {
      let txIds: readonly Id[] = [];
      try {
        const attempt = sections.run(async () => {
          const header = this.nextHeader(chainId);
          const built = await this.#buildOne(issuer, header);
          if (built === undefined) return false;
          txIds = built.txIds;
          evms.get(chainId)?.changed();
          await this.#execute(issuer, built, header);
          return true;
        }, isRefusal);
        return await attempt;
      } catch (error) {
        if (!isRefusal(error) || !commits.areSound) throw error;
        if (error instanceof RuleError && txIds.length === 0 && error.txId !== undefined) txIds = [error.txId];
        log.error({ err: error, chain: formatId(chainId), txIds: txIds.map(formatId) }, "Dropped a block that could not be built");
        const isDown = error instanceof EvmDownError;
        await this.#giveUp(issuer, isDown ? [] : txIds, error.message);
        // the next child asks for another round
        if (isDown) return false;
        failures.set(chainId, txIds.length === 0 ? MOST_FAILURES : (failures.get(chainId) ?? 0) + 1);
      }
    }
    return false;
  }

  async #buildOne(issuer: ChainIssuer, header: NextHeader): Promise<BuiltBlock | undefined> {
    const { store, chains } = this.#parts;
    await fetchRows(store, chains.view, issuer.buildKeys());
    return chains.view.tryOut(() => issuer.build(this.context(header)));
  }

  /** Executes a proposal together with its option, so that neither the store nor another block ever sees only one of them. */
  async #execute(issuer: ChainIssuer, built: BuiltBlock, header: NextHeader): Promise<void> {
    const { chains, sections } = this.#parts;
    const { chainId } = issuer;
    await this.#executeOne(issuer, built, header);
    if (chainId !== PLATFORM_CHAIN_ID || chains.platform.state.scalars.height === built.height) return;
    await sections.run(async () => {
      const option = await this.#buildOne(issuer, header);
      if (option === undefined || !option.isOption) throw new TypeError(`the proposal at height ${built.height} was not decided`);
      await this.#executeOne(issuer, option, header);
    });
  }

  async #executeOne(issuer: ChainIssuer, built: BuiltBlock, header: NextHeader): Promise<void> {
    const { store, clock, chains, containers, commits, sections, evms } = this.#parts;
    const { chainId } = issuer;
    const container = containers.wrap(chainId, built, header, ({ bytes }) => chains.parserOf(chainId)!(bytes).parentId);
    const step = chains.decode({ kind: "block", chainId, height: built.height, container, acceptedAt: clock.nanoseconds() });
    if (step === "not-yet") throw new TypeError(`chain ${chainId} builds blocks and is not there`);
    const project = await evms.get(chainId)?.prepare(built);
    await fetchRows(store, chains.view, step.keysRead());
    await executeStep(step, chains.view, store, new StopWatch());
    await sections.run(() => {
      project?.();
      commits.add(built.rows ?? []);
      containers.accepted(chainId, container, header);
      issuer.accepted(built);
      if (chainId === PLATFORM_CHAIN_ID) this.#parts.onPlatformBlock();
    });
    commits.report(step, built.height);
  }

  async #giveUp(issuer: ChainIssuer, txIds: readonly Id[], reason: string): Promise<void> {
    issuer.drop(txIds, reason);
    await this.#parts.evms.get(issuer.chainId)?.giveUp();
  }

  nextHeader(chainId: Id): NextHeader {
    const { containers, clock, chains } = this.#parts;
    return containers.next(chainId, clock.seconds(), chains.platform.state.scalars.height);
  }

  /** @param header of the block that is to be made */
  context(header: NextHeader): BuildContext {
    const { network, clock, uptimes, chains } = this.#parts;
    return {
      network,
      level: "full",
      clock: clock.seconds(),
      pChainHeight: header.epoch?.pChainHeight ?? header.pChainHeight,
      prefersCommit: (staker) => uptimes.prefersCommit(chains.platform.state, staker),
    };
  }
}

export function isRefusal(error: unknown): error is FirnError {
  return error instanceof FirnError;
}
