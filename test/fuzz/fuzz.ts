/**
 * Mutates every recorded block, vertex and transaction in the state in which it was accepted, and parses and verifies the result. It may
 * only cause Firn's own kinds of errors and must leave nothing behind: the recorded item itself must still be accepted afterwards.
 */

import { PLATFORM_CHAIN_ID } from "../../src/base/bytes/id.ts";
import { FirnError } from "../../src/base/errors/errors.ts";
import { NotPrefetchedError, type RowKey, View } from "../../src/base/table/view.ts";
import { AssetChain } from "../../src/chains/asset/chain.ts";
import { CChain } from "../../src/chains/atomic/chain.ts";
import { parseAtomicTx } from "../../src/chains/atomic/tx.ts";
import { blockTxs, parseBlock } from "../../src/chains/platform/block.ts";
import { PlatformChain } from "../../src/chains/platform/chain.ts";
import { parseTx } from "../../src/chains/platform/tx/registry.ts";
import { platformIndexResidentTables } from "../../src/index/platform.ts";
import { NodeChains } from "../../src/ingest/chains.ts";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import type { ExecutionContext } from "../../src/network/execution.ts";
import { unwrapBlock } from "../../src/network/proposervm.ts";
import { openArchive } from "../../src/sources/archives/archive.ts";
import type { SourceItem } from "../../src/sources/source.ts";
import { ingestProgress } from "../../src/store/tables.ts";
import { MemoryRows } from "../conformance/memory-rows.ts";
import { mutate, Random } from "./mutate.ts";

export interface FuzzResult {
  readonly inputs: number;
  /** mutants that verified: fields that no rule looks at */
  readonly accepted: number;
  /** what came out besides FirnErrors */
  readonly failures: readonly string[];
}

interface Target {
  readonly bytes: Uint8Array;
  /** parses and verifies, without effect */
  readonly try: (bytes: Uint8Array) => void;
}

/** A clock after which no time of a block is in the future. */
const END_OF_TIME = 2n ** 64n;

/** @param perTarget mutants of each recorded block, vertex and transaction */
export async function fuzzRecording(
  folder: string,
  options: { seed: number; perTarget: number; maxFailures?: number },
): Promise<FuzzResult> {
  const { seed, perTarget, maxFailures = 20 } = options;
  const random = new Random(seed);
  const source = await openArchive({ path: folder, instance: networkInstance });
  const { network, otherChains, hasVertices } = source;
  const view = new View();
  const rows = new MemoryRows();
  const chains = new NodeChains(view, { network, level: "full", otherChains, projections: [] });
  const fetch = (keys: readonly RowKey[]) => rows.prefetch(view, keys);
  const commit = () => {
    rows.apply(view.drain());
    view.evict();
  };
  const others = [...AssetChain.residentTables, ...CChain.residentTables, ...platformIndexResidentTables, ingestProgress];
  for (const table of [...PlatformChain.residentTables, ...others]) view.setResident(table);
  chains.genesis({ hasVertices });
  commit();
  let inputs = 0;
  let accepted = 0;
  const failures: string[] = [];
  for await (const items of source.items(chains.progress)) {
    for (const item of items) {
      for (const target of targetsOf(item, chains, fetch, random)) {
        for (let i = 0; i < perTarget; i++) {
          const bytes = mutate(target.bytes, random);
          const mark = view.mark();
          inputs++;
          try {
            target.try(bytes);
            accepted++;
          } catch (error) {
            if (error instanceof FirnError && !(error instanceof NotPrefetchedError)) continue;
            failures.push(`${item.origin}: ${(error as Error).stack}\n  seed ${seed}, bytes ${bytes.toString("hex").slice(0, 2000)}`);
            if (failures.length >= maxFailures) return { inputs, accepted, failures };
          } finally {
            view.rollback(mark);
          }
        }
      }
      const step = chains.decode(item);
      if (step === "not-yet") throw new RangeError("an item of a chain that does not exist yet");
      fetch(step.keysRead());
      step.run();
      commit();
    }
  }
  return { inputs, accepted, failures };
}

function targetsOf(item: SourceItem, chains: NodeChains, fetch: (keys: readonly RowKey[]) => void, random: Random): Target[] {
  if (item.kind === "shared-memory") return [];
  const context = (): ExecutionContext => ({
    network: chains.network,
    level: "full",
    clock: random.below(4) === 0 ? END_OF_TIME : item.acceptedAt / 1_000_000_000n,
  });
  const { platform, evm, network } = chains;
  if (item.chainId === PLATFORM_CHAIN_ID && item.kind === "block") {
    const { inner, header } = unwrapBlock(item.container, isPlatformBlock);
    const tryBlock = (bytes: Uint8Array) => {
      fetch(platform.keysRead(platform.parse(bytes)));
      platform.verifyBlock(bytes, context(), header);
    };
    const tryTx = (bytes: Uint8Array) => {
      const tx = parseTx(bytes);
      fetch(platform.txKeysRead(tx));
      platform.verifyTx(tx, context());
    };
    return [
      { bytes: item.container, try: (bytes) => tryBlock(unwrapBlock(bytes, isPlatformBlock).inner) },
      { bytes: inner, try: tryBlock },
      ...blockTxs(parseBlock(inner)).map(({ bytes }) => ({ bytes, try: tryTx })),
    ];
  }
  if (item.chainId === network.cChainId && item.kind === "block") {
    const isBlock = (bytes: Uint8Array) => !throws(() => evm.parse(bytes));
    const { inner } = unwrapBlock(item.container, isBlock);
    const tryBlock = (bytes: Uint8Array) => {
      const block = evm.parse(bytes);
      fetch(evm.keysRead(block));
      evm.execute(block, context());
    };
    const tryTx = (bytes: Uint8Array) => {
      const tx = parseAtomicTx(bytes);
      fetch(evm.txKeysRead(tx));
      evm.verifyTx(tx, context());
    };
    return [{ bytes: inner, try: tryBlock }, ...evm.parse(inner).atomicTxs.map(({ bytes }) => ({ bytes, try: tryTx }))];
  }
  const chain = chains.assetChain(item.chainId);
  if (chain === undefined) return [];
  const tryTx = (bytes: Uint8Array) => {
    const tx = chain.codec.parseTx(bytes);
    fetch(chain.keysRead(tx));
    chain.verifyTx(tx, context());
    chain.txJson(tx);
  };
  if (item.kind === "vertex") {
    const tryVertex = (bytes: Uint8Array) => {
      const vertex = chain.parseVertex(bytes);
      fetch(chain.keysRead(vertex));
      chain.executeVertex(vertex, context());
    };
    const { txs } = chain.parseVertex(item.bytes);
    return [{ bytes: item.bytes, try: tryVertex }, ...txs.map(({ bytes }) => ({ bytes, try: tryTx }))];
  }
  const { inner } = unwrapBlock(item.container, (bytes) => !throws(() => chain.parse(bytes)));
  const tryBlock = (bytes: Uint8Array) => {
    const block = chain.parse(bytes);
    fetch(chain.keysRead(block));
    chain.execute(block, context());
  };
  return [{ bytes: inner, try: tryBlock }, ...chain.parse(inner).txs.map(({ bytes }) => ({ bytes, try: tryTx }))];
}

function isPlatformBlock(bytes: Uint8Array): boolean {
  return !throws(() => parseBlock(bytes));
}

function throws(run: () => unknown): boolean {
  try {
    run();
    return false;
  } catch {
    return true;
  }
}
