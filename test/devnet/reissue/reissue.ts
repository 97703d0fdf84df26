/**
 * Issues a recorded run again over HTTP, on a devnet of the recorded network whose wall clock is set to each block's time. Every recorded
 * transaction must be accepted in a block of the recorded height and, on P and X, of the recorded ID; what was refused must be refused with
 * the recorded text; and each checkpoint's requests must be answered as recorded.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { parseId } from "../../../src/base/bytes/cb58.ts";
import { PRIMARY_NETWORK_ID } from "../../../src/base/bytes/id.ts";
import { Devnet } from "../../../src/devnet/devnet.ts";
import type { Serving } from "../../../src/serve/serve.ts";
import { serveDevnet } from "../../../src/serve/serve-devnet.ts";
import { type Checkpoint, type CheckpointOptions, checkpointsOf } from "../../conformance/checkpoints.ts";
import { eventually } from "../../patience.ts";
import { ask, call } from "../json-rpc.ts";
import { compareCheckpoint } from "./checkpoint.ts";
import { type ChainName, type Issue, type RecordedBlock, readRun } from "./recorded-run.ts";
import { heightsKey, isEvmTx, type RefusedTx, refusal, refusedAt, reproducible } from "./refused.ts";

export interface ReissueOptions {
  readonly folder: string;
  /** of all checkpoints by default */
  readonly isCompared?: (checkpoint: Checkpoint, index: number, count: number) => boolean;
  /** requests that are sent at a checkpoint; by default all */
  readonly pick?: CheckpointOptions["pick"];
  /** called before each transaction is issued, when it is valid */
  readonly beforeIssue?: (url: string, issue: Issue) => Promise<void>;
  readonly log: (line: string) => void;
}

export interface ReissueResult {
  readonly issued: Readonly<Record<ChainName, number>>;
  readonly refused: number;
  readonly compared: number;
  /** requests by the reason for which they were left out */
  readonly leftOut: ReadonlyMap<string, number>;
  /** what is not as recorded, in words */
  readonly differences: readonly string[];
}

/** Blocks are built when this driver says so, and at no other time. */
const NEVER_MS = 2 ** 31 - 1;
const HEALTH_MS = 500;
const NANOSECONDS = 1_000_000_000n;
/** Some refusals name the second in which they happened, which was not recorded. */
const MOST_SECONDS = 120n;

export async function reissue(options: ReissueOptions): Promise<ReissueResult> {
  const dataDirectory = mkdtempSync(join(tmpdir(), "firn-reissue-"));
  const { network, networkFile, blocks, isSigned } = await readRun(options.folder);
  const wall = { seconds: blocks[0]!.time, baseFee: nextBaseFee(blocks, 0) };
  const log = pino({ level: "silent" });
  const devnet = await Devnet.open({
    dataDirectory,
    network,
    networkFile,
    blockTimeMs: NEVER_MS,
    wallClock: () => wall.seconds * NANOSECONDS,
    skipsMempoolRules: true,
    evm: { baseFeeAt: () => wall.baseFee },
    log,
  });
  const serving = await serveDevnet(devnet, { dataDirectory, log, httpPort: 0, healthCheckFrequencyMs: HEALTH_MS });
  try {
    return await new Reissue(options, { devnet, serving, wall, blocks, isSigned }).run();
  } finally {
    await serving.stop();
    await devnet.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

interface Parts {
  readonly devnet: Devnet;
  readonly serving: Serving;
  readonly wall: { seconds: bigint; baseFee: bigint };
  readonly blocks: readonly RecordedBlock[];
  readonly isSigned: boolean;
}

class Reissue {
  readonly #options: ReissueOptions;
  readonly #parts: Parts;
  readonly #heights: Record<ChainName, number> = { P: 0, X: 0, C: 0 };
  readonly #issued: Record<ChainName, number> = { P: 0, X: 0, C: 0 };
  readonly #leftOut = new Map<string, number>();
  readonly #differences: string[] = [];
  #refused = 0;
  #compared = 0;

  constructor(options: ReissueOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
  }

  async run(): Promise<ReissueResult> {
    const { folder, isCompared = () => true } = this.#options;
    const refused = refusedAt(folder);
    await isHealthy(this.#parts.serving.url);
    const checkpoints = new Map(checkpointsOf(folder).map((checkpoint, index) => [heightsOf(checkpoint), { checkpoint, index }]));
    const count = checkpoints.size;
    for (const next of [...this.#parts.blocks, undefined]) {
      const key = heightsKey(this.#heights);
      for (const tx of refused.get(key) ?? []) await this.#refuse(tx, next);
      refused.delete(key);
      const here = checkpoints.get(key);
      checkpoints.delete(key);
      if (here !== undefined && isCompared(here.checkpoint, here.index, count)) await this.#compare(here.checkpoint, next);
      if (next !== undefined) await this.#repeat(next);
    }
    for (const key of [...refused.keys(), ...checkpoints.keys()]) this.#differences.push(`no state has the heights ${key}`);
    return {
      issued: this.#issued,
      refused: this.#refused,
      compared: this.#compared,
      leftOut: this.#leftOut,
      differences: this.#differences,
    };
  }

  /** One recorded block: its time, its transactions, and the decision if it is a proposal. */
  async #repeat(block: RecordedBlock): Promise<void> {
    const { devnet, serving, wall, blocks } = this.#parts;
    const { chain, height, id } = block;
    if (block.time > wall.seconds) wall.seconds = block.time;
    // all rewards of this second are decided when the first one is
    for (const later of blocks.slice(blocks.indexOf(block))) {
      if (later.chain === "P" && later.time > block.time) break;
      if (later.reward !== undefined) await this.#setUptime(later.reward);
    }
    for (const issue of block.issues) await this.#issue(block, issue);
    if (!((await heightOf(serving.url, chain)) >= height)) await devnet.buildDue();
    const reached = await heightOf(serving.url, chain);
    if (!(reached >= height))
      throw new Error([...this.#differences, `${chain} is at height ${reached}, not at ${height}, after its block was due`].join("\n"));
    if (chain !== "C") {
      const made = await blockIdAt(serving.url, chain, height);
      if (made !== id) this.#differences.push(`${chain} block ${height} has another ID than the recorded one`);
    }
    if (chain === "C") wall.baseFee = nextBaseFee(blocks, height);
    this.#heights[chain] = height;
  }

  /** Of the primary network's validator it is measured, also where a subnet pays. */
  async #setUptime({ nodeId, subnetId, isCommitted }: NonNullable<RecordedBlock["reward"]>): Promise<void> {
    const { devnet } = this.#parts;
    for (const id of new Set([PRIMARY_NETWORK_ID, subnetId])) await devnet.setUptime(nodeId, isCommitted ? 1_000_000 : 0, id);
  }

  async #issue({ chain, height }: RecordedBlock, issue: Issue): Promise<void> {
    const { url } = this.#parts.serving;
    await this.#options.beforeIssue?.(url, issue);
    const { result, error } = await call(url, issue);
    const txId = typeof result === "string" ? result : (result as { txID?: string } | undefined)?.txID;
    if (txId === issue.txId) this.#issued[chain]++;
    else this.#differences.push(`${chain} ${height}: ${issue.kind} ${issue.txId}: ${error?.message ?? JSON.stringify(result)}`);
  }

  /**
   * What was refused between two blocks is refused in some second between them: the seconds are tried in order. The recorded text of the EVM's
   * own transactions is another EVM's.
   */
  async #refuse(tx: RefusedTx, next: RecordedBlock | undefined): Promise<void> {
    const { serving, wall } = this.#parts;
    this.#refused++;
    const expected = reproducible(tx.response.error?.message);
    const last = next?.time ?? wall.seconds + MOST_SECONDS;
    const texts: (string | undefined)[] = [];
    for (;;) {
      const text = reproducible(await refusal(serving.url, tx));
      if (text === expected || (isEvmTx(tx) && text !== undefined)) return;
      texts.push(text);
      if (text === undefined || wall.seconds >= last) break;
      wall.seconds++;
    }
    this.#differences.push(
      `${tx.chain} ${tx.label}: ${[...new Set(texts)].map((text) => text ?? "accepted").join(", then ")}\n    instead of ${expected ?? "accepted"}`,
    );
  }

  async #compare(checkpoint: Checkpoint, next: RecordedBlock | undefined): Promise<void> {
    const { devnet, serving, wall, isSigned } = this.#parts;
    if (checkpoint.recordedAt > wall.seconds) wall.seconds = checkpoint.recordedAt;
    const tick = () => {
      if (next !== undefined && wall.seconds >= next.time) return false;
      wall.seconds++;
      return true;
    };
    const compared = await compareCheckpoint({ url: serving.url, store: devnet.store, tick }, checkpoint, {
      isSigned,
      ...(this.#options.pick && { pick: this.#options.pick }),
    });
    this.#compared += compared.compared;
    for (const [reason, count] of compared.leftOut) this.#leftOut.set(reason, (this.#leftOut.get(reason) ?? 0) + count);
    for (const line of compared.differences) this.#options.log(`  ${line}`);
    this.#differences.push(...compared.differences.map((line) => `${checkpoint.label}: ${line}`));
    this.#options.log(`${checkpoint.label}: ${compared.compared - compared.failed} of ${compared.compared} requests answered as recorded`);
  }
}

/** What a block of C behind this height pays for gas; behind the last one as that did. */
function nextBaseFee(blocks: readonly RecordedBlock[], height: number): bigint {
  const evmBlocks = blocks.filter(({ chain }) => chain === "C");
  return (evmBlocks[height] ?? evmBlocks.at(-1))!.baseFee!;
}

function heightsOf({ heights }: Checkpoint): string {
  return heightsKey({ P: 0, X: 0, C: 0, ...heights });
}

/** Resolves once the EVM, which comes up while everything else answers, shows in what health is asked about at checkpoints. */
async function isHealthy(url: string): Promise<void> {
  await heightOf(url, "C");
  const health = { path: "/ext/health", method: "health.health", params: {} };
  await eventually(async () => (await ask<{ healthy: boolean }>(url, health)).healthy);
}

async function heightOf(url: string, chain: ChainName): Promise<number> {
  if (chain === "C") return Number(await ask<string>(url, { path: "/ext/bc/C/rpc", method: "eth_blockNumber", params: [] }));
  const method = chain === "P" ? "platform.getHeight" : "avm.getHeight";
  return Number((await ask<{ height: string }>(url, { path: `/ext/bc/${chain}`, method, params: {} })).height);
}

async function blockIdAt(url: string, chain: ChainName, height: number): Promise<string> {
  const method = chain === "P" ? "platform.getBlockByHeight" : "avm.getBlockByHeight";
  const params = { height: String(height), encoding: "json" };
  const { block } = await ask<{ block: { id: string } }>(url, { path: `/ext/bc/${chain}`, method, params });
  return parseId(block.id);
}
