import { pino } from "pino";
import { expect, test } from "vitest";
import { parseLimits } from "../../../src/base/limits.ts";
import { entryOf } from "../../../src/evm/chain-entry.ts";
import { followIntoStore } from "../../../src/evm/ingest/followed-store.ts";
import { openStore } from "../../../src/store/open.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { startSpoiledNode } from "../replay-rpc/spoiled-node.ts";

test("Who follows a chain reads no more of a message with traces than its limits say", async () => {
  const node = await startSpoiledNode(recordingFolder("evm-1"), { head: 30 });
  const store = await openStore({ directory: scratchDirectory(), mode: "write" });
  const followed = await followIntoStore(store, {
    entries: [entryOf([node.url])],
    limits: parseLimits("upstreamTraceBytes=2KiB")!,
    log: pino({ level: "silent" }),
  });
  try {
    // what is longer for a block is asked for by transaction, which else nobody does
    await expect.poll(() => node.counts.get("debug_traceTransaction")).toBeGreaterThan(0);
  } finally {
    await followed.stop();
    await store.close();
    await node.close();
  }
});
