/**
 * Runs schemathesis against the Data API: it generates valid and invalid requests from the OpenAPI document and checks every answer against
 * it. What a schema cannot express about valid requests is in `hooks.py`.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { addKey } from "../../src/api/access/manage-keys.ts";
import { entryOf } from "../../src/evm/chain-entry.ts";
import { importUntil, serveAt } from "../conformance/checkpoints.ts";
import { followHere, HASTE } from "../conformance/evm/followed.ts";
import { EVM_RECORDINGS, type EvmRecordingName, type RecordingName, recordingFolder } from "../conformance/recordings.ts";
import { startReplayRpc } from "../evm/replay-rpc/replay-rpc.ts";

export const VERSION = "4.32.5";
const VENV = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "firn", `schemathesis-${VERSION}`);

/** The program's path, if it is there: the environment's SCHEMATHESIS, the one that `install` made, or one in the PATH. */
export function findSchemathesis(): string | undefined {
  const candidates = [process.env.SCHEMATHESIS, join(VENV, "bin", "schemathesis"), "schemathesis"];
  return candidates.find((command) => command !== undefined && spawnSync(command, ["--version"]).status === 0);
}

/** Into a folder of the user's cache, by pip; tells whether it worked. */
export function install(): boolean {
  const run = (command: string, ...args: string[]) => spawnSync(command, args, { stdio: ["ignore", "ignore", "inherit"] }).status === 0;
  const pip = join(VENV, "bin", "pip");
  return run("python3", "-m", "venv", VENV) && run(pip, "install", "--quiet", "--retries", "1", `schemathesis==${VERSION}`);
}

/**
 * All checks but two: a method that a path does not have is 404 here and not 405, since clients know eight statuses only (data-api 1.11).
 * And DELETE switches a webhook off, as the hosted service does: it can still be read.
 */
const CHECKS = ["--checks", "all", "--exclude-checks", "unsupported_method,use_after_free"];

/** What it printed, and whether it found nothing. The recording's last block gives the time; one of an EVM chain is followed. */
export async function runSchemathesis(
  command: string,
  recording: RecordingName | EvmRecordingName,
  args: readonly string[],
  { time = BigInt(Math.floor(Date.now() / 1000)), onOutput = (_: string) => {} } = {},
): Promise<{ isClean: boolean; output: string }> {
  const scratch = mkdtempSync(join(tmpdir(), "firn-schemathesis-"));
  try {
    const data = join(scratch, "data");
    const { key } = await addKey(data, { tier: "unlimited", privileges: ["read", "write"] });
    const serving = isOfEvm(recording) ? await followRecording(recording, data) : await serveRecording(recording, data, time);
    try {
      const withKey = [...args, "--header", `x-data-api-key: ${key}`];
      return await runAgainst(serving.url, command, withKey, { directory: scratch, onOutput });
    } finally {
      await serving.stop();
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function isOfEvm(recording: RecordingName | EvmRecordingName): recording is EvmRecordingName {
  return (EVM_RECORDINGS as readonly string[]).includes(recording);
}

async function serveRecording(recording: RecordingName, store: string, time: bigint) {
  await importUntil(recordingFolder(recording), store, {}, "replay");
  return serveAt(store, time);
}

async function followRecording(recording: EvmRecordingName, directory: string) {
  const replay = await startReplayRpc({ recording: recordingFolder(recording) });
  const following = await followHere([entryOf([replay.url])], HASTE, directory);
  await following.indexedTo("43112", replay.head);
  return {
    url: following.url,
    async stop() {
      await following.stop();
      await replay.close();
    },
  };
}

async function runAgainst(
  url: string,
  command: string,
  args: readonly string[],
  { directory, onOutput }: { readonly directory: string; onOutput(text: string): void },
): Promise<{ isClean: boolean; output: string }> {
  const environment = { ...process.env, FIRN_URL: url, SCHEMATHESIS_HOOKS: join(import.meta.dirname, "hooks.py") };
  const all = ["run", `${url}/v1/openapi.json`, "--no-color", ...CHECKS, ...args];
  const child = spawn(command, all, { cwd: directory, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      onOutput(text);
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
  return { isClean: code === 0, output };
}
