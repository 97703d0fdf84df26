/** The examples of docs/data-api.md, asked of a server of the small recorded network. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { importUntil, serveAt } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { documentedExamples, documentedRequest } from "../documented.ts";

const examples = documentedExamples("docs/data-api.md");
const BASE = "http://127.0.0.1:9650";
const directory = mkdtempSync(join(tmpdir(), "firn-documented-"));
let serving: Awaited<ReturnType<typeof serveAt>>;
beforeAll(async () => {
  await importUntil(recordingFolder("latest-1"), directory, {}, "replay");
  serving = await serveAt(directory, BigInt(Math.floor(Date.now() / 1000)));
});
afterAll(async () => {
  await serving?.stop();
  rmSync(directory, { recursive: true, force: true });
});

function curl(command: string): Promise<Response> {
  const { url, request } = documentedRequest(command);
  expect(url.startsWith(`${BASE}/v1/`), url).toBe(true);
  return fetch(url.replace(BASE, serving.url), request);
}

/** `…` as a value is any text; at the end of an object it stands for members that are not shown. */
function readExpected(output: string): { expected: unknown; isShortened: boolean } {
  const expected: unknown = JSON.parse(output.replace(/,\s*…(?=\s*\})/g, ""), (_, value) => (value === "…" ? expect.any(String) : value));
  return { expected, isShortened: /,\s*…\s*\}/.test(output) };
}

test("the page has examples", () => {
  expect(examples.length).toBeGreaterThan(5);
});

test.each(examples)("$command", async ({ command, output }) => {
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
});
