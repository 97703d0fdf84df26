/** What a chain that is not executed here did to shared memory, as a step. */
import { SharedMemory, sharedElementKeys } from "../atomic/shared-memory.ts";
import type { View } from "../primitives/view.ts";
import type { SharedMemoryItem } from "../source/source.ts";
import type { IngestLog } from "./ingest-log.ts";
import type { Step } from "./steps.ts";

export function sharedMemoryStep({ chainId, operation }: SharedMemoryItem, view: View, log: IngestLog): Step {
  const { kind, peerId, key } = operation;
  return {
    chain: "shared memory",
    byteLength: kind === "put" ? operation.bytes.length : 0,
    keysRead: () => (kind === "put" ? sharedElementKeys(peerId, chainId, [key]) : sharedElementKeys(chainId, peerId, [key])),
    run() {
      const memory = new SharedMemory(view);
      if (kind === "put") memory.put(chainId, peerId, [operation]);
      else memory.remove(chainId, peerId, [key]);
      log.sharedMemory(chainId, operation);
      return 0;
    },
  };
}
