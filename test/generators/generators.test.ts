/** What `docs/sdks.md` says about generated clients, done as it says, with a served recording. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Serving } from "../../src/serve/serve.ts";
import { importUntil, serveAt } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(join(root, "docs/sdks.md"), "utf8");
const [, section] = /\n## A client of your own\n(.*?)\n## /s.exec(page)!;
const blocks = (language: string) => [...section!.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))].map(([, text]) => text!);
/** `npx openapi-typescript http://… --output firn-api.ts`, as name and arguments */
const generators = blocks("sh").map((text) => {
  const [name, ...args] = /^npx (.*)$/m.exec(text)![1]!.split(" ");
  return { name: name!, args };
});
const examples = blocks("ts");

const scratch = mkdtempSync(join(tmpdir(), "firn-generators-"));
const project = join(scratch, "project");
let serving: Serving;

beforeAll(async () => {
  await importUntil(recordingFolder("latest-1"), join(scratch, "data"), { P: 90, X: 31, C: 10 }, "replay");
  serving = await serveAt(join(scratch, "data"), 1_795_249_210n);
  mkdirSync(project);
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));
});
afterAll(async () => {
  await serving?.stop();
  rmSync(scratch, { recursive: true, force: true });
});

const here = (text: string) => text.replaceAll("http://127.0.0.1:9650", serving.url.replace(/\/$/, ""));

/** The program of one of this folder's packages: of its own `node_modules`, or of the repository's. */
function programOf(name: string): string {
  const places = ["node_modules/firn-test-generators/node_modules", "node_modules"].map((folder) => join(root, folder, name));
  const place = places.find(existsSync);
  if (place === undefined) throw new Error(`${name} is not installed; run npm ci`);
  const { bin } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
  return join(place, bin[name]);
}

async function run(...args: string[]): Promise<string> {
  // which of the two a failing program writes to is up to the program
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: project }).catch((error) => {
    throw new Error(`${error.stdout}${error.stderr}`);
  });
  return stdout;
}

test("the page names two generators, and has an example for what each makes", () => {
  expect(generators.map(({ name }) => name)).toEqual(["openapi-typescript", "oazapfts"]);
  expect(examples).toHaveLength(2);
});

test("both generators make TypeScript of the served document, and the page's programs read the recording with it", async () => {
  await Promise.all(generators.map(({ name, args }) => run(programOf(name), ...args.map(here))));
  for (const [index, example] of examples.entries()) writeFileSync(join(project, `example-${index}.ts`), here(example));
  writeFileSync(join(project, "named.ts"), NAMED);
  await run(
    join(root, "node_modules/typescript/bin/tsc"),
    ...["--noEmit", "--strict", "--skipLibCheck", "--target", "es2023", "--module", "nodenext", "--types", ""],
    ...["named.ts", ...examples.map((_, index) => `example-${index}.ts`)],
  );
  const shown = await Promise.all(examples.map((_, index) => run("--import", "tsx", `example-${index}.ts`)));
  expect(shown[0]).toMatch(/^(\w{40,} \w+Tx\n){5}$/);
  expect(shown[1]).toBe(shown[0]);
});

/** Types by their names, as both generators make them; what is wrong does not compile. */
const NAMED = `
import type { components } from "./firn-api.js";
import type { Erc20Token, PChainUtxo, Transaction, Utxo, Validator } from "./firn-client.js";

type Named = components["schemas"];
export const tokens = (token: Erc20Token): Named["Erc20Token"] => token;
export const utxos = (utxo: Utxo | PChainUtxo): Named["Utxo"] | Named["PChainUtxo"] => utxo;
export const transactions = (transaction: Transaction): Named["Transaction"] => transaction;

export const price = ({ price }: Erc20Token): number | undefined => price?.value;
export const percent = (validator: Validator): number | undefined =>
  validator.validationStatus === "active" ? validator.uptimePerformance : undefined;
export const block = (transaction: Named["XChainLinearTransaction"]): number => transaction.blockHeight;

// @ts-expect-error: an amount is a text, exact beyond 2^53
export const amount = ({ amount }: PChainUtxo): number => amount;
// @ts-expect-error: only an active validator has an uptime
export const uptime = (validator: Validator): number => validator.uptimePerformance;
// @ts-expect-error: an ERC-20 token is no ERC-721 token
export const nft = (token: Erc20Token): Named["Erc721Token"] => token;
`;
