/** Imports the recording into a file and into PostgreSQL in turn, each time with the built Firn in a process of its own. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { recordingFolder } from "../../test/conformance/recordings.ts";
import { type BenchDatabase, type Measured, measureIngest } from "../data-ingest.ts";
import { run } from "../load.ts";
import type { BenchedPostgres } from "./server.ts";

interface Asked {
  readonly directory: string;
  readonly until?: string | undefined;
  readonly postgres?: BenchDatabase;
}

/** The last import into each remains. @param folder where the file is put, in `data` */
export async function compareIngest(
  postgres: BenchedPostgres,
  { folder, runs, until }: { readonly folder: string; readonly runs: number; readonly until: string | undefined },
): Promise<void> {
  const all: { readonly lmdb: Measured; readonly postgres: Measured }[] = [];
  const directory = join(folder, "data");
  const { url, processId } = postgres;
  for (let i = 0; i < runs; i++) {
    rmSync(directory, { recursive: true, force: true });
    await postgres.empty();
    const lmdb = await measureApart({ directory, until });
    all.push({ lmdb, postgres: await measureApart({ directory: join(folder, "unused"), until, postgres: { url, processId } }) });
  }
  console.log(
    "| store | s | tx/s | fetch | execute | index | commit | Firn, CPU s | main thread, CPU s | database, CPU s | peak MB | bytes/tx | × LMDB |",
  );
  console.log(`|---|${"---:|".repeat(12)}`);
  const bySeconds = (store: "lmdb" | "postgres") => all.map((both) => both[store]).sort((a, b) => a.seconds - b.seconds)[runs >> 1]!;
  const [lmdb, inPostgres] = [bySeconds("lmdb"), bySeconds("postgres")];
  console.log(row("LMDB", lmdb, lmdb));
  console.log(row("PostgreSQL", inPostgres, lmdb));
}

function row(name: string, measured: Measured, lmdb: Measured): string {
  const { seconds, transactions, ms, userSeconds, mainSeconds, databaseSeconds, peakMb, bytes } = measured;
  const phases = [ms.fetch, ms.execute, ms.index, ms.commit].map((value) => (value / 1000).toFixed(1));
  const cpu = [userSeconds, mainSeconds, databaseSeconds].map((value) => value?.toFixed(1) ?? "–");
  const ratio = (lmdb.seconds / seconds).toFixed(2);
  const cells = [name, seconds.toFixed(1), Math.round(transactions / seconds), ...phases, ...cpu, Math.round(peakMb)];
  return `| ${[...cells, Math.round(bytes / transactions), ratio].join(" | ")} |`;
}

/** In a process of its own, to measure its CPU time and memory. */
async function measureApart(asked: Asked): Promise<Measured> {
  const script = fileURLToPath(import.meta.url);
  const output = await run(process.execPath, ["--import", "tsx", script, JSON.stringify(asked)]);
  return JSON.parse(output.trim().split("\n").at(-1)!);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { directory, ...options } = JSON.parse(process.argv[2]!) as Asked;
  console.log(JSON.stringify(await measureIngest(recordingFolder("scale-1"), directory, { hasIndex: true, ...options })));
}
