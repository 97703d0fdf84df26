/** The process that reads a store for `firn verify`. */

import { FirnError } from "../../base/errors/errors.ts";
import { terminalLine } from "../../base/text/terminal-text.ts";
import { catchingUpSentence } from "../../store/open.ts";
import { complain, print } from "../print.ts";
import { heightsText } from "../progress.ts";
import { type Verdict, verifyStore } from "./verify-store.ts";
import { VERIFY_TASK, type VerifyTask } from "./verify-task.ts";

const { directory, scratch, replaySeconds, json }: VerifyTask = JSON.parse(process.env[VERIFY_TASK]!);
const stopping = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => stopping.abort());

const REFRESH_MS = 200;
let shownAt = 0;

function show(line: string, isFinal = false): void {
  const now = performance.now();
  if (!process.stderr.isTTY || (!isFinal && now - shownAt < REFRESH_MS)) return;
  shownAt = now;
  process.stderr.write(`\r\u001b[2K${terminalLine(line).slice(0, (process.stderr.columns ?? 80) - 1)}`);
}

function summary({ isSound, isStopped, problems, problemCount, rows, blocks, replayed, compared, evmBlocks }: Verdict): string[] {
  const more = problemCount > problems.length ? [`… and ${problemCount - problems.length} more`] : [];
  const looked = [
    `${rows} rows`,
    ...(blocks === undefined ? [] : [`${blocks} blocks`]),
    ...(replayed === undefined ? [] : [`${percent(replayed)} of them executed again, ${compared} rows compared`]),
    ...(evmBlocks === undefined ? [] : [`lists of ${evmBlocks} blocks of EVM chains derived again`]),
  ];
  const verdict = isStopped ? "stopped before the end" : isSound ? "sound" : `damaged: ${problemCount} problems`;
  return [...problems, ...more, `${directory}: ${looked.join(", ")}: ${verdict}`];
}

function percent(share: number): string {
  return `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
}

try {
  const catchingUp = catchingUpSentence(directory);
  if (catchingUp !== undefined) complain(catchingUp);
  const verdict = await verifyStore({
    directory,
    scratch,
    replayMs: replaySeconds === null ? undefined : replaySeconds * 1000,
    onPhase: (phase) => show(phase, true),
    onCommit: (state, fraction) => show(`executed again up to ${heightsText(state)} (${percent(fraction)})`),
    signal: stopping.signal,
  });
  show("", true);
  print(json ? JSON.stringify({ directory, ...verdict }) : summary(verdict));
  process.exitCode = verdict.isSound && !verdict.isStopped ? 0 : 1;
} catch (error) {
  show("", true);
  if (!(error instanceof FirnError)) throw error;
  complain(`firn: ${error.message}`);
  process.exitCode = 1;
}
// the channel to the parent would keep this process alive
process.disconnect?.();
