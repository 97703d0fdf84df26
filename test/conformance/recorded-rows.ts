/** Rows of whole recordings, which many tests expect of other ways to come to the same store. */
import { storeRows } from "../faults/store-rows.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { importUntil } from "./checkpoints.ts";
import { type RecordingName, recordingFolder } from "./recordings.ts";

/** What an import in large batches writes, at whatever level. It is made once per run. */
export async function recordedRows(name: RecordingName): ReturnType<typeof storeRows> {
  const directory = scratchDirectory();
  await importUntil(recordingFolder(name), directory, {}, "replay");
  return storeRows(directory);
}
