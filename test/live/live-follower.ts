/** A follower in a process of its own, which may be killed and started again, and what it takes. */
import { readdirSync } from "node:fs";
import { freePort } from "../../bench/free-port.ts";
import { anonymousMb } from "../../bench/resident.ts";
import { FirnProcess } from "../cli/firn.ts";
import { call } from "../devnet/json-rpc.ts";

export interface LiveFollowerOptions {
  readonly name: string;
  /** as `--network` takes it */
  readonly network: string;
  /** flags that say from whom: `--upstream` with URLs, the preferred one first, or none and `--bootstrap-ids` */
  readonly from: readonly string[];
  readonly dataDirectory: string;
}

interface Sample {
  readonly megabytes: number;
  readonly descriptors: number;
}

export class LiveFollower {
  readonly name: string;
  readonly url: string;
  readonly #args: readonly string[];
  readonly #samples: Sample[] = [];
  #process: FirnProcess;

  private constructor(name: string, url: string, args: readonly string[]) {
    this.name = name;
    this.url = url;
    this.#args = args;
    this.#process = new FirnProcess(args);
  }

  static async start({ name, network, from, dataDirectory }: LiveFollowerOptions): Promise<LiveFollower> {
    const port = await freePort();
    const what = ["follow", "--network", network, ...from, "--data-dir", dataDirectory];
    const follower = new LiveFollower(name, `http://127.0.0.1:${port}`, [...what, "--http-port", `${port}`, "--workers", "1"]);
    await follower.#process.printed(/^serving /m);
    return follower;
  }

  /** As `kill -9` does; then it is started again with the same store. */
  async killAndRestart(): Promise<void> {
    await this.#process.end("SIGKILL");
    this.#process = new FirnProcess(this.#args);
    await this.#process.printed(/^serving /m);
  }

  get pid(): number {
    return this.#process.child.pid!;
  }

  async sample(): Promise<void> {
    const { pid } = this;
    try {
      this.#samples.push({ megabytes: await anonymousMb(pid), descriptors: readdirSync(`/proc/${pid}/fd`).length });
    } catch {
      // it was just killed
    }
  }

  /** In the first and in the last quarter of the time. */
  growth(): string {
    const quarter = Math.max(1, Math.floor(this.#samples.length / 4));
    const [first, last] = [this.#samples.slice(0, quarter), this.#samples.slice(-quarter)];
    const mean = (samples: Sample[], of: keyof Sample) => Math.round(samples.reduce((sum, sample) => sum + sample[of], 0) / samples.length);
    const of = (key: keyof Sample) => `${mean(first, key)} → ${mean(last, key)}`;
    return `${of("megabytes")} MB, ${of("descriptors")} descriptors`;
  }

  /** What its health says is wrong, if anything. */
  async complaint(): Promise<string | undefined> {
    const { result } = await call(this.url, { path: "/ext/health", method: "health.health", params: {} });
    const { healthy, checks } = result as { healthy: boolean; checks: unknown };
    return healthy ? undefined : JSON.stringify(checks);
  }

  get errors(): string {
    return this.#process.error;
  }

  async stop(): Promise<void> {
    await this.#process.end();
  }
}
