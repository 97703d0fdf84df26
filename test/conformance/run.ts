/** Runs every check that the files of a recording folder allow. The checks are chosen by the files alone, so any recording can be given. */
import { existsSync } from "node:fs";
import { FirnError } from "../../src/base/errors/errors.ts";
import { agreementAtCheckpoints } from "../api/data/agreement/agreement.ts";
import { checkBlocks, checkRefusedTxs, checkVertices } from "./asset/checks.ts";
import { hasFile } from "./asset/recording.ts";
import type { CheckResult } from "./check.ts";
import { type CheckpointOptions, runCheckpoints, type Totals } from "./checkpoints.ts";
import { isEvmRecording } from "./evm/recording.ts";
import { runEvmConformance } from "./evm/run-evm.ts";
import { checkOldEras } from "./platform/old-eras.ts";
import { checkRefusedPlatformTxs } from "./platform/refused.ts";
import { checkServed } from "./served.ts";

export async function runConformance(folder: string, options: CheckpointOptions): Promise<Totals> {
  checkIsRecording(folder);
  if (isEvmRecording(folder)) return checkEvm(folder, options);
  const totals: Totals = { passed: 0, failed: 0 };
  const add = ({ passed, failed }: Totals) => {
    totals.passed += passed;
    totals.failed += failed;
  };
  const isIssued = hasFile(folder, "wire.jsonl");
  const parts: [string, () => AsyncIterable<CheckResult> | Iterable<CheckResult>][] = [
    ["vertices and linear blocks", () => checkVertices(folder)],
    ["X blocks alone, level replay", () => (hasFile(folder, "blocks/X.jsonl") ? checkBlocks(folder) : [])],
    ["blocks, states, refused blocks, siblings and validator sets", () => (hasFile(folder, "siblings.jsonl") ? checkOldEras(folder) : [])],
    ["refused X transactions", () => (isIssued ? checkRefusedTxs(folder) : [])],
    ["refused P transactions", () => (isIssued ? checkRefusedPlatformTxs(folder) : [])],
  ];
  for (const [name, results] of parts) add(await count(name, results(), options));
  add(await runCheckpoints(folder, options));
  add(await checkServed(folder, options));
  add(await checkDataApi(folder, options));
  return totals;
}

/** Every recording names its network. */
export function checkIsRecording(folder: string): void {
  if (!existsSync(folder)) throw new FirnError("archive-missing", `${folder} does not exist; give the folder of a recording`);
  if (hasFile(folder, "network.json")) return;
  throw new FirnError(
    "archive-missing",
    `${folder} is not a recording: it has no network.json; give a folder such as those of the reference node`,
  );
}

/** A chain of an EVM has nothing of the other files. */
async function checkEvm(folder: string, options: CheckpointOptions): Promise<Totals> {
  const totals: Totals = { passed: 0, failed: 0 };
  for await (const { name, results } of runEvmConformance(folder)) {
    const { passed, failed } = await count(name, results, options);
    totals.passed += passed;
    totals.failed += failed;
  }
  return totals;
}

/** What the recorded answers imply for the Data API. */
async function checkDataApi(folder: string, { level, log, maxShown = 10 }: CheckpointOptions): Promise<Totals> {
  const totals: Totals = { passed: 0, failed: 0 };
  for await (const { label, tally } of agreementAtCheckpoints(folder, level && { level })) {
    const failed = tally.differences.length;
    for (const difference of tally.differences.slice(0, maxShown)) log(`✗ ${difference}`);
    log(`Data API, ${label}: ${tally.count - failed} passed, ${failed} failed`);
    totals.passed += tally.count - failed;
    totals.failed += failed;
  }
  return totals;
}

async function count(
  name: string,
  results: AsyncIterable<CheckResult> | Iterable<CheckResult>,
  { log, maxShown = 10 }: CheckpointOptions,
): Promise<Totals> {
  const totals: Totals = { passed: 0, failed: 0 };
  for await (const { name: item, failure } of results) {
    if (failure === undefined) totals.passed++;
    else if (totals.failed++ < maxShown) log(`✗ ${item}\n    ${failure.slice(0, 2000)}`);
  }
  if (totals.passed + totals.failed > 0) log(`${name}: ${totals.passed} passed, ${totals.failed} failed`);
  return totals;
}
