/**
 * Posts a message to the URL of a webhook, which a client chose. Connections go only to addresses that are allowed, redirects are refused, and
 * time and the answer are bounded.
 */
import { lookup } from "node:dns/promises";
import { type ClientRequest, Agent as PlainAgent, request as requestPlain } from "node:http";
import { request as requestSecure, Agent as SecureAgent } from "node:https";
import { allowedAddresses, hostOf, type Internet, internet, lookupOf } from "../base/pinned-address.ts";

/** The outcome of an attempt. */
export interface Attempt {
  /** HTTP status; 0: none came */
  readonly status: number;
  /** why it failed, as a sentence; empty: the receiver has the message */
  readonly problem: string;
  readonly durationMs: number;
}

/** Every address is allowed, and the system resolves names. */
export const ANYWHERE: Internet = { isAllowed: () => true, resolve: (hostname) => lookup(hostname, { all: true }) };
export const PUBLIC_ONLY: Internet = internet;

const LONGEST_PROBLEM = 300;
const MOST_ANSWER_BYTES = 64 << 10;

interface PosterOptions {
  readonly on: Internet;
  /** milliseconds for a whole attempt */
  readonly timeoutMs: number;
}

export class Poster {
  readonly #options: PosterOptions;
  // a connection that is used again goes where it was allowed to go
  readonly #agents = { "http:": new PlainAgent({ keepAlive: true }), "https:": new SecureAgent({ keepAlive: true }) };
  /** attempts */
  readonly #underWay = new Set<AbortController>();
  isClosed = false;

  constructor(options: PosterOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  async post(url: string, body: Buffer, headers: Readonly<Record<string, string>>): Promise<Attempt> {
    const startedAt = performance.now();
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(), this.#options.timeoutMs);
    this.#underWay.add(ending);
    if (this.isClosed) ending.abort();
    const { signal } = ending;
    const outcome = await this.#send(new URL(url), body, headers, signal).catch((error: Error) => ({
      status: 0,
      problem: this.#problemOf(error, signal),
    }));
    clearTimeout(timer);
    this.#underWay.delete(ending);
    return { ...outcome, problem: outcome.problem.slice(0, LONGEST_PROBLEM), durationMs: Math.round(performance.now() - startedAt) };
  }

  /** Attempts that are under way fail. */
  close(): void {
    this.isClosed = true;
    for (const ending of this.#underWay) ending.abort();
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #problemOf(error: Error, signal: AbortSignal): string {
    if (this.isClosed) return "this process was stopped";
    if (signal.aborted) return `no answer within ${this.#options.timeoutMs / 1000} seconds`;
    return `no answer: ${error.message}`;
  }

  async #send(
    url: URL,
    body: Buffer,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Pick<Attempt, "status" | "problem">> {
    const pinned = await allowedAddresses(url, this.#options.on, signal);
    if (pinned === undefined) {
      return {
        status: 0,
        problem: `${hostOf(url)} leads to an address that is not public; the operator allows only public ones (webhookTargets)`,
      };
    }
    if (pinned.length === 0) return { status: 0, problem: `the name ${hostOf(url)} has no address` };
    const [request, agent] = url.protocol === "https:" ? [requestSecure, this.#agents["https:"]] : [requestPlain, this.#agents["http:"]];
    const options = {
      method: "POST",
      agent,
      lookup: lookupOf(pinned),
      signal,
      headers: { "content-type": "application/json", "content-length": body.length, "user-agent": "firn", ...headers },
    };
    const sent = request(url, options);
    // the receiver may have closed a connection that was used before: that is no failure of its
    const status = await statusOf(sent, body).catch((error: unknown) => {
      if (!sent.reusedSocket || signal.aborted) throw error;
      return statusOf(request(url, { ...options, agent: false }), body);
    });
    if (status >= 200 && status < 300) return { status, problem: "" };
    return { status, problem: `answered ${status}${status >= 300 && status < 400 ? ", and redirects are not followed" : ""}` };
  }
}

/** The rest of the answer is read, so that the connection can be used again, and dropped. */
function statusOf(request: ClientRequest, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let hasAnswer = false;
    request.on("response", (response) => {
      hasAnswer = true;
      let left = MOST_ANSWER_BYTES;
      response.on("data", (chunk: Buffer) => {
        left -= chunk.length;
        if (left < 0) response.destroy();
      });
      response.on("error", () => {});
      response.on("close", () => resolve(response.statusCode!));
    });
    request.on("error", reject);
    // closes without an error if the receiver switched to another protocol
    request.on("close", () => !hasAnswer && reject(new Error("the connection ended")));
    request.end(body);
  });
}
