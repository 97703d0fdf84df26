/**
 * Sends random requests to a server. It must answer each in time, with a status that the node uses, and with an error intended for clients.
 * Violations are returned with their request body.
 */
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { stopwatch } from "../patience.ts";
import { type RecordedRequest, randomBody } from "./json-mutation.ts";
import { Random } from "./mutate.ts";

export interface HttpFuzzOptions {
  readonly url: string;
  readonly recorded: readonly RecordedRequest[];
  readonly count: number;
  readonly seed: number;
  /** has what was sent until the server answers it or hangs up, for a command that looks on */
  readonly unanswered?: Set<Buffer>;
}

export interface HttpFuzzResult {
  /** what was sent and what was wrong with the answer */
  readonly problems: readonly string[];
  /** answers by `status` and `result`, `error` or nothing */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly slowestMs: number;
}

const PARALLEL = 4;
/** what the node answers to a POST of JSON */
const STATUSES = new Set([200, 404, 503]);
/** words of JavaScript that no client should read */
export const LEAKS =
  /internal error|TypeError|RangeError|SyntaxError|Cannot read|is not a function|BigInt|undefined|\.ts:|\.js:|node:internal|NaN/;

/** @param answered settles when the server has answered what was sent, or hung up */
export async function noted<T>(unanswered: Set<Buffer> | undefined, sent: Buffer, answered: Promise<T>): Promise<T> {
  unanswered?.add(sent);
  return answered.finally(() => unanswered?.delete(sent));
}

export async function fuzzHttp({ url, recorded, count, seed, unanswered }: HttpFuzzOptions): Promise<HttpFuzzResult> {
  const random = new Random(seed);
  const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });
  const problems: string[] = [];
  const outcomes: Record<string, number> = {};
  let slowestMs = 0;
  let left = count;
  const work = async () => {
    while (left-- > 0) {
      const chosen = random.of(recorded);
      const path = random.below(20) === 0 ? random.of(recorded).path : chosen.path;
      const body = randomBody(chosen, random);
      const elapsed = stopwatch();
      const answer = await noted(unanswered, body, post(agent, url + path, body)).catch((error: Error) => error);
      slowestMs = Math.max(slowestMs, elapsed());
      const outcome = answer instanceof Error ? "broken" : `${answer.status} ${outcomeOf(answer.body)}`;
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      const problem = answer instanceof Error ? answer.message : problemOf(answer);
      if (problem !== undefined) problems.push(`${path} ${body.toString("latin1").slice(0, 2000)}: ${problem}`);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  agent.destroy();
  return { problems, outcomes, slowestMs };
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

function post(agent: Agent, url: string, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/json", "Content-Length": body.length };
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode!, body: Buffer.concat(chunks).toString() }));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function outcomeOf(body: string): string {
  if (body === "") return "empty";
  return body.startsWith('{"jsonrpc":"2.0","error"') ? "error" : body.startsWith("{") ? "result" : "text";
}

function problemOf({ status, body }: Answer): string | undefined {
  if (!STATUSES.has(status)) return `status ${status}`;
  if (status !== 200 || body === "") return undefined;
  let answer: { jsonrpc?: unknown; result?: unknown; error?: { code?: number; message?: string } };
  try {
    answer = JSON.parse(body);
  } catch {
    return `no JSON: ${body.slice(0, 200)}`;
  }
  if (answer.jsonrpc === undefined) return "checks" in answer ? undefined : `no JSON-RPC: ${body.slice(0, 200)}`;
  if ((answer.result === undefined) === (answer.error === undefined)) return `neither or both of result and error: ${body.slice(0, 200)}`;
  const { code, message } = answer.error ?? { code: -32000, message: "" };
  if (![-32700, -32600, -32000].includes(code!)) return `error code ${code}`;
  return LEAKS.test(message!.replace(/"(?:[^"\\]|\\.)*"/g, "")) ? `leaks: ${message}` : undefined;
}

/** Bytes that are no HTTP, or nearly. The server may answer or hang up; it must do one of them. */
export async function fuzzSockets({ url, count, seed, unanswered }: Omit<HttpFuzzOptions, "recorded">): Promise<void> {
  const random = new Random(seed);
  const port = Number(new URL(url).port);
  for (let sent = 0; sent < count; sent++) {
    const bytes = randomExchange(random);
    await noted(unanswered, bytes, exchange(port, bytes));
  }
}

const METHODS = ["POST", "GET", "HEAD", "PUT", "OPTIONS", "FOO", "post", "", "G@T", "\0"];
const TARGETS = [
  "/ext/bc/P",
  "/ext/health?tag=%zz",
  "*",
  "http://x/ext",
  "/%00",
  "//%e2%82%ac?\xe2\x82",
  "//%0d%0aX:%201",
  "/ext//%ff",
  "/ext/../..",
  "//",
  "/ext/bc/%ff",
  "",
  "/\xff",
  "?",
  "/ext/metrics",
];
const HEADERS = [
  ...[
    "Host: 127.0.0.1",
    "Host: localhost",
    "Host: a b",
    "Host:",
    "Host: \xff",
    "Content-Length: 5",
    "Content-Length: -1",
    "Content-Length: 0",
  ],
  ...["Transfer-Encoding: chunked", "Content-Type: application/json", "Content-Type: \x01", "Origin: http://a", "Connection: close", ": x"],
  ...["Expect: 100-continue", "Expect: nonsense", "Upgrade: h2c", "Connection: Upgrade", "Access-Control-Request-Method: POST", "no colon"],
  ...["Avalanche-Api-Route: P", "Content-Encoding: gzip", `X: ${"x".repeat(20_000)}`, " folded"],
];
const BODIES = ["", "{}", "5\r\nhello\r\n0\r\n\r\n", "zz\r\n", '{"jsonrpc":"2.0","id":1,"method":"platform.getHeight"}', "\0\0\0\0\0"];

function randomExchange(random: Random): Buffer {
  if (random.below(4) === 0) return Buffer.from(Array.from({ length: 1 + random.below(200) }, () => random.below(256)));
  const lines = [
    `${random.of(METHODS)} ${random.of(TARGETS)} ${random.of(["HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/9", ""])}`,
  ];
  for (let headers = random.below(5); headers > 0; headers--) lines.push(random.of(HEADERS));
  const text = `${lines.join(random.below(10) === 0 ? "\n" : "\r\n")}\r\n\r\n${random.of(BODIES)}`;
  return Buffer.from(random.below(10) === 0 ? text.slice(0, random.below(text.length)) : text, "latin1");
}

/** Sends, says that nothing more comes, and waits for the server to close. */
function exchange(port: number, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.end(bytes));
    socket.on("data", () => {});
    socket.on("error", () => {});
    socket.on("close", () => resolve());
  });
}
