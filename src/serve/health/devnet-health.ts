/** The health checks of a devnet: those of any node, and one of the C-chain's EVM that reacts at once when the EVM dies. */

import type { CommittedStates } from "../../api/state/committed-states.ts";
import type { HealthReports } from "../../api/state/health-report.ts";
import type { NodeIdentity } from "../../api/state/identity.ts";
import { NO_PEERS } from "../../api/state/node-facts.ts";
import { formatId } from "../../base/bytes/cb58.ts";
import type { Devnet } from "../../devnet/devnet.ts";
import type { L1 } from "../../devnet/evm/evm-chains.ts";
import type { IndexFacts } from "../metrics/process-metrics.ts";
import { diskUsage } from "../serving-store.ts";
import type { CheckedParts, HealthLimits } from "./health-checks.ts";
import { HealthMonitor } from "./health-monitor.ts";

interface DevnetHealthOptions {
  readonly identity: NodeIdentity;
  readonly states: CommittedStates;
  readonly dataDirectory: string;
  readonly healthLimits: HealthLimits;
  readonly healthCheckFrequencyMs: number;
}

/** How often the EVM is checked between two passes, in milliseconds. */
const EVM_LOOK_MS = 200;

export class DevnetHealth {
  reports: HealthReports = { health: [], readiness: [] };
  readonly #devnet: Devnet;
  readonly #options: DevnetHealthOptions;
  readonly #monitor: HealthMonitor;
  #lastProblem: string | undefined;
  #looks: NodeJS.Timeout | undefined;

  constructor(devnet: Devnet, options: DevnetHealthOptions) {
    this.#devnet = devnet;
    this.#options = options;
    this.#monitor = new HealthMonitor(checkedParts(devnet, options), options.states);
  }

  async pass(): Promise<void> {
    this.#lastProblem = problemsOf(this.#devnet);
    this.reports = await this.#monitor.pass();
  }

  /** Runs passes at intervals, and whenever the EVM starts or stops. */
  start(): void {
    this.#monitor.start(this.#options.healthCheckFrequencyMs, (reports) => {
      this.reports = reports;
    });
    this.#looks = setInterval(() => {
      if (problemsOf(this.#devnet) !== this.#lastProblem) void this.pass();
    }, EVM_LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#looks);
    this.#monitor.stop();
  }

  /** Facts for metrics, with the current heights. */
  async facts(): Promise<IndexFacts> {
    const { states } = this.#options;
    await states.load();
    return { chains: [...states.newestChains(), ...states.newestEvmChains()], reports: this.reports, progress: this.#monitor.progress };
  }
}

/** What is wrong with the C-chain's EVM; undefined if nothing is. */
export function evmProblem({ evm }: Devnet): string | undefined {
  if (evm === undefined) return "this network runs without an EVM";
  const { isUp, problem } = evm.health();
  return isUp ? undefined : (problem ?? "the EVM does not answer");
}

/** changes when any EVM starts or stops */
function problemsOf(devnet: Devnet): string {
  return JSON.stringify([evmProblem(devnet), ...devnet.evms.l1s.map(({ chainId, running }) => [chainId, running?.evm.health().problem])]);
}

/** A chain that cannot run is no fault of the node: a node that cannot use its genesis is as healthy. */
function l1Check({ chainId, chainName, subnetId, running, problem }: L1) {
  const message = { chainName, ...(problem === undefined ? { isRunning: true } : { isRunning: false, problem }) };
  return { name: formatId(chainId), subnet: formatId(subnetId), message, error: running?.evm.health().problem };
}

function checkedParts(devnet: Devnet, { identity, dataDirectory, healthLimits }: DevnetHealthOptions): CheckedParts {
  return {
    store: devnet.store,
    network: devnet.network,
    identity,
    peerSource: NO_PEERS,
    sourceName: async () => "devnet",
    limits: healthLimits,
    clock: { now: () => devnet.clock.nanoseconds() },
    diskUsage: () => diskUsage(dataDirectory),
    // The process that writes the store also serves it, so nobody else replaces its files
    storeProblem: async () => undefined,
    ...(devnet.evm && { evmProblem: () => evmProblem(devnet) }),
    l1s: () => devnet.evms.l1s.map(l1Check),
  };
}
