/**
 * Starts a child that holds exactly a chain's committed blocks: it loads the newest usable dump, or genesis, and seals every later
 * block again. Each must get the same hash as before.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { blocks } from "../../index/tables.ts";
import type { StoreReader } from "../../store/store.ts";
import { evmChain } from "../atomic/tables.ts";
import { type BlockAnswers, readBlockAnswers } from "./block-answers.ts";
import type { BlockTraces } from "./block-traces.ts";
import { Child } from "./child.ts";
import { type Dump, Dumps } from "./dumps.ts";
import type { Hardfork } from "./era.ts";
import type { EvmChainSpec, SealedContents } from "./evm-chain-spec.ts";
import { EvmDownError } from "./evm-error.ts";
import { fromHex, idOf } from "./header.ts";
import { endOrphan, rememberChild } from "./orphan.ts";
import { latestBlock, prepareToSeal, sealBlock } from "./seal.ts";

const PAGE = 64;
const PID_FILE = "pid";

export interface RebuildParts {
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
    const tip = (await store.get(evmChain, { chainId: spec.chainId }))?.height ?? 0n;
    this.answers.clear();
    this.#indexed = (await this.#parts.indexedHeight?.()) ?? tip;
    for (const dump of await this.dumps.list()) {
      const isOfThisChain = dump.height <= tip && dump.height <= this.#indexed && (await this.#block(dump.height))?.id === dump.blockId;
      const child = isOfThisChain ? await this.#fromDump(dump, tip) : undefined;
      if (child !== undefined) return { child, height: tip, dumpHeight: dump.height };
      await this.dumps.remove(dump);
    }
    const child = await this.#fromGenesis(tip);
    log.debug({ height: tip.toString() }, "Rebuilt the EVM from genesis");
    return { child, height: tip, dumpHeight: 0n };
  }

  /** Replaces the child by another one with the same state. */
  async #withHardfork(child: Child, hardfork: Hardfork): Promise<Child> {
    const { number, hash, timestamp } = await latestBlock(child.rpc);
    await this.#keepUnindexed(child, BigInt(number));
    await this.writeDump(child);
    await child.kill();
    const file = await this.dumps.unpack((await this.dumps.list()).find(({ blockId }) => blockId === idOf(hash))!);
    if (file === undefined) throw new EvmDownError(`the dump of ${this.#parts.spec.name}'s EVM at height ${BigInt(number)} cannot be read`);
    const next = await this.#start(hardfork, { dump: file });
    await prepareToSeal(next.rpc, BigInt(timestamp));
    return next;
  }

  async #keepUnindexed({ rpc }: Child, tip: bigint): Promise<void> {
    for (let height = this.#indexed + 1n; height <= tip; height++) {
      if (!this.answers.has(height)) this.answers.set(height, await readBlockAnswers(rpc, height, this.#parts.traces));
    }
  }

  /** No block may be sealed meanwhile. */
  async writeDump({ rpc }: Child): Promise<void> {
    const { number, hash } = await latestBlock(rpc);
    await this.dumps.write(BigInt(number), idOf(hash), fromHex((await rpc.call("anvil_dumpState")) as string));
  }

  async #fromDump(dump: Dump, tip: bigint): Promise<Child | undefined> {
    const { log, spec } = this.#parts;
    const facts = { height: dump.height.toString() };
    const file = await this.dumps.unpack(dump);
    if (file === undefined) {
      log.warn(facts, "Left out a damaged dump of the EVM");
      return undefined;
    }
    let child: Child | undefined;
    try {
      const { timestamp } = (await this.#block(dump.height))!;
      child = await this.#start(spec.hardforkAt(timestamp), { dump: file });
      const { hash } = await latestBlock(child.rpc);
      if (idOf(hash) !== dump.blockId) throw new EvmDownError(`the dump holds the block ${hash}`);
      await prepareToSeal(child.rpc, timestamp);
      child = await this.#replay(child, dump.height, tip);
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
      await prepareToSeal(child.rpc, timestamp);
      return await this.#replay(child, 0n, tip);
    } catch (error) {
      await child.kill();
      throw error;
    }
  }

  async #replay(started: Child, from: bigint, tip: bigint): Promise<Child> {
    const { store, spec } = this.#parts;
    const { avaxAssetId, chainId, name } = spec;
    let child = started;
    for (let height = from; height < tip; ) {
      const rows = await store.scan(blocks, { prefix: { chainId }, after: { height }, limit: PAGE });
      if (!this.#parts.isWanted()) throw new EvmDownError(`rebuilding ${name}'s EVM was cancelled`);
      if (rows.length === 0) throw new EvmDownError(`the store has no block of ${name} at height ${height + 1n}`);
      for (const { key, value } of rows) {
        const { timestamp, baseFee = 0n, atomicTxs, transactions } = spec.parse(value.bytes);
        const hardfork = spec.hardforkAt(timestamp);
        if (hardfork !== child.hardfork) child = await this.#withHardfork(child, hardfork);
        const { hash } = await sealBlock(child.rpc, { timestamp, baseFee, atomicTxs, transactions, avaxAssetId });
        height = key.height;
        if (idOf(hash) === value.blockId) continue;
        throw new EvmDownError(`rebuilding ${name}'s EVM produced block ${hash} at height ${height}, not 0x${value.blockId}`);
      }
    }
    return child;
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

  async #start(hardfork: Hardfork, start: { genesis: string } | { dump: string }): Promise<Child> {
    const { directory, spec, memoryBytes, log } = this.#parts;
    const child = { binary: this.#parts.binary(), hardfork, cacheDirectory: this.#cacheDirectory, start, memoryBytes, log };
    const started = await Child.start({ ...child, ...spec }, (pid) => rememberChild(join(directory, PID_FILE), pid));
    this.#parts.onStarted?.();
    return started;
  }

  get #cacheDirectory(): string {
    return join(this.#parts.directory, "cache");
  }
}
