/** Requests to a server with a whole recording: raw HTTP cases, and requests recorded at its end outside of checkpoints. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import { openArchive } from "../../src/sources/archives/archive.ts";
import { hasFile, readLines } from "./asset/recording.ts";
import { type CheckpointOptions, importUntil, loadRecorder, replay, serveAt, type Totals } from "./checkpoints.ts";
import { removeStore } from "./stores.ts";

export async function checkServed(folder: string, options: CheckpointOptions): Promise<Totals> {
  const totals: Totals = { passed: 0, failed: 0 };
  const hasWire = hasFile(folder, "wire.jsonl");
  const hasRequests = hasFile(folder, "requests.jsonl");
  if (!hasWire && !hasRequests) return totals;
  const scratch = mkdtempSync(join(tmpdir(), "firn-served-"));
  try {
    await importUntil(folder, join(scratch, "data"), {}, options.level ?? "full");
    const serving = await serveAt(join(scratch, "data"), await timeAtEnd(folder));
    try {
      if (hasWire) add(totals, await checkWire(serving.url, folder, options));
      if (hasRequests) add(totals, await replay(serving, requestsAsCheckpoint(folder, scratch), options));
    } finally {
      await serving.stop();
    }
  } finally {
    await removeStore(join(scratch, "data"));
    rmSync(scratch, { recursive: true, force: true });
  }
  return totals;
}

async function checkWire(url: string, folder: string, { log, maxShown = 10 }: CheckpointOptions): Promise<Totals> {
  let totals: Totals | undefined;
  const file = join(folder, existsSync(join(folder, "wire.jsonl")) ? "wire.jsonl" : "wire.jsonl.gz");
  const recorder = await loadRecorder();
  await recorder.checkWire(url, file, {
    max: maxShown,
    log(line) {
      const matched = /^matched (\d+) of (\d+) /.exec(line);
      if (matched !== null) totals = { passed: Number(matched[1]), failed: Number(matched[2]) - Number(matched[1]) };
      else if (line.startsWith("✗")) log(line);
    },
  });
  if (totals === undefined) throw new Error(`the recorder gave no totals for ${file}`);
  log(`raw HTTP: ${totals.passed} passed, ${totals.failed} failed`);
  return totals;
}

function requestsAsCheckpoint(folder: string, scratch: string): string {
  const file = join(scratch, "requests.json");
  // copied as text: amounts may exceed what a JavaScript number holds
  writeFileSync(file, `{"label":"requests at the end","heights":{},"requests":[\n${readLines(folder, "requests.jsonl").join(",\n")}\n]}`);
  return file;
}

/** When the last block was accepted, Unix seconds. */
export async function timeAtEnd(folder: string): Promise<bigint> {
  let last = 0n;
  const source = await openArchive({ path: folder, instance: networkInstance });
  for await (const items of source.items({ heights: new Map(), vertices: new Map(), sharedMemoryOperations: 0n })) {
    for (const item of items) if ("acceptedAt" in item) last = item.acceptedAt;
  }
  return last / 1_000_000_000n;
}

function add(totals: Totals, { passed, failed }: Totals): void {
  totals.passed += passed;
  totals.failed += failed;
}
