/** The C-chain's EVM of a live network: indexed by RPC from genesis while drivers and workloads use it, watched, and compared at the end. */
import { setTimeout as pause } from "node:timers/promises";
import { entryOf } from "../../src/evm/chain-entry.ts";
import { asking } from "../api/data/oracle/evm/chain-answers.ts";
import { type Followed, followHere, HASTE } from "../conformance/evm/followed.ts";
import { sendBursts } from "./evm-bursts.ts";
import { cChainRpc, tryEvm } from "./evm-trial.ts";
import { EvmWatch } from "./evm-watch.ts";
import { fundPayers, payerOf, runWorkloads } from "./evm-workloads.ts";
import { LagMeter } from "./lag.ts";

const CHAIN_ID = "43112";
const POLL_MS = 200;
/** So often the same height is seen when nothing more comes. */
const QUIET = 25;
const WORKLOAD_TXS = 400;
/** pays for them */
const BURSTS = "bursts";
/** A workload takes longer. */
const WORKLOADS_A_MINUTE = 1;

export interface EvmRunOptions {
  /** its C-chain keeps old states and traces */
  readonly node: string;
  readonly directory: string;
  readonly seed: number;
  readonly minutes: number;
  readonly log: (line: string) => void;
}

type Workloads = Awaited<ReturnType<typeof runWorkloads>>;

export class EvmRun {
  readonly #options: EvmRunOptions;
  readonly #followed: Followed;
  readonly #watch: EvmWatch;
  readonly #lag: LagMeter;
  readonly #seeds: readonly string[];
  #workloads: Workloads = { contracts: [], failures: [] };

  private constructor(options: EvmRunOptions, followed: Followed, seeds: readonly string[]) {
    this.#options = options;
    this.#followed = followed;
    this.#watch = new EvmWatch({ ask: asking(cChainRpc(options.node)), url: followed.url, chainId: CHAIN_ID });
    this.#lag = new LagMeter([
      { node: async () => BigInt(await this.#watch.latest()), follower: async () => BigInt(await this.#watch.own()) },
    ]);
    this.#seeds = seeds;
  }

  /** Follows, and pays for the workloads. */
  static async start(options: EvmRunOptions): Promise<EvmRun> {
    const { node, directory, minutes, seed } = options;
    const rpc = cChainRpc(node);
    const followed = await followHere([entryOf([rpc, rpc.replace(/^http(.*)rpc$/, "ws$1ws")])], HASTE, directory);
    await followed.indexedTo(CHAIN_ID, 0);
    const seeds = Array.from({ length: Math.ceil(minutes * WORKLOADS_A_MINUTE) }, (_, index) => `live-${seed}-${index}`);
    await fundPayers(asking(rpc), [...seeds, BURSTS]);
    return new EvmRun(options, followed, seeds);
  }

  /** Runs workloads one after the other, and bursts beside them. */
  async work(goesOn: () => boolean): Promise<void> {
    const { node, log } = this.#options;
    const rpc = cChainRpc(node);
    const waitFor = (hash: string) => this.#watch.waitFor(hash);
    const bursts = sendBursts({ ask: asking(rpc), account: payerOf(BURSTS), goesOn, waitFor });
    this.#workloads = await runWorkloads({ rpc, seeds: this.#seeds, txs: WORKLOAD_TXS, goesOn, log });
    await bursts;
  }

  /**
   * Whether nothing differs, once the chain stands still.
   * @param sample queries beside those of each block and transaction
   * @param coins contracts of the drivers
   */
  async verdict(sample: number, coins: readonly string[]): Promise<boolean> {
    const { node, seed, log } = this.#options;
    const { url } = this.#followed;
    const ask = asking(cChainRpc(node));
    const head = await settled(ask);
    await this.#followed.indexedTo(CHAIN_ID, head);
    await this.#watch.stop();
    await this.#watch.compareEarly();
    this.#lag.end();
    log(`evm: ${this.#watch}; lag ${this.#lag}`);
    const { contracts: own, failures } = this.#workloads;
    const contracts = [...own, ...coins.map((address) => ({ name: "a driver's coin", address, erc: "ERC-20" }))];
    const trial = await tryEvm({ url, node, chainId: CHAIN_ID, contracts, seed, sample });
    log(`evm: ${trial.summary}; ${trial.failures.length} differ`);
    const all = [...this.#watch.faults, ...trial.failures, ...failures];
    for (const failure of all) log(`evm: ${failure}`);
    return all.length === 0;
  }

  async stop(): Promise<void> {
    this.#lag.end();
    await this.#watch.stop();
    await this.#followed.stop();
  }
}

/** The height at which nothing more comes. */
async function settled(ask: ReturnType<typeof asking>): Promise<number> {
  let head = -1;
  for (let same = 0; same < QUIET; await pause(POLL_MS)) {
    const latest = Number(await ask("eth_blockNumber", []));
    same = latest === head ? same + 1 : 0;
    head = latest;
  }
  return head;
}
