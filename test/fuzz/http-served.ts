/** Serves a whole recording and fuzzes it over HTTP. */

import { join } from "node:path";
import pino from "pino";
import { importUntil } from "../conformance/checkpoints.ts";
import { readJson, readLines } from "../conformance/json-lines.ts";
import { serveHere } from "../serve/serve-here.ts";
import { fuzzHttp, fuzzSockets, type HttpFuzzResult } from "./http-fuzz.ts";
import { fuzzStreams, type StreamFuzzResult } from "./http-streams.ts";
import type { RecordedRequest } from "./json-mutation.ts";

export interface ServedFuzzOptions {
  readonly folder: string;
  /** for the store */
  readonly scratch: string;
  /** JSON bodies */
  readonly count: number;
  /** HTTP messages in streams */
  readonly messages: number;
  readonly seed: number;
  readonly unanswered?: Set<Buffer>;
}

export interface ServedFuzzResult extends HttpFuzzResult, StreamFuzzResult {
  readonly defects: readonly string[];
}

export async function fuzzServed({ folder, scratch, count, messages, seed, unanswered }: ServedFuzzOptions): Promise<ServedFuzzResult> {
  const dataDirectory = join(scratch, "data");
  await importUntil(folder, dataDirectory, {}, "replay");
  const defects: string[] = [];
  const stray = (error: unknown) => defects.push(`stray: ${String(error)}`);
  process.on("unhandledRejection", stray);
  process.on("uncaughtException", stray);
  const serving = await serveHere(dataDirectory, {
    log: pino({ level: "error" }, { write: (line: string) => defects.push(line) }),
  });
  try {
    const common = { url: serving.url, seed, ...(unanswered && { unanswered }) };
    const recorded = recordedRequests(folder);
    const result = await fuzzHttp({ ...common, recorded, count });
    const streams = await fuzzStreams({ ...common, recorded, count: messages });
    await fuzzSockets({ ...common, count: Math.ceil(count / 10) });
    const problems = [...result.problems, ...streams.problems];
    return { ...result, ...streams, problems, defects };
  } finally {
    await serving.stop();
    process.off("unhandledRejection", stray);
    process.off("uncaughtException", stray);
  }
}

interface Refused {
  readonly chain: string;
  readonly hex: string;
}

const ISSUING: Readonly<Record<string, Pick<RecordedRequest, "path" | "method">>> = {
  P: { path: "/ext/bc/P", method: "platform.issueTx" },
  X: { path: "/ext/bc/X", method: "avm.issueTx" },
  C: { path: "/ext/bc/C/avax", method: "avax.issueTx" },
};

/** What was asked at one checkpoint, and every transaction that was refused. */
function recordedRequests(folder: string): RecordedRequest[] {
  const { requests } = readJson<{ requests: RecordedRequest[] }>(folder, "checkpoints/010-later.json");
  const issued = [...readLines<Refused>(folder, "rejected.jsonl")].map(({ chain, hex }) => ({
    ...ISSUING[chain]!,
    params: { tx: hex.startsWith("0x") ? hex : `0x${hex}`, encoding: "hexnc" },
  }));
  return [...requests, ...issued];
}
