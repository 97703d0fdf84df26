/** A real `firn serve`, and clients that ask it one request after the other. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { delay, stopwatch } from "../../patience.ts";
import { listeningUrl } from "../../serve/listening-url.ts";
import { BALANCE, contradictionIn } from "./served.ts";

const PROGRAM = join(import.meta.dirname, "../../../bin/firn");
const CLIENTS = 2;
/** between an answer and the next request of a client: the machine has other work */
const PAUSE_MS = 10;
/** 30 s is all that a request may take */
const LONGEST_MS = 35_000;

interface Answer {
  readonly status: number;
  readonly height: bigint;
  readonly body: string;
}

export class Server {
  readonly contradictions: string[] = [];
  /** answers with 200 and with 503 */
  answered = 0;
  refused = 0;
  /** different states that were seen, and the newest of them */
  states = 0;
  newest = 0n;
  slowestMs = 0;
  readonly #child: ChildProcess;
  readonly #directory: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #clients: Promise<void>[] = [];
  #isEnded = false;

  private constructor(child: ChildProcess, directory: string) {
    this.#child = child;
    this.#directory = directory;
    void once(child, "exit").then(() => {
      if (!this.#isEnded) this.contradictions.push("firn serve ended");
    });
  }

  static async start(store: string): Promise<Server> {
    const directory = mkdtempSync(join(tmpdir(), "firn-faults-"));
    const args = ["serve", "--data-dir", directory, "--store", store, "--http-port", "0", "--log-level", "error"];
    const child = spawn(PROGRAM, args, { stdio: ["ignore", "pipe", "ignore"] });
    const server = new Server(child, directory);
    const url = await listeningUrl(child);
    for (let count = 0; count < CLIENTS; count++) server.#clients.push(server.#askOn(url));
    return server;
  }

  async #askOn(url: string): Promise<void> {
    for (let last = 0n; !this.#isEnded; ) {
      const elapsed = stopwatch();
      const answer = await this.#ask(url).catch((error: Error) => error);
      if (this.#isEnded) return;
      this.slowestMs = Math.max(this.slowestMs, elapsed());
      if (answer instanceof Error) this.contradictions.push(`no answer: ${answer.message}`);
      else last = this.#judge(answer, last);
      await delay(PAUSE_MS);
    }
  }

  #judge({ status, height, body }: Answer, last: bigint): bigint {
    if (status === 503) this.refused++;
    else if (status !== 200) this.contradictions.push(`status ${status}: ${body.slice(0, 300)}`);
    else {
      this.answered++;
      const contradiction = height < last ? `height ${height} after ${last}` : contradictionIn(body, height);
      if (contradiction !== undefined) this.contradictions.push(contradiction);
      if (height > this.newest) this.states++;
      if (height > this.newest) this.newest = height;
      return height;
    }
    return last;
  }

  async #ask(url: string): Promise<Answer> {
    const headers = { "content-type": "application/json" };
    const asked = request(`${url}/ext/bc/P`, { method: "POST", agent: this.#agent, headers, timeout: LONGEST_MS });
    asked.on("timeout", () => asked.destroy(new Error("none in time")));
    asked.end(BALANCE);
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    const height = BigInt((response.headers["firn-height-p"] as string | undefined) ?? 0);
    return { status: response.statusCode!, height, body: await text(response) };
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    const gone = this.#child.exitCode ?? this.#child.signalCode ?? once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
    this.#agent.destroy();
    await Promise.all(this.#clients);
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
