/** Runs the examples of `docs/sdks.md` as written, in processes of their own. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Serving } from "../../src/serve/serve.ts";
import { importUntil, serveAt } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { serveEvm } from "./evm-served.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(`${root}docs/sdks.md`, "utf8");
const examples = [...page.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => ({ code: code!, name: /from "([^"]+)"/.exec(code!)![1]! }));
const directory = mkdtempSync(join(tmpdir(), "firn-page-"));
// where the packages are found
const scripts = join(root, "node_modules/.cache/firn-examples");
let serving: Serving;

beforeAll(async () => {
  await importUntil(recordingFolder("latest-1"), directory, { P: 90, X: 31, C: 10 }, "replay");
  serving = await serveAt(directory, 1_795_249_210n);
  mkdirSync(scripts, { recursive: true });
});
afterAll(async () => {
  await serving?.stop();
  rmSync(directory, { recursive: true, force: true });
  rmSync(scripts, { recursive: true, force: true });
});

test("There is an example of each client", () => {
  expect(new Set(examples.map(({ name }) => name))).toEqual(
    new Set(["@avalanche-sdk/chainkit", "@avalabs/avacloud-sdk", "@avalabs/glacier-sdk"]),
  );
});

const isOfMetrics = ({ code }: { readonly code: string }) => code.includes("metrics.chains");
const examplesOfData = examples.filter((example) => !isOfMetrics(example));

async function printedBy(code: string, url: string): Promise<string> {
  const script = join(scripts, `${examples.findIndex((each) => each.code === code)}.mjs`);
  expect(code).toContain("http://127.0.0.1:9650");
  writeFileSync(script, code.replaceAll("http://127.0.0.1:9650", url.replace(/\/$/, "")));
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  return stdout.trim();
}

test.each(examplesOfData)("An example of $name runs and prints something", async ({ code }) => {
  expect(await printedBy(code, serving.url)).toMatch(/NodeID-\w+ \d+|^\d+$|AVAX/);
});

test("The example of metrics runs with an EVM chain, and prints hours with their transactions", async () => {
  const { code } = examples.find(isOfMetrics)!;
  const served = await serveEvm("evm-1");
  try {
    expect(await printedBy(code, served.serverUrl)).toMatch(/^(?:\d{4}-\d\d-\d\dT\d\d:00:00\.000Z \d+\n?)+$/);
  } finally {
    await served.stop();
  }
});
