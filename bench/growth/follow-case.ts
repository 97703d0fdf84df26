/**
 * `tsx bench/growth/follow-case.ts DATA-DIR FIRST INTERVAL URL HEIGHT`: follows an EVM chain to a height as `firn ingest` does, with its token
 * service, and merges the store's files then.
 */
import { pino } from "pino";
import type { EvmCommitted } from "../../src/evm/ingest/evm-ingester.ts";
import { built, bytesBelow } from "./built.ts";
import { Rates } from "./rates.ts";

const [directory, first, interval, url, height] = process.argv.slice(2) as [string, string, string, string, string];
const { entryOf } = await built<typeof import("../../src/evm/chain-entry.ts")>("evm/chain-entry");
const { AnswerThreads } = await built<typeof import("../../src/evm/ingest/answer-threads.ts")>("evm/ingest/answer-threads");
const { FollowedChain } = await built<typeof import("../../src/evm/ingest/followed-chain.ts")>("evm/ingest/followed-chain");
const { DEFAULT_LIMITS } = await built<typeof import("../../src/base/limits.ts")>("base/limits");
const { openCatchUpStore } = await built<typeof import("../../src/store/open.ts")>("store/open");

const store = await openCatchUpStore({ directory }, {});
const log = pino({ level: "warn" });
const threads = new AnswerThreads(log);
const stop = new AbortController();
const rates = new Rates({ first: Number(first), interval: Number(interval), storeBytes: () => bytesBelow(directory) });
const onCommit = (_: unknown, committed: EvmCommitted) => {
  rates.committed(committed.transactions);
  if (committed.height >= BigInt(height)) stop.abort();
};
const entry = entryOf([url]);
const chain = new FollowedChain({ store, entry, limits: DEFAULT_LIMITS, log, threads, alone: (register) => register(), onCommit });
await chain.start(stop.signal);
await chain.ended();
await threads.close();
await store.finish();
rates.end();
await store.close();
