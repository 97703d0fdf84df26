/**
 * Shared-memory operations of chains that are not in the recording, on memory shared with chains that are. The file is small and read as a
 * whole.
 */

import { type Id, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { SharedMemoryItem } from "../source.ts";
import type { ArchiveFolder } from "./folder.ts";
import { sharedMemoryLine } from "./lines.ts";

interface Entry {
  readonly peerId: Id;
  readonly afterHeight: bigint;
  readonly item: SharedMemoryItem;
}

export class SharedMemoryFile {
  #entries: Entry[];

  constructor(entries: Entry[]) {
    this.#entries = entries;
  }

  /**
   * Removes and returns the operations before the block of `peerId` at `height`, or all that are left; the first `applied` ones are
   * dropped.
   */
  takeFor(peerId: Id, height: bigint | undefined, applied: bigint): SharedMemoryItem[] {
    const isDue = (entry: Entry) =>
      entry.peerId === peerId && (height === undefined || entry.afterHeight < height || entry.afterHeight === 0n);
    const due = this.#entries.filter(isDue);
    if (due.length === 0) return [];
    this.#entries = this.#entries.filter((entry) => !isDue(entry));
    return due.map(({ item }) => item).filter(({ sequence }) => sequence >= applied);
  }
}

export async function readSharedMemory(
  folder: ArchiveFolder,
  chains: readonly { readonly chainId: Id }[],
  network: NetworkInstance,
): Promise<SharedMemoryFile> {
  const ids: Readonly<Record<string, Id | undefined>> = { P: PLATFORM_CHAIN_ID, X: network.xChainId, C: network.cChainId };
  const isExecuted = (chainId: Id | undefined) => chains.some((chain) => chain.chainId === chainId);
  const entries: Entry[] = [];
  for await (const line of folder.lines("sharedmemory.jsonl")) {
    const { by, peer, afterHeight, operation } = sharedMemoryLine(line);
    const chainId = ids[by];
    const peerId = ids[peer];
    // executed chains make their operations themselves, and memory between two other chains does not matter
    if (chainId === undefined || peerId === undefined || isExecuted(chainId) || !isExecuted(peerId)) continue;
    const item: SharedMemoryItem = {
      kind: "shared-memory",
      chainId,
      sequence: BigInt(entries.length),
      operation: operation(peerId),
      origin: line.origin,
    };
    entries.push({ peerId, afterHeight, item });
  }
  return new SharedMemoryFile(entries);
}
