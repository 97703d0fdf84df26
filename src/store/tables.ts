/** What the store says of itself. Table IDs 60–69. */
import { str, u8, u32, u64 } from "../primitives/codec/codec.ts";
import { id } from "../primitives/columns.ts";
import { table } from "../primitives/table.ts";

/** Which network the rows belong to, and which version of the table definitions wrote them. One row (slot 0), written with genesis. */
export const storeFormat = table({
  id: 60,
  name: "store_format",
  key: { slot: u8 },
  value: { version: u32, networkId: u32, genesisId: id },
});

/**
 * The process that writes, so that no second one does. One row (slot 0). `startedAt` tells it from a later process with the same number.
 * It stays behind when the process is killed, and is no part of the content of a store.
 */
export const storeWriter = table({
  id: 61,
  name: "store_writer",
  key: { slot: u8 },
  value: { processId: u32, startedAt: str },
});

/** How far ingest is, besides the heights of the chains. One row (slot 0). Resident. */
export const ingestProgress = table({
  id: 62,
  name: "ingest_progress",
  key: { slot: u8 },
  value: {
    /** of the next row of `ingest_log` */
    nextSequence: u64,
    /** executed operations of chains whose blocks are not part of the source */
    sharedMemoryOperations: u64,
  },
});
