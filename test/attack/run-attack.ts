/** Runs attacks on a target: measures the well-behaved client before, during and after each, and the memory, and returns the results. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Attack } from "./attack.ts";
import type { AttackOrder, AttackReport } from "./attacker-main.ts";
import type { FirnTarget } from "./firn-target.ts";
import { GoodClient, percentile } from "./good-client.ts";
import { MemorySampling } from "./process-tree.ts";
import { questionsTo } from "./questions.ts";

export interface Bounds {
  readonly p99Ms: number;
  /** an answer that takes longer counts as lost */
  readonly answerMs: number;
  readonly memoryBytes: number;
}

/** What the suite is to show. */
export const BOUNDS: Bounds = { p99Ms: 100, answerMs: 10_000, memoryBytes: 512 * 2 ** 20 };

export interface AttackOptions {
  readonly target: FirnTarget;
  /** one after the other; of several it is the first that says what a node does meanwhile */
  readonly attacks: readonly [Attack, ...Attack[]];
  /** each */
  readonly seconds: number;
  /** addresses of who attacks, and of who behaves well */
  readonly addresses: { readonly attacker: string; readonly good: string };
  /** of the whole process tree, idle */
  readonly idleBytes: number;
  /** questions of the well-behaved client to each interface */
  readonly perSecond: number;
  readonly bounds: Bounds;
  /** the target is killed beyond this much memory above idle: the attack is stopped, the machine goes on */
  readonly fuseBytes: number;
}

export interface Outcome {
  readonly attack: string;
  readonly asked: number;
  readonly lost: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly slowest: string;
  readonly peakBytes: number;
  /** what the attacker was answered, by status */
  readonly tally: Readonly<Record<string, number>>;
  /** what does not hold; empty when all does */
  readonly problems: readonly string[];
}

const attackerMain = fileURLToPath(new URL("attacker-main.ts", import.meta.url));
/** the server may still be at what was asked last */
const AFTERMATH_MS = 1000;
/** for blocks whose traces have to be had one by one */
const HEAD_PATIENCE_MS = 60_000;
const MIB = 2 ** 20;

export async function runAttack(options: AttackOptions): Promise<Outcome> {
  const { target, idleBytes, fuseBytes } = options;
  let isBlown = false;
  const memory = new MemorySampling(target.pid, (bytes) => {
    if (bytes - idleBytes <= fuseBytes || isBlown) return;
    isBlown = true;
    process.kill(target.pid, "SIGKILL");
  });
  try {
    const { client, report, isOnCourse } = await underAttack(options);
    const { asked, lost, latenciesMs, slowest } = client;
    const figures = {
      ...{ asked, lost, slowest, peakBytes: memory.peak - idleBytes, tally: report.tally },
      ...{ p50Ms: percentile(latenciesMs, 0.5), p99Ms: percentile(latenciesMs, 0.99), maxMs: percentile(latenciesMs, 1) },
    };
    const died = isBlown ? [`killed at ${Math.round(fuseBytes / MIB)} MB`] : [`the process died: ${lastLine(target.output)}`];
    const problems = [
      ...problemsOf(figures, options.bounds),
      ...report.problems,
      ...(target.hasEnded ? died : []),
      ...(isOnCourse ? [] : ["the index stands still"]),
    ];
    return { attack: options.attacks.map(({ name }) => name).join(), ...figures, problems };
  } finally {
    memory.end();
  }
}

async function underAttack({ target, attacks, seconds, addresses, perSecond, bounds }: AttackOptions) {
  const order = { port: target.port, from: addresses.good, questions: questionsTo(target.kind), perSecond, answerMs: bounds.answerMs };
  const client = await GoodClient.start(order);
  const names = attacks.map(({ name }) => name);
  target.setUpstream(attacks[0].upstream ?? "honest");
  const report = await attackOf({
    names,
    target: target.kind,
    port: target.port,
    from: addresses.attacker,
    seconds,
    store: target.store,
    peerPort: target.peerPort,
  });
  const wasOnCourse = attacks[0].mustStayOnCourse !== true || (await target.reachesHead(HEAD_PATIENCE_MS));
  await sleep(AFTERMATH_MS);
  const answered = await client.stop();
  target.setUpstream("honest");
  const isOnCourse = wasOnCourse && (target.hasEnded || (await target.reachesHead(HEAD_PATIENCE_MS)));
  return { client: answered, report, isOnCourse };
}

type Figures = Omit<Outcome, "attack" | "problems">;

function problemsOf({ lost, p99Ms, peakBytes, tally }: Figures, bounds: Bounds): string[] {
  const lostCount = Object.values(lost).reduce((sum, count) => sum + count, 0);
  const wrong = Object.keys(tally).filter((status) => /^5/.test(status) && status !== "503");
  return [
    ...(lostCount > 0 ? [`${lostCount} lost (${Object.keys(lost)[0]})`] : []),
    ...(p99Ms > bounds.p99Ms ? ["slow"] : []),
    ...(peakBytes > bounds.memoryBytes ? ["memory"] : []),
    ...wrong.map((status) => `${tally[status]} answers ${status}`),
  ];
}

async function attackOf(order: AttackOrder): Promise<AttackReport> {
  const child: ChildProcess = fork(attackerMain, { execArgv: ["--import", "tsx"] });
  const reported = once(child, "message") as Promise<[AttackReport]>;
  const ended = once(child, "exit").then(() => [{ tally: {}, problems: ["the attacker ended without a report"] }] as [AttackReport]);
  child.send(order);
  const [report] = await Promise.race([reported, ended]);
  return report;
}

function lastLine(output: string): string {
  return (
    output
      .trim()
      .split("\n")
      .findLast((line) => /error|fatal|RangeError/i.test(line))
      ?.slice(0, 200) ?? "without a word"
  );
}
