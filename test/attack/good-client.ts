/**
 * A well-behaved client in a process of its own. It sends requests to each interface at a fixed rate, on kept and on new connections,
 * whether or not earlier ones were answered, and measures each from the time at which it was due.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Question } from "./questions.ts";

export interface ClientOrder {
  readonly port: number;
  readonly from: string;
  readonly questions: readonly Question[];
  /** to each interface */
  readonly perSecond: number;
  /** an answer that takes longer counts as lost */
  readonly answerMs: number;
}

export interface ClientReport {
  readonly asked: number;
  /** not answered, or not in time, or wrongly: by reason */
  readonly lost: Readonly<Record<string, number>>;
  readonly latenciesMs: readonly number[];
  /** question of the slowest answer */
  readonly slowest: string;
}

const main = fileURLToPath(new URL("good-client-main.ts", import.meta.url));

export class GoodClient {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Resolves when it has had a first answer from each interface. */
  static async start(order: ClientOrder): Promise<GoodClient> {
    const child = fork(main, { execArgv: ["--import", "tsx"] });
    child.send(order);
    const [first] = (await once(child, "message")) as [{ problem?: string }];
    if (first.problem !== undefined) throw new Error(`the well-behaved client was refused before the attack: ${first.problem}`);
    return new GoodClient(child);
  }

  /** Asks no more, waits for what is on its way and tells how it went. */
  async stop(): Promise<ClientReport> {
    this.#child.send("stop");
    const [report] = (await once(this.#child, "message")) as [ClientReport];
    return report;
  }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
