/**
 * Kills a devnet under load, also on two L1s, repeatedly at random moments: Firn, the process of one of its EVMs, or both; while transactions are accepted, the clock
 * is moved, or a snapshot is made or restored. Meanwhile accounts of the C-chain are edited, and transactions sent for them. After each start
 * every transaction reported as accepted must exist in both interfaces, every edit that was answered must be there, no height may be lower, no
 * AVAX may be created or lost besides, no process of the previous run may remain, and every row must be what executing the stored blocks again
 * produces. In the end the index is held against the blocks of an EVM that was rebuilt from genesis.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { freePort } from "../../bench/free-port.ts";
import { sha256 } from "../../src/base/bytes/hash.ts";
import { EWOQ_KEY } from "../../src/devnet/account-keys.ts";
import type { OracleCourt } from "../api/data/oracle/evm/case-maker.ts";
import { hold, openCourt } from "../api/data/oracle/evm/court.ts";
import { call } from "../devnet/json-rpc.ts";
import { CHEAT_FEE, CheatClient, type CheatState } from "../devnet/load/cheat-client.ts";
import { L1Client } from "../devnet/load/l1-client.ts";
import { isAccepted, isListed, type Journal, LoadClient } from "../devnet/load/load-client.ts";
import { PlainWallet, type SignedIssue, type WalletNetwork } from "../devnet/load/plain-wallet.ts";
import { networkOf } from "../devnet/load/wallet-network.ts";
import { Random } from "../fuzz/mutate.ts";
import { delay, eventually, stopwatch } from "../patience.ts";
import { totalAvax } from "./avax-total.ts";
import { DevnetProcess, isRunning as isProcessRunning } from "./devnet-process.ts";
import { requireReplayed } from "./replayed-rows.ts";

export const VICTIMS = ["firn", "child", "both"] as const;
export type Victim = (typeof VICTIMS)[number];
export const OCCASIONS = ["load", "time travel", "snapshot", "revert"] as const;
export type Occasion = (typeof OCCASIONS)[number];

export interface KillOptions {
  readonly kills: number;
  readonly seed: number;
  readonly clients?: number;
  readonly log?: (line: string) => void;
}

export interface KillResult {
  /** reported as accepted, by chain; `EVM` are those of C's own kind */
  readonly accepted: Readonly<Record<string, number>>;
  /** refusals by their text, without IDs and numbers: conflicts after an answer that was lost */
  readonly refused: ReadonlyMap<string, number>;
  readonly kills: Readonly<Record<Victim, number>>;
  /** milliseconds from the start of Firn to its first answer, ascending */
  readonly startMs: readonly number[];
  /** the same, to the first answer of the C-chain's EVM */
  readonly evmMs: readonly number[];
  readonly unanswered: number;
  /** queries of the Data API that the oracle answered alike */
  readonly compared: number;
  /** payments on each L1 that are there, each once */
  readonly onL1s: readonly number[];
  /** edits of accounts, and transactions of others, that were answered; calls of either kind that were not */
  readonly cheats: { readonly edits: number; readonly sends: number; readonly unanswered: number };
}

/** Throws as soon as something is lost. */
export async function killDevnet(options: KillOptions): Promise<KillResult> {
  const scratch = mkdtempSync(join(tmpdir(), "firn-devnet-kill-"));
  const run = new KillRun(options, join(scratch, "data"), await freePort());
  try {
    return await run.run();
  } catch (error) {
    throw new Error(`seed ${options.seed}: ${(error as Error).message}\n${run.output}`, { cause: error });
  } finally {
    await run.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

const CLIENTS = 4;
const CHEATERS = 2;
const L1S = 2;
const CHEATS_AT_FIRST = 5;
const ORACLE_QUERIES = 120;
const FUNDS = 1000_000_000_000n;
/** load goes on until so many transactions were accepted since the last kill, or for so long */
const MOST_ACCEPTED = 30;
const MOST_LOAD_MS = 5_000;
/** of P, of X, and both of C */
const KINDS = 4;
/** older transactions of the journal that are looked for again after each kill */
const SAMPLE = 50;
/** gets what is paid above the base fee */
const COINBASE = "0x0100000000000000000000000000000000000000";

interface Taken {
  readonly id: string;
  readonly accepted: number;
  readonly cheats: readonly { readonly state: CheatState; readonly answered: number }[];
  readonly onL1s: readonly number[];
}

class KillRun {
  readonly #options: KillOptions;
  readonly #directory: string;
  readonly #port: number;
  readonly #random: Random;
  readonly #journal: Journal = [];
  readonly #clients: LoadClient[] = [];
  readonly #cheaters: CheatClient[] = [];
  readonly #l1s: L1Client[] = [];
  readonly #result = { kills: { firn: 0, child: 0, both: 0 }, startMs: [] as number[], evmMs: [] as number[] };
  #process!: DevnetProcess;
  #network!: WalletNetwork;
  #heights: readonly number[] = [0, 0, 0];
  #total = 0n;
  #checked = 0;

  constructor(options: KillOptions, directory: string, port: number) {
    this.#options = options;
    this.#directory = directory;
    this.#port = port;
    this.#random = new Random(options.seed);
  }

  get output(): string {
    return this.#process?.output ?? "";
  }

  async run(): Promise<KillResult> {
    await this.#start();
    await this.#fundClients();
    this.#total = await this.#countAvax();
    const { kills, log = () => {} } = this.#options;
    for (let kill = 1; kill <= kills; kill++) {
      const victim = VICTIMS[kill % VICTIMS.length]!;
      const occasion = OCCASIONS[kill % OCCASIONS.length]!;
      const before = this.#journal.length;
      await this.#killDuring(occasion, victim);
      this.#result.kills[victim]++;
      await this.#check(occasion);
      const { startMs } = this.#result;
      log(
        `kill ${kill}: ${victim} during ${occasion}; ${this.#journal.length - before} accepted before, answering after ${startMs.at(-1)!.toFixed(0)} ms`,
      );
    }
    const compared = await this.#holdIndex();
    return {
      ...this.#result,
      compared,
      startMs: this.#result.startMs.toSorted((a, b) => a - b),
      evmMs: this.#result.evmMs.toSorted((a, b) => a - b),
      accepted: counted(this.#journal.map(kindOf)),
      refused: this.#refused(),
      cheats: this.#cheats(),
      onL1s: this.#l1s.map(({ done }) => done),
      unanswered: this.#clients.reduce((sum, { counts }) => sum + counts.unanswered, 0),
    };
  }

  #refused(): Map<string, number> {
    const sums = new Map<string, number>();
    for (const { counts } of this.#clients) for (const [text, count] of counts.refused) sums.set(text, (sums.get(text) ?? 0) + count);
    return sums;
  }

  #cheats(): KillResult["cheats"] {
    const sum = (of: (cheater: CheatClient) => number) => this.#cheaters.reduce((total, cheater) => total + of(cheater), 0);
    return {
      edits: sum(({ counts }) => counts.edits),
      sends: sum(({ counts }) => counts.sends),
      unanswered: sum(({ counts }) => counts.unanswered),
    };
  }

  /** Against the blocks and receipts of an EVM that was rebuilt from genesis. Returns the number of queries. */
  async #holdIndex(): Promise<number> {
    await this.#process.kill("SIGTERM");
    rmSync(join(this.#directory, "c-chain"), { recursive: true });
    await this.#start();
    for (const cheater of this.#cheaters) await cheater.check();
    const { url } = this.#process;
    const chain = (await (await fetch(`${url}/v1/chains/43112`)).json()) as OracleCourt["chain"];
    const tip = this.#heights[2]!;
    const court = await openCourt({
      url,
      rpc: `${url}/ext/bc/C/rpc`,
      chain,
      chainNames: ["43112"],
      stateHeights: [tip, tip, tip, tip],
      isAlone: false,
    });
    const { failures, asked } = await hold(court, { seed: this.#options.seed, most: ORACLE_QUERIES });
    if (failures.length > 0) throw new Error(`the index differs from what the blocks say:\n${failures.join("\n")}`);
    return asked;
  }

  async stop(): Promise<void> {
    const child = await this.#childPid().catch(() => undefined);
    await this.#process?.kill("SIGTERM");
    if (child !== undefined && isProcessRunning(child)) {
      process.kill(child, "SIGKILL");
      throw new Error(`the C-chain's process ${child} outlived a Firn that was asked to end`);
    }
  }

  async #start(): Promise<void> {
    this.#process = new DevnetProcess({ dataDirectory: this.#directory, port: this.#port });
    this.#result.startMs.push(await this.#process.answers());
    this.#result.evmMs.push(await this.#process.evmAnswers());
  }

  async #fundClients(): Promise<void> {
    const { url } = this.#process;
    this.#network = await networkOf(url);
    for (let i = 0; i < (this.#options.clients ?? CLIENTS); i++) {
      const wallet = new PlainWallet(this.#network, sha256(Buffer.from(`client ${i}`)));
      for (const address of [wallet.addressOn("P"), wallet.addressOn("X"), `0x${wallet.evmAddress}`]) {
        await this.#firn("fund", { address, amount: String(FUNDS) });
      }
      const random = new Random(this.#random.below(2 ** 31));
      this.#clients.push(new LoadClient({ url: () => url, wallet, random, journal: this.#journal }));
    }
    for (let i = 0; i < CHEATERS; i++) {
      const cheater = new CheatClient(`cheater ${i}`, { url: () => url, random: new Random(this.#random.below(2 ** 31)) });
      await cheater.prepare();
      this.#cheaters.push(cheater);
    }
    for (let i = 0; i < L1S; i++) this.#l1s.push(await L1Client.open(() => url, this.#network));
  }

  /** Load, what the occasion adds to it, and the kill amidst. */
  async #killDuring(occasion: Occasion, victim: Victim): Promise<void> {
    const snapshot = occasion === "revert" ? await this.#snapshot() : undefined;
    let isRunning = true;
    const load = [...this.#clients, ...this.#cheaters, ...this.#l1s].map((client) => client.run(() => isRunning));
    await this.#accepted(this.#journal.length + this.#random.below(MOST_ACCEPTED));
    if (snapshot !== undefined) {
      // what is accepted while the state goes back belongs to neither state
      isRunning = false;
      await Promise.all(load);
    }
    const child = await this.#childPid();
    const action = this.#act(occasion, snapshot);
    await delay(this.#random.below(60));
    await this.#kill(victim, child);
    isRunning = false;
    await Promise.all([...load, action]);
    if (victim === "child") await this.#process.evmAnswers();
    else await this.#start();
    if (child !== undefined && isProcessRunning(child)) throw new Error(`the C-chain's process ${child} of the run before still runs`);
    if (snapshot !== undefined) await this.#forgetReverted(snapshot);
  }

  /** Of every kind at first, so that each part of the state is held against what was reported. */
  async #accepted(count: number): Promise<void> {
    const isFirst = this.#checked === 0;
    const elapsed = stopwatch();
    const isOfAll = () =>
      new Set(this.#journal.map(kindOf)).size === KINDS && [...this.#cheaters, ...this.#l1s].every(({ done }) => done >= CHEATS_AT_FIRST);
    await eventually(() => (isFirst ? isOfAll() : this.#journal.length >= count || elapsed() > MOST_LOAD_MS));
  }

  /** Whatever comes of it: the process may be gone before it answers. */
  async #act(occasion: Occasion, snapshot: Taken | undefined): Promise<void> {
    const request = {
      load: undefined,
      "time travel": ["advanceTime", { seconds: 1 + this.#random.below(20_000) }],
      snapshot: ["snapshot", {}],
      revert: ["revert", { snapshotID: snapshot?.id }],
    }[occasion] as [string, object] | undefined;
    if (request !== undefined) await this.#firn(...request).catch(() => undefined);
  }

  async #kill(victim: Victim, child: number | undefined): Promise<void> {
    if (victim !== "firn" && child !== undefined && isProcessRunning(child)) process.kill(child, "SIGKILL");
    if (victim !== "child") await this.#process.kill();
  }

  async #snapshot(): Promise<Taken> {
    const { snapshotID } = (await this.#firn("snapshot", {})) as { snapshotID: string };
    const cheats = this.#cheaters.map(({ state, answered }) => ({ state, answered }));
    return { id: snapshotID, accepted: this.#journal.length, cheats, onL1s: this.#l1s.map(({ done }) => done) };
  }

  /** A revert that was cut off happened wholly or not at all: what was accepted after the snapshot is all there or all gone. */
  async #forgetReverted({ accepted, cheats, onL1s }: Taken): Promise<void> {
    const { url } = this.#process;
    const isBack = await Promise.all(this.#cheaters.map((cheater, i) => cheater.goBackTo(cheats[i]!.state, cheats[i]!.answered)));
    isBack.push(...(await Promise.all(this.#l1s.map((l1, i) => l1.goBackTo(onL1s[i]!)))));
    if (new Set(isBack).size > 1) throw new Error("a revert took back what was done to one account or L1, but not to another");
    const later = this.#journal.slice(accepted);
    const there = await Promise.all(later.map((signed) => isAccepted(url, signed)));
    if (there.every((isThere) => isThere)) return;
    if (there.some((isThere) => isThere))
      throw new Error(`a revert left ${there.filter(Boolean).length} of ${later.length} later transactions`);
    this.#journal.length = accepted;
    this.#checked = Math.min(this.#checked, accepted);
    this.#heights = [0, 0, 0];
  }

  async #check(occasion: Occasion): Promise<void> {
    const { url } = this.#process;
    const older = Array.from({ length: Math.min(SAMPLE, this.#checked) }, () => this.#journal[this.#random.below(this.#checked)]!);
    for (const signed of [...this.#journal.slice(this.#checked), ...older]) await this.#checkThere(url, signed, occasion);
    this.#checked = this.#journal.length;
    const heights = await heightsOf(url);
    const lower = heights.findIndex((height, i) => height < this.#heights[i]!);
    if (lower >= 0) throw new Error(`after a kill during ${occasion} the heights are ${heights}; they were ${this.#heights}`);
    this.#heights = heights;
    for (const client of [...this.#cheaters, ...this.#l1s]) await client.check();
    await requireReplayed(this.#directory, dirname(this.#directory));
    const total = await this.#countAvax();
    if (total !== this.#total) throw new Error(`after a kill during ${occasion} there are ${total - this.#total} wei more than before`);
  }

  async #checkThere(url: string, signed: SignedIssue, occasion: Occasion): Promise<void> {
    const what = `${signed.chain} transaction ${signed.txId}, reported as accepted, `;
    if (!(await isAccepted(url, signed))) throw new Error(`${what}is gone after a kill during ${occasion}`);
    if (!(await isListed(url, signed))) throw new Error(`${what}is not in the Data API after a kill during ${occasion}`);
  }

  async #countAvax(): Promise<bigint> {
    const accounts = [...this.#clients.map(({ wallet }) => wallet.evmAddress), new PlainWallet(this.#network, EWOQ_KEY).evmAddress];
    const { total } = await totalAvax({
      dataDirectory: this.#directory,
      url: this.#process.url,
      avaxAssetId: this.#network.avaxAssetId,
      evmAccounts: [...accounts.map((address) => `0x${address}`), COINBASE],
    });
    // what these accounts paid came from nowhere
    return total - this.#cheaters.reduce((sum, { state }) => sum + BigInt(state.sent) * CHEAT_FEE, 0n);
  }

  /** of any EVM */
  async #childPid(): Promise<number | undefined> {
    const { stdout } = spawnSync("pgrep", ["-P", `${this.#process.pid}`], { encoding: "utf8" });
    const pids = stdout.split("\n").filter((line) => line !== "");
    return pids.length === 0 ? undefined : Number(pids[this.#random.below(pids.length)]);
  }

  async #firn(name: string, params: object): Promise<unknown> {
    const { result, error } = await call(this.#process.url, { path: "/ext/firn", method: `firn.${name}`, params });
    if (error !== undefined) throw new Error(`firn.${name}: ${error.message}`);
    return result;
  }
}

async function heightsOf(url: string): Promise<number[]> {
  const of = async (path: string, method: string) => (await call(url, { path, method, params: {} })).result as { height: string };
  const evm = await call(url, { path: "/ext/bc/C/rpc", method: "eth_blockNumber", params: [] });
  return [
    Number((await of("/ext/bc/P", "platform.getHeight")).height),
    Number((await of("/ext/bc/X", "avm.getHeight")).height),
    Number(evm.result),
  ];
}

function kindOf({ chain, isEvm }: SignedIssue): string {
  return isEvm ? "EVM" : chain;
}

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
