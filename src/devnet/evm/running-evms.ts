/** Starts the EVMs whose chains a producer makes blocks of: the C-chain's, and those of L1s once the blocks that create them are committed. */

import type { Id } from "../../base/bytes/id.ts";
import type { ChainIssuer } from "../../chains/mempool/issuer.ts";
import type { NodeChains } from "../../ingest/chains.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { Store } from "../../store/store.ts";
import { EvmIssuer } from "../anvil/pool/evm-issuer.ts";
import { L1Issuer } from "../anvil/pool/l1-issuer.ts";
import type { Containers } from "../containers.ts";
import type { WholeSections } from "../whole-sections.ts";
import type { EvmChains, RunningEvm } from "./evm-chains.ts";
import { EvmProduction } from "./evm-production.ts";

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
