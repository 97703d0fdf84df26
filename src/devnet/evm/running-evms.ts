/** Starts the EVMs whose chains a producer makes blocks of: the C-chain's, and those of L1s once the blocks that create them are committed. */

import type { Id } from "../../base/bytes/id.ts";
import type { BuiltBlock, ChainIssuer } from "../../chains/mempool/issuer.ts";
import type { NodeChains } from "../../ingest/chains.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { Store } from "../../store/store.ts";
import type { DevelopmentEvm } from "../anvil/development-evm.ts";
import { EvmDownError } from "../anvil/evm-error.ts";
import { EvmIssuer } from "../anvil/pool/evm-issuer.ts";
import { L1Issuer } from "../anvil/pool/l1-issuer.ts";
import type { EvmEdit } from "../anvil/sealing/evm-edits.ts";
import type { Containers } from "../containers.ts";
import type { WholeSections } from "../producer-commits.ts";
import type { EvmChains, RunningEvm } from "./evm-chains.ts";
import { EvmIndexing, type EvmIndexingParts } from "./indexing.ts";

/** Number of existing blocks that are indexed per commit. */
const BLOCKS_PER_COMMIT = 32;

interface EvmProductionParts {
  readonly evm: DevelopmentEvm;
  readonly sections: WholeSections;
  commit(): Promise<void>;
}

/** The EVM's part in making blocks of its chain: what its child process has sealed, and the index of its blocks. */
export class EvmProduction {
  readonly #parts: EvmProductionParts;
  readonly #indexing: EvmIndexing;
  readonly #wake: () => void;
  /** the child has sealed a block, or edits, that are not committed */
  #isAhead = false;
  /** existing blocks were indexed but not committed */
  #hasIndexed = false;

  private constructor(parts: EvmProductionParts, indexing: EvmIndexing, wake: () => void) {
    this.#parts = parts;
    this.#indexing = indexing;
    this.#wake = wake;
  }

  static async open(parts: EvmProductionParts, indexingParts: EvmIndexingParts): Promise<EvmProduction> {
    return new EvmProduction(parts, await EvmIndexing.open(indexingParts), () => indexingParts.evm.wake());
  }

  /** Call this when the child has sealed a block or edited accounts. */
  changed(): void {
    this.#isAhead = true;
  }

  /** Reads what the index needs for edits before they are made. The returned function makes its rows. */
  prepareEdits(edits: readonly EvmEdit[]): Promise<() => void> {
    return this.#indexing.prepareEdits(edits);
  }

  committed(): void {
    if (this.#isAhead) this.#parts.evm.sealing.committed();
    if (this.#isAhead || this.#hasIndexed) this.#wake();
    this.#isAhead = false;
    this.#hasIndexed = false;
  }

  /** Discards what was sealed and edited since the last commit. */
  async abandon(): Promise<void> {
    if (this.#isAhead) await this.#parts.evm.rebuild();
    this.#isAhead = false;
  }

  /** Discards a block that the child may have sealed, and commits what was made before it. */
  async giveUp(): Promise<void> {
    this.#isAhead = false;
    await this.#parts.commit();
    await this.#parts.evm.rebuild();
  }

  /** Reads from the child what indexing the block needs, before the block is executed. The returned function makes the rows. */
  async prepare({ height, bytes }: BuiltBlock): Promise<() => void> {
    await this.indexMissing(height - 1n);
    return this.#indexing.prepare(bytes);
  }

  /** Indexes blocks that are not indexed, including genesis, while the child is up. Returns their number. */
  async indexMissing(height: bigint): Promise<number> {
    const { evm, sections, commit } = this.#parts;
    let count = 0;
    try {
      while (this.#indexing.isBehind(height) && evm.health().isUp) {
        await sections.run(await this.#indexing.prepare());
        this.#hasIndexed = true;
        if (++count % BLOCKS_PER_COMMIT === 0 && !this.#isAhead) await commit();
      }
    } catch (error) {
      if (!(error instanceof EvmDownError) || this.#isAhead) throw error;
    }
    return count;
  }
}

interface RunningEvmParts {
  readonly store: Store;
  readonly network: NetworkInstance;
  readonly evms: EvmChains;
  readonly chains: NodeChains;
  readonly containers: Containers;
  readonly sections: WholeSections;
  /** both gain an entry for each chain that is started */
  readonly productions: Map<Id, EvmProduction>;
  readonly issuers: Map<Id, ChainIssuer>;
  commit(): Promise<void>;
}

export class RunningEvms {
  readonly #parts: RunningEvmParts;
  /** L1s whose chains were opened, or cannot be */
  readonly #knownL1s = new Set<Id>();
  #hasStarted = false;

  constructor(parts: RunningEvmParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const { evms, network } = this.#parts;
    this.#hasStarted = true;
    const cChain = evms.running(network.cChainId);
    if (cChain !== undefined) await this.#run(cChain);
    await this.openL1s();
  }

  /** Starts the EVMs of L1s that are committed. */
  async openL1s(): Promise<void> {
    if (!this.#hasStarted) return;
    const { chains, evms, containers } = this.#parts;
    for (const row of chains.subnetEvms) {
      const { chainId } = row;
      if (this.#knownL1s.has(chainId)) continue;
      this.#knownL1s.add(chainId);
      const running = await evms.openL1(row);
      if (running === undefined) continue;
      const { timestamp } = chains.evmTip(chainId);
      if (!containers.has(chainId)) containers.start(chainId, undefined, timestamp);
      await this.#run(running);
    }
  }

  async #run({ spec, evm, chain, modes }: RunningEvm): Promise<void> {
    const { network, store, chains, sections, commit } = this.#parts;
    const { view, platform } = chains;
    const { chainId } = spec;
    const production = await EvmProduction.open({ evm, sections, commit }, { spec, store, view, evm: chain });
    const holdsBlocks = () => modes.isHeld;
    const l1 = chains.subnetEvmChains.find((one) => one.chainId === chainId);
    const issuer =
      l1 === undefined
        ? new EvmIssuer({ network, chain: chains.evm, evm, platform, holdsBlocks })
        : new L1Issuer({ chain: l1, evm, platform, holdsBlocks });
    this.#parts.productions.set(chainId, production);
    this.#parts.issuers.set(chainId, issuer as ChainIssuer);
  }
}
