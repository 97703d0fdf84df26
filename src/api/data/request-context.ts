/** The context of one request: one committed state, the chain of its path, and the requested page. */

import type { Limits } from "../../base/limits.ts";
import type { RequestWork } from "../../base/work/request-work.ts";
import type { Pictures } from "../../evm/nft/pictures.ts";
import { chainIdOf, P_CHAIN, type PrimaryChain } from "../../index/primary/primary-chain.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { BudgetedReader } from "../../store/budgeted-reader.ts";
import type { StoreReader } from "../../store/store.ts";
import type { CommittedState } from "../state/committed-states.ts";
import type { HealthReports } from "../state/health/report.ts";
import type { Uptimes } from "../state/node-facts.ts";
import type { DataContext, DataSettings, Position } from "./context.ts";
import type { EvmChain, EvmChainDirectory } from "./evm/evm-chain.ts";
import type { KeptParts } from "./kept-parts.ts";
import type { Lasting } from "./lasting.ts";
import type { NetworkLabel } from "./network-labels.ts";
import type { PathChains } from "./registered-route.ts";

/** What all requests of a process share. */
export interface ServingContext {
  readonly settings: DataSettings;
  readonly network: NetworkInstance;
  readonly limits: Limits;
  readonly label: NetworkLabel;
  /** Unix seconds, for answers that depend on the time */
  clock(): bigint;
  /** by how many seconds the clock of a devnet's state is ahead of the machine's; undefined: this is no devnet */
  readonly clockOffset?: ((reader: StoreReader) => Promise<bigint>) | undefined;
  readonly parts: KeptParts;
  readonly pictures: Pictures;
  /** undefined: uptimes are not measured here */
  readonly uptimes?: Uptimes | undefined;
  reports(): HealthReports;
  /** undefined: this server has no EVM chains */
  readonly evmChains?: EvmChainDirectory | undefined;
}

/** The chains of a request. */
export interface RequestedChains extends PathChains {
  readonly evm?: EvmChain | undefined;
  /** in order of their IDs */
  readonly allEvm: readonly EvmChain[];
  isAvailable(chain: EvmChain): boolean;
  /** whether the result of `isAvailable` depends on the time */
  readonly canExpire: boolean;
}

/** The requested page, and how to make the token of the next one. */
export interface RequestedPage {
  readonly after: Position | undefined;
  seal(position: Position): string;
}

const LAST_PAGE = {};

export class DataRequestContext implements DataContext {
  readonly reader: StoreReader;
  readonly work: RequestWork;
  readonly #serving: ServingContext;
  readonly #state: CommittedState;
  readonly #chains: RequestedChains;
  readonly #page: RequestedPage;
  #clock: bigint | undefined;
  /** whether the handler read health or the age of an index */
  #hasReadHealth = false;

  constructor(serving: ServingContext, state: CommittedState, work: RequestWork, chains: RequestedChains, page: RequestedPage) {
    this.reader = new BudgetedReader(state.reader, work, serving.limits);
    this.work = work;
    this.#serving = serving;
    this.#state = state;
    this.#chains = chains;
    this.#page = page;
  }

  get settings(): DataSettings {
    return this.#serving.settings;
  }

  get network(): NetworkInstance {
    return this.#serving.network;
  }

  get label(): NetworkLabel {
    return this.#serving.label;
  }

  /** For routes that name `chains`. */
  get chain(): PrimaryChain | undefined {
    return this.#chains.primary;
  }

  /** For routes with `evm: "chain"`. */
  get evmChain(): EvmChain | undefined {
    return this.#chains.evm;
  }

  get evmChains(): readonly EvmChain[] {
    return this.#chains.allEvm;
  }

  isAvailable(chain: EvmChain): boolean {
    if (this.#chains.canExpire) this.#hasReadHealth = true;
    return this.#chains.isAvailable(chain);
  }

  /** Stays the same throughout a request. */
  get clock(): bigint {
    this.#clock ??= this.#serving.clock();
    return this.#clock;
  }

  get generation(): number | undefined {
    return this.#state.generation;
  }

  get platformHeight(): bigint {
    return this.heightOf(P_CHAIN) ?? 0n;
  }

  heightOf(chain: PrimaryChain): bigint | undefined {
    const chainId = chainIdOf(chain, this.network);
    return this.#state.chains.find((one) => one.chainId === chainId)?.height;
  }

  get clockOffset(): Promise<bigint> | undefined {
    return this.#serving.clockOffset?.(this.reader);
  }

  get pictures(): Pictures {
    return this.#serving.pictures;
  }

  get parts(): KeptParts {
    return this.#serving.parts;
  }

  /** How long the answer stays the same; undefined: it is not known, since the server's health is in it. */
  get lasting(): Lasting | undefined {
    return this.#hasReadHealth ? undefined : { clock: this.#clock };
  }

  get health(): HealthReports {
    this.#hasReadHealth = true;
    return this.#serving.reports();
  }

  get uptimes(): Uptimes | undefined {
    return this.#serving.uptimes;
  }

  get after(): Position | undefined {
    return this.#page.after;
  }

  nextPage(position: Position | undefined): { nextPageToken?: string } {
    return position === undefined ? LAST_PAGE : { nextPageToken: this.#page.seal(position) };
  }

  cached<T>(name: string, make: () => Promise<T>): Promise<T> {
    return this.#state.cache.get(`data ${name}`, this.work, make);
  }
}
