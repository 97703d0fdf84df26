/**
 * Follows a primary network: ingests from its nodes until it is stopped. Any other end of ingest is reported in one sentence, shown by
 * health, and retried at growing intervals; meanwhile the store stays at the last good block and is served.
 */
import type { Logger } from "pino";
import { FirnError } from "../../base/errors/errors.ts";
import { pause } from "../../base/work/pause.ts";
import { publicGenesis } from "../../network/public-genesis.ts";
import { isUnknownFormat } from "../../network/unknown-format.ts";
import type { LiveSource } from "../../sources/source.ts";
import { type IngestSourceOptions, ingestSource } from "../ingest-source.ts";
import { RefusedError } from "../refusal.ts";
import { SourceLog } from "../source-log.ts";

export interface FollowPrimaryOptions extends Omit<IngestSourceOptions, "source" | "signal"> {
  readonly source: LiveSource;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** milliseconds until ingest is retried after its first failure; default 1,000 */
  readonly firstRetryMs?: number;
}

const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 300_000;
const LOOK_EVERY_MS = 500;

/** Resolves when it was stopped and everything is committed. */
export async function followPrimary({ firstRetryMs = FIRST_RETRY_MS, ...options }: FollowPrimaryOptions): Promise<void> {
  const { source, store, log, signal, onCommit } = options;
  const sourceLog = new SourceLog(store, log);
  const looking = setInterval(() => sourceLog.update(source.status()), LOOK_EVERY_MS);
  let retryMs = firstRetryMs;
  const ingest = () =>
    ingestSource({
      ...options,
      onQueues: (waiting) => sourceLog.queues(waiting),
      onCommit(committed, state) {
        retryMs = firstRetryMs;
        sourceLog.tell(undefined);
        onCommit?.(committed, state);
      },
    });
  try {
    while (!signal.aborted) {
      try {
        await ingest();
      } catch (error) {
        if (signal.aborted) return;
        const problem = sentenceOf(error as Error, source);
        sourceLog.tell(problem);
        log.error(error instanceof FirnError ? { reason: problem } : { err: error }, "Stopped ingesting the network; trying again");
        await pause(retryMs, signal);
        retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS);
      }
    }
  } finally {
    clearInterval(looking);
    sourceLog.update(source.status());
    await sourceLog.close();
  }
}

/** No node tells which staking and fee rules it was started with: a block that breaks those that Firn assumes may be right. */
function sentenceOf(error: Error, { network }: LiveSource): string {
  const isOfRules = error instanceof RefusedError && !isUnknownFormat(error);
  if (!isOfRules || publicGenesis(network.networkId) !== undefined) return error.message;
  return `${error.message}; if the network's nodes were started with other staking or fee rules, name these in a network.json with --network <file>`;
}
