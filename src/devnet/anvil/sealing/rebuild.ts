/**
 * Starts a child that holds exactly a chain's committed blocks: it loads the newest usable dump, or genesis, and seals every later
 * block again, with the edits between them. Each must get the same hash as before.
 */
import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Logger } from "pino";
import type { ShortId } from "../../../base/bytes/id.ts";
import { evmTips } from "../../../chains/atomic/tables.ts";
import { blocks } from "../../../index/tables.ts";
import { type StoreReader, scanAll } from "../../../store/store.ts";
import { type BlockAnswers, readBlockAnswers } from "../block-answers.ts";
import type { BlockTraces } from "../block-traces.ts";
import type { Hardfork } from "../chains/era.ts";
import type { EvmChainSpec, SealedContents } from "../chains/evm-chain-spec.ts";
import { Child } from "../child.ts";
import { EvmDownError } from "../evm-error.ts";
import { type BlockJson, fromHex, idOf } from "../header.ts";
import type { JsonRpcClient } from "../json-rpc-client.ts";
import type { SentTransaction } from "../pool/unsigned-transaction.ts";
import { evmSenders } from "../tables.ts";
import { storedAddedGas, withAddedGas } from "./added-gas.ts";
import { type Dump, Dumps } from "./dumps.ts";
import { type EvmState, makeEdits, stateAfterEdits, stateAtBlock, storedEdits } from "./evm-edits.ts";
import { charge, type ReceiptJson } from "./gas-charge.ts";
import { latestBlock, prepareToSeal, sealBlock } from "./seal.ts";

// Ends the child of an earlier run of Firn that was killed. A file holds its process ID.

const CHECK_EVERY_MS = 20;

/** @param mark text that only this network's child has in its command line */
export async function endOrphan(pidFile: string, mark: string): Promise<boolean> {
  const pid = Number(await readFile(pidFile, "utf8").catch(() => ""));
  await rm(pidFile, { force: true });
  if (!Number.isSafeInteger(pid) || pid <= 1 || !(await commandLine(pid)).includes(mark)) return false;
  process.kill(pid, "SIGKILL");
  while ((await commandLine(pid)).includes(mark)) await delay(CHECK_EVERY_MS);
  return true;
}

function rememberChild(pidFile: string, pid: number): Promise<void> {
  return writeFile(pidFile, `${pid}\n`);
}

/** Returns an empty text if there is no such process. Process IDs are reused, so the ID alone proves nothing. */
async function commandLine(pid: number): Promise<string> {
  if (process.platform === "linux") {
    const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    return text.replaceAll("\0", " ");
  }
  const listed = await promisify(execFile)("ps", ["-ww", "-o", "command=", "-p", `${pid}`]).catch(() => ({ stdout: "" }));
  return listed.stdout;
}

const PAGE = 64;
const PID_FILE = "pid";

interface RebuildParts {
  readonly directory: string;
  readonly spec: EvmChainSpec;
  readonly store: StoreReader;
  readonly log: Logger;
  binary(): string;
  /** most memory that a child may allocate */
  readonly memoryBytes: number;
  readonly traces: BlockTraces;
  /** height up to which blocks are indexed, -1 if not even genesis is; by default all are */
  indexedHeight?(): Promise<bigint>;
  /** Called when a child is alive, before it has any block. */
  onStarted?(): void;
  /** whether to continue */
  isWanted(): boolean;
}

export interface Rebuilt {
  readonly child: Child;
  readonly height: bigint;
  /** height of the dump it started from; 0 without one */
  readonly dumpHeight: bigint;
}

export class Rebuilder {
  readonly dumps: Dumps;
  readonly #parts: RebuildParts;
  /** Answers for blocks that are not indexed and whose traces the current child lacks, because it loaded them from a dump. */
  readonly answers = new Map<bigint, BlockAnswers>();
  #indexed = 0n;

  constructor(parts: RebuildParts) {
    this.#parts = parts;
    this.dumps = new Dumps(parts.directory);
  }

  /** @param hardfork of the next block */
  async fromStore(hardfork: Hardfork): Promise<Rebuilt> {
    const rebuilt = await this.#atTip();
    if (rebuilt.child.hardfork === hardfork) return rebuilt;
    return { ...rebuilt, child: await this.#withHardfork(rebuilt.child, hardfork) };
  }

  async #atTip(): Promise<Rebuilt> {
    const { store, spec, log } = this.#parts;
    await this.#clear();
    const tip = (await store.get(evmTips, { chainId: spec.chainId }))?.height ?? 0n;
    this.answers.clear();
    this.#indexed = (await this.#parts.indexedHeight?.()) ?? tip;
    for (const dump of await this.dumps.list()) {
      const { height } = dump.state;
      const isOfThisChain = height <= tip && height <= this.#indexed && (await this.#wasThere(dump.state));
      const child = isOfThisChain ? await this.#fromDump(dump, tip) : undefined;
      if (child !== undefined) return { child, height: tip, dumpHeight: height };
      await this.dumps.remove(dump);
    }
    const child = await this.#fromGenesis(tip);
    log.debug({ height: tip.toString() }, "Rebuilt the EVM from genesis");
    return { child, height: tip, dumpHeight: 0n };
  }

  /** Replaces the child by another one with the same state. */
  async #withHardfork(child: Child, hardfork: Hardfork): Promise<Child> {
    const { state } = child;
    const { timestamp } = await latestBlock(child.rpc);
    await this.#keepUnindexed(child, state.height);
    const dump = await this.writeDump(child);
    await child.kill();
    const file = await this.dumps.unpack(dump);
    if (file === undefined) throw new EvmDownError(`the dump of ${this.#parts.spec.name}'s EVM at height ${state.height} cannot be read`);
    const next = await this.#start(hardfork, { dump: file }, state);
    await prepareToSeal(next.rpc, BigInt(timestamp));
    return next;
  }

  async #keepUnindexed({ rpc }: Child, tip: bigint): Promise<void> {
    for (let height = this.#indexed + 1n; height <= tip; height++) {
      if (!this.answers.has(height)) this.answers.set(height, await this.answersFrom(rpc, height));
    }
  }

  /** What a child that has a committed block says about it. */
  async answersFrom(rpc: JsonRpcClient, height: bigint): Promise<BlockAnswers> {
    const { receipts, ...others } = await readBlockAnswers(rpc, height, this.#parts.traces);
    return { ...others, receipts: withAddedGas(receipts as readonly ReceiptJson[], await storedAddedGas(this.#parts, height)) };
  }

  /** No block may be sealed, and no account edited, meanwhile. */
  async writeDump({ rpc, state }: Child): Promise<Dump> {
    return this.dumps.write(state, fromHex((await rpc.call("anvil_dumpState")) as string));
  }

  /** Whether the chain was in this state, so that going on from it gives the present one. */
  async #wasThere({ height, edits, id }: EvmState): Promise<boolean> {
    const { store, spec } = this.#parts;
    const block = await this.#block(height);
    if (block === undefined) return false;
    const made = (await storedEdits(store, spec.chainId, height)).slice(0, edits);
    return made.length === edits && stateAfterEdits(stateAtBlock(height, block.id), made).id === id;
  }

  async #fromDump(dump: Dump, tip: bigint): Promise<Child | undefined> {
    const { log, spec } = this.#parts;
    const { height } = dump.state;
    const facts = { height: height.toString() };
    const file = await this.dumps.unpack(dump);
    if (file === undefined) {
      log.warn(facts, "Left out a damaged dump of the EVM");
      return undefined;
    }
    let child: Child | undefined;
    try {
      const { timestamp, id } = (await this.#block(height))!;
      child = await this.#start(spec.hardforkAt(timestamp), { dump: file }, dump.state);
      const { hash } = await latestBlock(child.rpc);
      if (idOf(hash) !== id) throw new EvmDownError(`the dump holds the block ${hash}`);
      await prepareToSeal(child.rpc, timestamp);
      child = await this.#replay(child, tip);
      await this.dumps.tidy();
      return child;
    } catch (error) {
      await child?.kill();
      if (!this.#parts.isWanted()) throw error;
      log.warn({ ...facts, err: error }, "Left out a dump of the EVM from which it could not be rebuilt");
      return undefined;
    }
  }

  async #fromGenesis(tip: bigint): Promise<Child> {
    const { directory, spec } = this.#parts;
    const { json, timestamp } = spec.genesis;
    const genesis = join(directory, "genesis.json");
    await writeFile(genesis, JSON.stringify(json));
    // always the genesis hardfork, so that block 0 stays the same: its header fields depend on the hardfork
    const child = await this.#start(spec.hardforkAt(timestamp), { genesis });
    try {
      child.state = stateAtBlock(0n, idOf((await latestBlock(child.rpc)).hash));
      await prepareToSeal(child.rpc, timestamp);
      return await this.#replay(child, tip);
    } catch (error) {
      await child.kill();
      throw error;
    }
  }

  async #replay(started: Child, tip: bigint): Promise<Child> {
    const { store, spec } = this.#parts;
    const { avaxAssetId, chainId, name } = spec;
    let child = started;
    await this.#makeEdits(child);
    while (child.state.height < tip) {
      const { height } = child.state;
      const rows = await store.scan(blocks, { prefix: { chainId }, after: { height }, limit: PAGE });
      if (!this.#parts.isWanted()) throw new EvmDownError(`rebuilding ${name}'s EVM was cancelled`);
      if (rows.length === 0) throw new EvmDownError(`the store has no block of ${name} at height ${height + 1n}`);
      for (const { key, value } of rows) {
        const { timestamp, baseFee = 0n, atomicTxs, transactions } = spec.parse(value.bytes);
        const hardfork = spec.hardforkAt(timestamp);
        if (hardfork !== child.hardfork) child = await this.#withHardfork(child, hardfork);
        const sent = await this.#sent(key.height, transactions);
        const block = await sealBlock(child.rpc, { timestamp, baseFee, atomicTxs, transactions: sent, avaxAssetId });
        if (idOf(block.hash) !== value.blockId) {
          throw new EvmDownError(`rebuilding ${name}'s EVM produced block ${block.hash} at height ${key.height}, not 0x${value.blockId}`);
        }
        await this.#charge(child.rpc, block);
        child.state = stateAtBlock(key.height, value.blockId);
        await this.#makeEdits(child);
      }
    }
    return child;
  }

  /** Charges again what the block's transactions were charged beyond what the child counts. */
  async #charge(rpc: JsonRpcClient, block: BlockJson): Promise<void> {
    const added = await storedAddedGas(this.#parts, BigInt(block.number));
    if (added.size === 0) return;
    const poor = await charge(rpc, block, (await rpc.call("eth_getBlockReceipts", block.number)) as readonly ReceiptJson[], added);
    if (poor === undefined) return;
    throw new EvmDownError(`rebuilding ${rpc.name}'s EVM: ${poor} cannot pay the gas that it was charged in block ${BigInt(block.number)}`);
  }

  /** A block's transactions, with the senders of those that nobody signed. */
  async #sent(height: bigint, transactions: readonly Uint8Array[]): Promise<SentTransaction[]> {
    const { store, spec } = this.#parts;
    const senders = new Map<number, ShortId>();
    for await (const { key, value } of scanAll(store, evmSenders, { chainId: spec.chainId, height })) senders.set(key.index, value.sender);
    return transactions.map((bytes, index) => ({ raw: `0x${Buffer.from(bytes).toString("hex")}`, sender: senders.get(index) }));
  }

  /** Makes the stored edits that the child lacks in its state. */
  async #makeEdits(child: Child): Promise<void> {
    const { store, spec } = this.#parts;
    const missing = (await storedEdits(store, spec.chainId, child.state.height)).slice(child.state.edits);
    await makeEdits(child.rpc, missing);
    child.state = stateAfterEdits(child.state, missing);
  }

  async #block(height: bigint): Promise<SealedContents | undefined> {
    const { store, spec } = this.#parts;
    const row = await store.get(blocks, { chainId: spec.chainId, height });
    return row && spec.parse(row.bytes);
  }

  /** Ends the child of an earlier run and prepares the directory. */
  async #clear(): Promise<void> {
    const { directory, log } = this.#parts;
    await mkdir(directory, { recursive: true });
    if (await endOrphan(join(directory, PID_FILE), this.#cacheDirectory)) log.info("Ended the EVM of an earlier run");
    await rm(this.#cacheDirectory, { recursive: true, force: true });
    await this.dumps.tidy();
  }

  async #start(hardfork: Hardfork, start: { genesis: string } | { dump: string }, state?: EvmState): Promise<Child> {
    const { directory, spec, memoryBytes, log } = this.#parts;
    const child = { binary: this.#parts.binary(), hardfork, cacheDirectory: this.#cacheDirectory, start, memoryBytes, log };
    const started = await Child.start({ ...child, ...spec }, (pid) => rememberChild(join(directory, PID_FILE), pid));
    if (state !== undefined) started.state = state;
    this.#parts.onStarted?.();
    return started;
  }

  get #cacheDirectory(): string {
    return join(this.#parts.directory, "cache");
  }
}
