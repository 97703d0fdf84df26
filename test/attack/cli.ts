/**
 * `npm run attack -- [--target serve|devnet|follow|follow-postgres|peers] [--only NAME] [--seconds 10] [--workers 1,2] [--shared-address] [--json]`: starts a
 * server on 127.0.0.1 and runs every attack on it while a well-behaved client keeps sending requests. Prints `N passed, N failed`; exits
 * with 0 only if nothing failed.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Attack, TARGET_KINDS, type TargetKind } from "./attack.ts";
import { attacks } from "./attacks.ts";
import { FirnTarget, importRecording, type TargetOptions } from "./firn-target.ts";
import { anonymousBytes } from "./process-tree.ts";
import { BOUNDS, type Outcome, runAttack } from "./run-attack.ts";

const { values } = parseArgs({
  options: {
    target: { type: "string" },
    only: { type: "string" },
    seconds: { type: "string", default: "10" },
    workers: { type: "string", default: "2,1" },
    rate: { type: "string", default: "4" },
    "shared-address": { type: "boolean", default: false },
    "data-dir": { type: "string" },
    json: { type: "boolean", default: false },
  },
});

const MIB = 2 ** 20;
const SETTLING_MS = 2000;
const FUSE_BYTES = 4096 * MIB;
const GOOD_ADDRESS = "127.0.0.1";
/** Linux lets connections come from any address of 127.0.0.0/8 */
const ATTACKING_ADDRESS = "127.0.0.2";

interface Row extends Outcome {
  readonly target: string;
}

function tell(row: Row): void {
  if (values.json) {
    console.log(JSON.stringify(row));
    return;
  }
  const lost = Object.values(row.lost).reduce((sum, count) => sum + count, 0);
  const cells = [
    ...[row.attack, row.target, row.p50Ms.toFixed(1), row.p99Ms.toFixed(1), row.maxMs.toFixed(0), `${lost} of ${row.asked}`],
    ...[`${Math.round(row.peakBytes / MIB)}`, JSON.stringify(row.tally).replace(/[{}"]/g, ""), row.problems.join("; ") || "holds"],
  ];
  console.log(`| ${cells.join(" | ")} |`);
}

/** A target that runs on from attack to attack, as long as it holds. */
class Running {
  readonly #options: TargetOptions;
  #target: FirnTarget | undefined;
  #idleBytes = 0;

  constructor(options: TargetOptions) {
    this.#options = options;
  }

  async get(): Promise<{ target: FirnTarget; idleBytes: number }> {
    if (this.#target === undefined) {
      this.#target = await FirnTarget.start(this.#options);
      await sleep(SETTLING_MS);
      this.#idleBytes = anonymousBytes(this.#target.pid);
    }
    return { target: this.#target, idleBytes: this.#idleBytes };
  }

  async stop(): Promise<string | undefined> {
    const problem = await this.#target?.stop();
    this.#target = undefined;
    return problem;
  }
}

async function attackAll(kind: TargetKind, workers: number, chosen: readonly Attack[], dataDirectory: string): Promise<Row[]> {
  const running = new Running({ kind, workers, dataDirectory });
  const label = kind === "devnet" ? kind : `${kind}, ${workers} worker${workers === 1 ? "" : "s"}`;
  const rows: Row[] = [];
  for (const attack of chosen) {
    const { target, idleBytes } = await running.get();
    const addresses = { attacker: values["shared-address"] ? GOOD_ADDRESS : ATTACKING_ADDRESS, good: GOOD_ADDRESS };
    const limits = { perSecond: Number(values.rate), bounds: BOUNDS, fuseBytes: FUSE_BYTES };
    const outcome = await runAttack({ target, attacks: [attack], seconds: Number(values.seconds), addresses, idleBytes, ...limits }).catch(
      (error: Error) => unfinished(attack, error),
    );
    // whatever did not hold must not spoil what comes after it
    const ending = outcome.problems.length > 0 || attack === chosen.at(-1) ? await running.stop() : undefined;
    const row = { ...outcome, target: label, problems: [...outcome.problems, ...(ending === undefined ? [] : [ending])] };
    tell(row);
    rows.push(row);
  }
  return rows;
}

function unfinished(attack: Attack, error: Error): Outcome {
  const nothing = {
    asked: 0,
    lost: {},
    p50Ms: Number.NaN,
    p99Ms: Number.NaN,
    maxMs: Number.NaN,
    slowest: "",
    peakBytes: Number.NaN,
    tally: {},
  };
  return { attack: attack.name, ...nothing, problems: [error.message] };
}

const chosen = attacks.filter(({ name }) => values.only === undefined || values.only.split(",").includes(name));
if (chosen.length === 0) throw new Error(`no attack is called ${values.only}; there are ${attacks.map(({ name }) => name).join(", ")}`);
const kinds = TARGET_KINDS.filter((kind) => values.target === undefined || values.target === kind);
if (kinds.length === 0) throw new Error(`there is no target ${values.target}; use ${TARGET_KINDS.join(", ")}`);

// what was started ends with this process
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const scratch = mkdtempSync(join(tmpdir(), "firn-attacked-"));
const dataDirectory = values["data-dir"] ?? scratch;
const rows: Row[] = [];
try {
  if (!values.json) {
    console.log("| attack | target | p50 ms | p99 ms | max ms | lost | MB above idle | answers to the attacker | verdict |");
    console.log("|---|---|---:|---:|---:|---:|---:|---|---|");
  }
  for (const kind of kinds) {
    const wanted = chosen.filter(({ targets }) => targets.includes(kind));
    if (wanted.length === 0) continue;
    if ((kind === "serve" || kind === "peers") && !existsSync(join(dataDirectory, "store")))
      await importRecording("scale-1", dataDirectory);
    for (const workers of kind === "serve" ? values.workers.split(",").map(Number) : [1]) {
      rows.push(...(await attackAll(kind, workers, wanted, dataDirectory)));
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const failed = rows.filter(({ problems }) => problems.length > 0).length;
console.log(`${rows.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
