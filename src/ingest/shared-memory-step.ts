/** Turns a shared-memory operation of a chain that is not executed here into a step. */

import type { View } from "../base/table/view.ts";
import type { PlatformChain } from "../chains/platform/chain.ts";
import { SharedMemory, sharedElementKeys } from "../chains/shared-memory/shared-memory.ts";
import type { PrimaryIndex } from "../index/primary/primary-index.ts";
import type { SharedMemoryItem } from "../sources/source.ts";
import type { IngestLog } from "./ingest-log.ts";
import type { Step } from "./steps.ts";

interface Context {
  readonly view: View;
  readonly log: IngestLog;
  readonly index: PrimaryIndex;
  readonly platform: PlatformChain;
}

export function sharedMemoryStep({ chainId, operation }: SharedMemoryItem, { view, log, index, platform }: Context): Step {
  const { kind, peerId, key } = operation;
  return {
    chain: "shared memory",
    byteLength: kind === "put" ? operation.bytes.length : 0,
    keysRead: () => (kind === "put" ? sharedElementKeys(peerId, chainId, [key]) : sharedElementKeys(chainId, peerId, [key])),
    run() {
      const memory = new SharedMemory(view);
      const { timestamp } = platform.state;
      if (kind === "put") {
        memory.put(chainId, peerId, [operation]);
        index.add({ chain: "shared-memory", source: chainId, destination: peerId, elements: [operation], removed: [], timestamp });
      } else {
        memory.remove(chainId, peerId, [key]);
        index.add({ chain: "shared-memory", source: peerId, destination: chainId, elements: [], removed: [key], timestamp });
      }
      log.sharedMemory(chainId, operation);
      return 0;
    },
  };
}
