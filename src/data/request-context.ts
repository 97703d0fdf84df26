/** The context of one request: one committed state, the chain of its path, and the page that it asks for. */
import type { PrimaryChain } from "../index/primary/primary-chain.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { HealthReports } from "../rpc/health/report.ts";
import type { Uptimes } from "../rpc/info/node-facts.ts";
import type { CommittedState } from "../server/committed-states.ts";
import type { StoreReader } from "../store/store.ts";
import type { DataContext, DataSettings, Position } from "./context.ts";
import type { EvmChain, EvmChainDirectory } from "./evm/evm-chain.ts";
import type { NetworkLabel } from "./network-labels.ts";
import type { PathChains } from "./registered-route.ts";

/** The same for all requests of a process. */
export interface ServingContext {
  readonly settings: DataSettings;
  readonly network: NetworkInstance;
  readonly label: NetworkLabel;
  /** Unix seconds at which answers that depend on the clock are given */
  clock(): bigint;
  /** undefined: nothing here measures them */
  readonly uptimes?: Uptimes | undefined;
  reports(): HealthReports;
  /** undefined: there are none */
  readonly evmChains?: EvmChainDirectory | undefined;
}

/** Chains as a request sees them. */
export interface RequestedChains extends PathChains {
  readonly evm?: EvmChain | undefined;
  /** in order of their IDs */
  readonly allEvm: readonly EvmChain[];
  isAvailable(chain: EvmChain): boolean;
  /** whether `isAvailable` is a question of time */
  readonly canExpire: boolean;
}

/** The page that a request asks for, and how the token of the next one is made. */
export interface RequestedPage {
  readonly after: Position | undefined;
  seal(position: Position): string;
}

const LAST_PAGE = {};

export class RequestContext implements DataContext {
  readonly reader: StoreReader;
  readonly #serving: ServingContext;
  readonly #state: CommittedState;
  readonly #chains: RequestedChains;
  readonly #page: RequestedPage;
  #clock: bigint | undefined;
  /** health, or the age of an index */
  #hasReadHealth = false;

  constructor(serving: ServingContext, state: CommittedState, chains: RequestedChains, page: RequestedPage) {
    this.reader = state.reader;
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

  get chain(): PrimaryChain {
    if (this.#chains.primary === undefined) throw new Error("the route names no chains, so its requests have none");
    return this.#chains.primary;
  }

  get evmChain(): EvmChain {
    if (this.#chains.evm === undefined) throw new Error("the route is not of one EVM chain, so its requests have none");
    return this.#chains.evm;
  }

  get evmChains(): readonly EvmChain[] {
    return this.#chains.allEvm;
  }

  isAvailable(chain: EvmChain): boolean {
    if (this.#chains.canExpire) this.#hasReadHealth = true;
    return this.#chains.isAvailable(chain);
  }

  /** The same throughout a request. */
  get clock(): bigint {
    this.#clock ??= this.#serving.clock();
    return this.#clock;
  }

  get generation(): number | undefined {
    return this.#state.generation;
  }

  get platformHeight(): bigint {
    return this.#state.chains.find(({ alias }) => alias === "P")?.height ?? 0n;
  }

  /** Whether the answer will be the same until the state changes: it was made without the clock and what the server knows of itself. */
  get isOfState(): boolean {
    return this.#clock === undefined && !this.#hasReadHealth;
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
    return this.#state.cache.get(`data ${name}`, make);
  }
}
