/** Implements `firn import`; loaded when that runs, because serving does not need it. */
import { ingestSource } from "../../ingest/ingest-source.ts";
import { type Committed, DEFAULT_BATCH } from "../../ingest/ingester.ts";
import { networkInstance } from "../../ingest/network-instance.ts";
import { openArchive } from "../../sources/archives/archive.ts";
import type { Source } from "../../sources/source.ts";
import type { CatchUpBounds } from "../../store/catch-up/catch-up-store.ts";
import { openCatchUpStore } from "../../store/open.ts";
import type { Config } from "../config.ts";
import { openLog } from "../log.ts";
import { IngestProgress } from "../progress.ts";
import { storePlace } from "./store-place.ts";

interface ImportOptions {
  /** called for each commit, in addition to the progress line */
  readonly onCommit?: (committed: Committed) => void;
  readonly bounds?: Partial<CatchUpBounds>;
}

/** Returns the text to print at the end. */
export async function importRecording(path: string, config: Config, signal: AbortSignal, options: ImportOptions = {}): Promise<string> {
  const source = await openArchive({ path, instance: networkInstance, until: config.until });
  return importSource(source, config, signal, options);
}

export async function importSource(
  source: Source,
  config: Config,
  signal: AbortSignal,
  { onCommit = () => {}, bounds = {} }: ImportOptions = {},
): Promise<string> {
  const { level, readThreads } = config;
  const log = openLog(config);
  const store = await openCatchUpStore(
    {
      ...storePlace(config),
      network: source.network,
      ...(config.maxStoreBytes !== undefined && { maxBytes: config.maxStoreBytes }),
    },
    { log, bounds },
  );
  const progress = new IngestProgress({ log, terminal: process.stderr, fractionRead: () => source.fractionRead });
  try {
    const limits = { ...DEFAULT_BATCH, blocks: config.batchBlocks };
    const report: typeof progress.committed = (committed, state) => {
      progress.committed(committed, state);
      onCommit(committed);
    };
    const chains = await ingestSource({ store, source, level, limits, readThreads, onCommit: report, signal });
    progress.end();
    await store.finish(signal);
    return `${signal.aborted ? "stopped: " : ""}${progress.summary(chains)}`;
  } finally {
    progress.end();
    await store.close();
  }
}
