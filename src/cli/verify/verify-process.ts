/**
 * Implements `firn verify`. Another process reads the store: if the disk fails, or the file is cut off meanwhile, the system ends that
 * process with a signal, and this one reports it.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { extname, join } from "node:path";
import { FirnError } from "../../base/errors/errors.ts";
import type { Config } from "../config.ts";
import { VERIFY_TASK, type VerifyTask } from "./verify-task.ts";

const MOST_SECONDS = 2 ** 31 / 1000 - 1;

export async function verify(
  { dataDir, json }: Pick<Config, "dataDir" | "json">,
  options: Readonly<Record<string, string | boolean | undefined>>,
  signal: AbortSignal,
): Promise<void> {
  const task: VerifyTask = {
    directory: dataDir,
    json,
    scratch: typeof options.scratch === "string" ? options.scratch : dataDir,
    replaySeconds: options.all === true ? null : seconds(`${options.replaySeconds}`),
  };
  const child = fork(join(import.meta.dirname, `verify-main${extname(import.meta.filename)}`), [], {
    env: { ...process.env, [VERIFY_TASK]: JSON.stringify(task) },
  });
  signal.addEventListener("abort", () => child.kill("SIGTERM"));
  const [exitCode, endedBy] = (await once(child, "exit")) as [number | null, string | null];
  if (endedBy !== null && !signal.aborted) {
    throw new FirnError(
      "store-damaged",
      `the process that read the store in ${dataDir} was ended by ${endedBy}: the disk failed, or another program changed the file; check the disk`,
    );
  }
  process.exitCode = exitCode ?? 1;
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= MOST_SECONDS) return value;
  throw new FirnError("config", `--replay-seconds is ${JSON.stringify(text)}; use a number of seconds`);
}
