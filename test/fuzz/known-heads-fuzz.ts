/**
 * Sends the same streams to two servers with the same store: one has node:http parse every request, the other answers those with a known head itself. Whatever
 * arrives, clients must get the same bytes, and the same end of the connection.
 */
import type { Server } from "node:http";
import { dataRoutes } from "../../src/api/data/routes.ts";
import { EMPTY_ID } from "../../src/base/bytes/id.ts";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import type { Change } from "../../src/base/table/table.ts";
import { platformChains } from "../../src/chains/platform/tables.ts";
import { Wire } from "../http/wire.ts";
import { delay } from "../patience.ts";
import { longRoute } from "../serve/long-route.ts";
import { type SmallNode, startSmallNode } from "../serve/small-node.ts";
import { change, heightChanges } from "../serve/small-store.ts";
import { randomStream, splitStream, USUAL } from "./known-heads-streams.ts";
import { Random } from "./mutate.ts";

export interface KnownHeadsFuzzResult {
  readonly problems: readonly string[];
  readonly streams: number;
  /** requests that node:http has not parsed */
  readonly unparsed: number;
}

/** Streams that are sent at a time, which share a committed state. */
const TOGETHER = 256;
/** Batches that share a committed state. */
const BATCHES_OF_STATE = 16n;
/** A turn takes all that a batch sends at a time. */
const LIMITS = { ...DEFAULT_LIMITS, turnMilliseconds: 10_000, connectionsPerAddress: 4 * TOGETHER, connections: 4 * TOGETHER };
/** So many that their list is sent in chunks. */
const BLOCKCHAINS = 30;
/** Rounds of the event loop without a byte after which a server has nothing more to say. */
const QUIET_ROUNDS = 6;
/** Before two answers count as different, both servers are given this long. */
const PATIENCE_MS = 200;
const MOST_PROBLEMS = 20;

export interface KnownHeadsFuzzOptions {
  readonly count: number;
  readonly seed: number;
  /** goes on until node:http has not parsed so many requests */
  readonly leastUnparsed?: number;
}

export async function fuzzKnownHeads({ count, seed, leastUnparsed = 0 }: KnownHeadsFuzzOptions): Promise<KnownHeadsFuzzResult> {
  const routes = [...dataRoutes, longRoute];
  const [plain, knowing] = await Promise.all([
    startSmallNode({ limits: LIMITS, dataRoutes: routes, parsesAll: true }),
    startSmallNode({ limits: LIMITS, dataRoutes: routes }),
  ]);
  const parsed = [plain, knowing].map(({ server }) => {
    const counted = { requests: 0 };
    server.on("request", () => counted.requests++);
    return counted;
  });
  const unparsed = () => parsed[0]!.requests - parsed[1]!.requests;
  const commit = (changes: readonly Change[]) => Promise.all([plain, knowing].map(({ store }) => store.commit([...changes])));
  await commit(blockchainRows());
  const random = new Random(seed);
  const problems: string[] = [];
  let streams = 0;
  try {
    const splits = USUAL.flatMap((usual) => Array.from({ length: usual.length - 1 }, (_, i) => splitStream(usual, i + 1)));
    const isDone = () => streams >= count && unparsed() >= leastUnparsed;
    for (let batches = 1n; !isDone() && problems.length < MOST_PROBLEMS; batches++) {
      if (batches % BATCHES_OF_STATE === 0n) await commit(heightChanges({ P: 10n + batches, X: 20n + batches, C: 30n }));
      const batch: Buffer[][] = [];
      while (batch.length < TOGETHER) batch.push(splits.pop() ?? randomStream(random));
      streams += batch.length;
      const [expected, actual] = await Promise.all([
        answersTo(plain.server, batch, QUIET_ROUNDS),
        answersTo(knowing.server, batch, QUIET_ROUNDS),
      ]);
      for (const [i, stream] of batch.entries()) {
        if (expected[i] === actual[i]) continue;
        const again = await Promise.all([plain, knowing].map(({ server }) => answersTo(server, [stream], QUIET_ROUNDS, PATIENCE_MS)));
        if (again[0]![0] !== again[1]![0] || (await differsStill(plain.server, knowing.server, batch, i))) {
          problems.push(`${JSON.stringify(stream.map(String))}: ${expected[i]} but ${actual[i]}`);
        }
      }
    }
    const [expected, actual] = [plain, knowing].map(countsOf);
    if (problems.length === 0 && expected !== actual) problems.push(`counts: ${expected} but ${actual}`);
    return { problems, streams, unparsed: unparsed() };
  } finally {
    await Promise.all([plain.remove(), knowing.remove()]);
  }
}

/** What both servers must have counted, without times, and what both found missing in their small stores. */
function countsOf({ metrics, defects }: SmallNode): string {
  const { responses, methods, refused } = metrics.counts;
  const calls = Object.entries(methods).map(([name, { succeeded, failed }]) => `${name} ${succeeded} ${failed}`);
  return JSON.stringify([Object.entries(responses).sort(), calls.sort(), refused, defects.map(String)]);
}

function blockchainRows(): Change[] {
  return Array.from({ length: BLOCKCHAINS }, (_, i) => {
    const chainId = `${100 + i}`.padStart(64, "0");
    return change(platformChains, { chainId }, { sequence: BigInt(i), subnetId: EMPTY_ID, name: `chain ${i}`, vmId: EMPTY_ID, fxIds: [] });
  });
}

async function differsStill(plain: Server, knowing: Server, batch: readonly Buffer[][], i: number): Promise<boolean> {
  const [expected, actual] = [
    await answersTo(plain, batch, QUIET_ROUNDS, PATIENCE_MS),
    await answersTo(knowing, batch, QUIET_ROUNDS, PATIENCE_MS),
  ];
  return expected[i] !== actual[i];
}

/** What clients get that send these streams at the same time, piece by piece, each piece after the answer to those before. */
export async function answersTo(server: Server, streams: readonly Buffer[][], rounds: number, patienceMs = 0): Promise<string[]> {
  const wires = streams.map(() => {
    const wire = new Wire();
    server.emit("connection", wire);
    return wire;
  });
  const most = Math.max(...streams.map(({ length }) => length));
  await quiet(wires, rounds);
  for (let piece = 0; piece < most; piece++) {
    for (const [i, wire] of wires.entries()) {
      const bytes = streams[i]![piece];
      if (bytes === undefined || wire.hasEnded || wire.destroyed) continue;
      wire.push(bytes);
      // as after each socket that the event loop reads
      await new Promise(process.nextTick);
    }
    await quiet(wires, rounds);
    if (patienceMs > 0) await delay(patienceMs);
  }
  const answers = wires.map(({ received, hasEnded }) => `${received.replace(/\r\nDate: [^\r]+/g, "")}${hasEnded ? "<end>" : ""}`);
  for (const wire of wires) wire.destroy();
  return answers;
}

async function quiet(wires: readonly Wire[], rounds: number): Promise<void> {
  const length = () => wires.reduce((sum, { received, hasEnded }) => sum + received.length + (hasEnded ? 1 : 0), 0);
  let last = length();
  for (let same = 0; same < rounds; ) {
    await new Promise(setImmediate);
    const now = length();
    same = now === last ? same + 1 : 0;
    last = now;
  }
}
