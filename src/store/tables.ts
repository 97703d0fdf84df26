/** Tables about the store itself. Table IDs 60–69. */
import { str, u8, u32, u64 } from "../base/codec/codec.ts";
import { id, table } from "../base/table/table.ts";

/**
 * The network that the rows belong to, and the version of the table definitions that wrote them. One row (slot 0), written with genesis.
 */
export const storeFormat = table({
  id: 60,
  name: "store_format",
  key: { slot: u8 },
  value: { version: u32, networkId: u32, genesisId: id },
});

/**
 * The process that writes, which keeps other writers out. One row (slot 0). `startedAt` distinguishes it from a later process with the same
 * number. It remains when the process is killed, and does not count as content of the store.
 */
export const storeWriter = table({
  id: 61,
  name: "store_writer",
  key: { slot: u8 },
  value: { processId: u32, startedAt: str },
});

/** Progress of ingest, besides the heights of the chains. One row (slot 0). Resident. */
export const ingestProgress = table({
  id: 62,
  name: "ingest_progress",
  key: { slot: u8 },
  value: {
    /** of the next row of `ingest_log` */
    nextSequence: u64,
    /** executed operations of chains whose blocks the source lacks */
    sharedMemoryOperations: u64,
  },
});
