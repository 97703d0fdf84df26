/**
 * The limits of one request, one connection and one serving process. Each limit is defined once: its default, its unit, what it bounds, and
 * what happens beyond it. `--limits` changes them; docs/limits.md lists them.
 */
import { FirnError } from "./errors/errors.ts";
import type { JsonSchema } from "./json/json-members.ts";
import { didYouMean } from "./text/near-name.ts";

type LimitUnit = "bytes" | "seconds" | "milliseconds" | "";

interface LimitDefinition {
  readonly default: number;
  readonly unit: LimitUnit;
  /** what it bounds */
  readonly bounds: string;
  /** what happens beyond it */
  readonly beyond: string;
}

const KIB = 2 ** 10;
const MIB = 2 ** 20;

export const limitDefinitions = {
  connections: {
    default: 4096,
    unit: "",
    bounds: "connections of a serving process",
    beyond:
      "the address with the most connections loses the one that was idle, or had no complete request, for longest; if it has none of these, the new one gets 503",
  },
  connectionsPerAddress: {
    default: 1024,
    unit: "",
    bounds: "connections of one IPv4 address or IPv6 /64; trusted proxies have no limit of their own",
    beyond:
      "the address loses the connection that was idle, or had no complete request, for longest; if it has none of these, the new one gets 503",
  },
  headerSeconds: {
    default: 30,
    unit: "seconds",
    bounds: "time until a request's headers are complete",
    beyond: "the connection is closed",
  },
  bodySeconds: { default: 30, unit: "seconds", bounds: "time until a request is complete", beyond: "the connection is closed" },
  bodyBytes: {
    default: 4 * MIB,
    unit: "bytes",
    bounds: "body of a request to a JSON-RPC endpoint",
    beyond: "413",
  },
  dataBodyBytes: {
    default: 256 * KIB,
    unit: "bytes",
    bounds: "body of a request to the Data API; the longest list of addresses, 1,024, has about 51 KiB",
    beyond: "400",
  },
  buildBodyBytes: {
    default: 2 * MIB,
    unit: "bytes",
    bounds: "body of a request to the Data API that sends a build file",
    beyond: "400",
  },
  evmBodyBytes: { default: 5 * MIB, unit: "bytes", bounds: "body of a request, or WebSocket message, to the C-chain's EVM", beyond: "413" },
  bodiesBytes: {
    default: 64 * MIB,
    unit: "bytes",
    bounds: "requests that are being read or wait for their answer, over all connections of a process",
    beyond: "503 to the largest request of the address that holds the most bytes",
  },
  answersBytes: {
    default: 128 * MIB,
    unit: "bytes",
    bounds: "answers that clients have not read yet, over all connections of a process",
    beyond: "the largest connection of the address that holds the most bytes is closed",
  },
  answerSeconds: {
    default: 30,
    unit: "seconds",
    bounds: "time for which a client may read nothing of an answer that waits for it",
    beyond: "the connection is closed",
  },
  jsonValues: {
    default: 100_000,
    unit: "",
    bounds: "members and elements of a request's JSON",
    beyond: "an error that says so",
  },
  batchCalls: { default: 1000, unit: "", bounds: "calls of a JSON-RPC batch to the C-chain's EVM", beyond: "one error for the batch" },
  batchAnswerBytes: {
    default: 25 * MIB,
    unit: "bytes",
    bounds: "answer to a JSON-RPC batch to the C-chain's EVM",
    beyond: "the remaining calls return an error",
  },
  requestRows: { default: 1_000_000, unit: "", bounds: "rows that one request reads", beyond: "an error that says what to ask instead" },
  requestBytes: {
    default: 32 * MIB,
    unit: "bytes",
    bounds: "rows that one request reads",
    beyond: "an error that says what to ask instead",
  },
  rowsBytes: {
    default: 48 * MIB,
    unit: "bytes",
    bounds: "rows read by unanswered requests, over all requests of a process; the first 1 MiB of each request is free",
    beyond: "503, or a JSON-RPC error, to the request that reads on",
  },
  keptBytes: {
    default: 48 * MIB,
    unit: "bytes",
    bounds: "cached answers, validator sets and parsed transactions; all workers share it, and each has at least 16 MiB",
    beyond: "the least recently used are dropped, and made again on request",
  },
  requestSeconds: { default: 30, unit: "seconds", bounds: "working time of one request", beyond: "503, or a JSON-RPC error" },
  turnMilliseconds: {
    default: 4,
    unit: "milliseconds",
    bounds: "working time of one request before others get their turn",
    beyond: "the request continues in its next turn",
  },
  longRequests: {
    default: 128,
    unit: "",
    bounds: "requests of a process that wait for a second or later turn; one client may have half of them",
    beyond: "503, or a JSON-RPC error",
  },
  evmCallSeconds: {
    default: 10,
    unit: "seconds",
    bounds: "time that a devnet's EVM works on one call",
    beyond: "a JSON-RPC error; the EVM cannot stop a call, so it is restarted",
  },
  evmAnswerBytes: { default: 32 * MIB, unit: "bytes", bounds: "answer of a devnet's EVM to one call", beyond: "a JSON-RPC error" },
  evmMemoryBytes: {
    default: 2048 * MIB,
    unit: "bytes",
    bounds: "memory of the process of a devnet's EVM",
    beyond: "the process ends and is restarted",
  },
  evmFilterItems: {
    default: 500_000,
    unit: "",
    bounds: "addresses and topics in the filters and subscriptions of one chain's EVM; a filter counts as 20 more",
    beyond: "a JSON-RPC error",
  },
  evmL1s: {
    default: 16,
    unit: "",
    bounds: "L1s whose chains run in a devnet, each with an EVM of its own",
    beyond: "the chain is created and does not run; its RPC says so",
  },
  evmPoolBytes: {
    default: 32 * MIB,
    unit: "bytes",
    bounds: "signed transactions that wait for a block of an EVM chain of a devnet",
    beyond: "geth's error that the pool is full",
  },
  webSockets: {
    default: 1024,
    unit: "",
    bounds: "WebSocket connections of a process",
    beyond: "the address with the most WebSockets loses the one that was silent for longest (1013)",
  },
  webSocketsPerAddress: {
    default: 256,
    unit: "",
    bounds: "WebSocket connections of one IPv4 address or IPv6 /64; trusted proxies have no limit of their own",
    beyond: "503",
  },
  webSocketSubscriptions: { default: 256, unit: "", bounds: "subscriptions of one WebSocket client", beyond: "a JSON-RPC error" },
  webSocketFilterItems: {
    default: 50_000,
    unit: "",
    bounds: "addresses and topics in the subscriptions of one WebSocket client; a subscription counts as 20 more",
    beyond: "a JSON-RPC error",
  },
  webSocketQueueBytes: {
    default: 16 * MIB,
    unit: "bytes",
    bounds: "messages that one WebSocket client has not read yet",
    beyond: "the connection is closed (1013)",
  },
  upstreamAnswersBytes: {
    default: 192 * MIB,
    unit: "bytes",
    bounds: "memory of the answers of EVM nodes that are being read, over all chains of a process",
    beyond: "Firn pauses the newest answers until others are read",
  },
  sharedBlocksBytes: {
    default: 32 * MIB,
    unit: "bytes",
    bounds:
      "C-chain blocks of a followed network that one of its two readers (atomic transactions, EVM) has fetched and the other still needs",
    beyond: "the other reading asks the nodes for them again",
  },
  fetchedBlocksBytes: {
    default: 16_384 * MIB,
    unit: "bytes",
    bounds: "compressed blocks of one chain that peers gave and that wait on disk until they are executed",
    beyond: "only the blocks that are executed next are fetched",
  },
  passedAnswerBytes: {
    default: 8 * MIB,
    unit: "bytes",
    bounds: "answer of a followed node that Firn passes on: its peers, what it measured of validators, a transaction's status",
    beyond: "the node counts as one that does not answer",
  },
  passedFactSeconds: {
    default: 5,
    unit: "seconds",
    bounds: "time for which all clients get one answer of a followed node about its peers or its uptime",
    beyond: "the node is asked again",
  },
  passedUptimeSeconds: {
    default: 60,
    unit: "seconds",
    bounds: "time for which all clients get what a followed node measured of validators",
    beyond: "the nodes are asked again; the old answer is shown meanwhile, for at most five times as long",
  },
  passedUptimeMilliseconds: {
    default: 500,
    unit: "milliseconds",
    bounds: "time for which a request waits for what a followed node measured of validators, if there is no earlier answer",
    beyond: "it is answered as without nodes: uptime 0",
  },
  upstreamTraceBytes: {
    default: 4096 * MIB,
    unit: "bytes",
    bounds: "call traces in one message of an EVM node; they are read as a stream, and little of them is kept",
    beyond: "Firn asks for smaller pieces; a single transaction is indexed without its internal transactions",
  },
} as const satisfies Readonly<Record<string, LimitDefinition>>;

export type LimitName = keyof typeof limitDefinitions;
export type Limits = Readonly<Record<LimitName, number>>;

export const LIMIT_NAMES = Object.keys(limitDefinitions) as LimitName[];

export const DEFAULT_LIMITS: Limits = Object.fromEntries(LIMIT_NAMES.map((name) => [name, limitDefinitions[name].default])) as Limits;

export const LIMITS_EXPECTED = "names and values such as bodyBytes=2MiB,connections=500; docs/limits.md lists all names";

const UNITS: Readonly<Record<string, number>> = { "": 1, KiB: KIB, MiB: MIB, GiB: 2 ** 30 };

const amount = { type: ["integer", "string"], minimum: 1, pattern: "^\\d+(KiB|MiB|GiB)?$" };

/** An object of limits, or a text that {@link parseLimits} reads. */
export const limitsSchema: JsonSchema = {
  type: ["object", "string"],
  properties: Object.fromEntries(
    LIMIT_NAMES.map((name) => {
      const { default: byDefault, unit, bounds } = limitDefinitions[name];
      return [name, { ...amount, description: `${bounds}${unit === "" ? "" : ` (${unit})`}`, default: byDefault }];
    }),
  ),
  additionalProperties: false,
  minProperties: 1,
};

/**
 * Parses `name=value,…`, or an object from a file; omitted limits keep their defaults. undefined if the value is neither.
 * @throws FirnError that names the limit which is unknown, given twice or has a wrong amount
 */
export function parseLimits(value: unknown, origin = "limits"): Limits | undefined {
  const pairs: readonly (readonly [string, unknown])[] =
    typeof value === "string" ? value.split(",").map(pairOf) : typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (pairs.length === 0) return undefined;
  const given = new Map<LimitName, number>();
  for (const [name, amount] of pairs) {
    if (!isLimitName(name)) throw new FirnError("config", `${origin} has the unknown name ${JSON.stringify(name)}${hintOf(name)}`);
    if (given.has(name)) throw new FirnError("config", `${origin} has ${name} twice; use it once`);
    given.set(name, amountOf(name, amount, origin));
  }
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(given) };
}

function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(limitDefinitions, name);
}

function hintOf(name: string): string {
  return didYouMean(name, LIMIT_NAMES) || `; use ${LIMITS_EXPECTED}`;
}

function pairOf(text: string): [string, string] {
  const [name = "", amount = ""] = text.trim().split("=");
  return [name, amount];
}

/** At least 1. */
function amountOf(name: LimitName, value: unknown, origin: string): number {
  const [, digits = "", unit = ""] = /^(\d+)(KiB|MiB|GiB)?$/.exec(String(value)) ?? [];
  const amount = Number(digits) * UNITS[unit]!;
  if (amount >= 1 && Number.isSafeInteger(amount)) return amount;
  throw new FirnError(
    "config",
    `${origin} has ${name} ${JSON.stringify(value)}; use a whole number from 1 on, or one with KiB, MiB or GiB, such as 2MiB`,
  );
}
