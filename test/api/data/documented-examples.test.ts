/** Runs the examples of docs/data-api.md against servers of a small recorded network and of a recorded EVM chain. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { entryOf } from "../../../src/evm/chain-entry.ts";
import { importUntil, serveAt } from "../../conformance/checkpoints.ts";
import { type Followed, followHere } from "../../conformance/evm/followed.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { documentedExamples, documentedRequest } from "../../documented.ts";
import { type ReplayRpc, startReplayRpc } from "../../evm/replay-rpc/replay-rpc.ts";
import { eventuallyHolds } from "../../patience.ts";

const examples = documentedExamples("docs/data-api.md");
const BASE = "http://127.0.0.1:9650";
const EVM_BASE = "http://127.0.0.1:9660";
const directory = mkdtempSync(join(tmpdir(), "firn-documented-"));
let serving: Awaited<ReturnType<typeof serveAt>>;
let replay: ReplayRpc;
let following: Followed;
beforeAll(async () => {
  replay = await startReplayRpc({ recording: recordingFolder("evm-1") });
  following = await followHere([entryOf([replay.url])]);
  await following.indexedTo("43112", replay.head);
  await importUntil(recordingFolder("latest-1"), directory, {}, "replay");
  // biome-ignore lint/plugin: as `firn serve` does; any time after the recording's
  serving = await serveAt(directory, BigInt(Math.floor(Date.now() / 1000)));
});
afterAll(async () => {
  await serving?.stop();
  await following?.stop();
  await replay?.close();
  rmSync(directory, { recursive: true, force: true });
});

function curl(command: string): Promise<Response> {
  const { url, request } = documentedRequest(command);
  expect([`${BASE}/v1`, `${EVM_BASE}/v1`], url).toContain(url.slice(0, BASE.length + 3));
  return fetch(url.replace(BASE, serving.url).replace(EVM_BASE, following.url), request);
}

/** `…` as a value is any text; at the end of an object it stands for members that are not shown. */
function readExpected(output: string): { expected: unknown; isShortened: boolean } {
  const expected: unknown = JSON.parse(output.replace(/,\s*…(?=\s*\})/g, ""), (_, value) => (value === "…" ? expect.any(String) : value));
  return { expected, isShortened: /,\s*…\s*\}/.test(output) };
}

test("the page has examples", () => {
  expect(examples.length).toBeGreaterThan(5);
});

// what contracts say of themselves is asked behind the index's back
test.each(examples)("$command", ({ command, output }) => eventuallyHolds(() => hold(command, output)));

async function hold(command: string, output: string): Promise<void> {
  const response = await curl(command);
  const text = await response.text();
  if (output.startsWith("HTTP/")) {
    const [status, ...headers] = output.split("\n").filter((line) => line !== "…");
    expect(`HTTP/1.1 ${response.status} ${response.statusText}`).toBe(status);
    for (const header of headers) {
      const [name, value] = header.split(": ");
      expect(response.headers.get(name!), name).toBe(value);
    }
    return;
  }
  const { expected, isShortened } = readExpected(output);
  if (isShortened) expect(JSON.parse(text)).toMatchObject(expected as object);
  else expect(JSON.parse(text)).toEqual(expected);
}
