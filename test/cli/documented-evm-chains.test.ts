/** Runs the examples of docs/evm-chains.md as written. As on the page, the chain is a devnet's C-chain. */

import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { JsonInput } from "../../src/base/json/json-input.ts";
import { parseChainEntries } from "../../src/evm/chain-entry.ts";
import { readPrices } from "../../src/evm/labels/open-labels.ts";
import { documentedExamples, documentedPattern, documentedRequest, documentedWords } from "../documented.ts";
import { eventually } from "../patience.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { FirnProcess, run } from "./firn.ts";

const PAGE = "docs/evm-chains.md";
const NODE = "127.0.0.1:9650";
const FOLLOWER = "127.0.0.1:9660";
const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(join(root, PAGE), "utf8");
// where the packages are found
const scripts = join(root, "node_modules/.cache/firn-evm-examples");
afterAll(() => rmSync(scripts, { recursive: true, force: true }));

function blocksOf(language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, block]) => block!);
}

/** What a block did is there about a second later. */
function answerLike(pattern: RegExp, ask: () => Promise<string>): Promise<string> {
  return eventually(async () => {
    const answer = await ask();
    return pattern.test(answer) && answer;
  });
}

test("commands, requests and programs do what the page says", async () => {
  const directory = scratchDirectory();
  const devnet = new FirnProcess(["devnet", "--http-port", "0", "--json"]);
  const [, url = ""] = await devnet.printed(/"url":"([^"]+)"/);
  const node = new URL(url).host;
  let follower = FOLLOWER;
  const meant = (text: string) => text.replaceAll(NODE, node).replaceAll(FOLLOWER, follower);
  const shown = (text: string) => text.replaceAll(follower, FOLLOWER).replaceAll(node, NODE).trim();
  let firn: FirnProcess | undefined;
  const answerOf = async (command: string, pattern: RegExp): Promise<string> => {
    const [program, ...args] = documentedWords(meant(command));
    if (program === "curl") {
      const { url: asked, request } = documentedRequest(meant(command));
      return answerLike(pattern, async () => shown(await (await fetch(asked, request)).text()));
    }
    if (args[0] === "follow") {
      firn = new FirnProcess([...args, "--http-port", "0"], { directory });
      follower = new URL((await firn.printed(/serving (\S+)/))[1]!).host;
      return shown(firn.output);
    }
    // it writes the store, as the page says
    if (args[0] === "forget") await firn?.end();
    const { output: printed, error } = run(args, { environment: { FIRN_URL: url }, directory });
    return shown(printed + error);
  };
  const examples = documentedExamples(PAGE);
  const programs = blocksOf("js");
  const end = examples.findIndex(({ command }) => command.startsWith("firn forget"));
  expect([examples.length, programs.length, end]).toEqual([7, 1, 6]);
  for (const [index, { command, output }] of examples.entries()) {
    if (index === end) for (const [number, code] of programs.entries()) await runProgram(`${number}.mjs`, meant(code));
    const pattern = documentedPattern(output);
    const answer = await answerOf(command, pattern);
    if (!pattern.test(answer)) expect(`$ ${command}\n${answer}`).toBe(`$ ${command}\n${output}`);
  }
});

async function runProgram(name: string, code: string): Promise<void> {
  mkdirSync(scripts, { recursive: true });
  const script = join(scripts, name);
  writeFileSync(script, code);
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  expect(stdout).toMatch(/^0x[0-9a-f]{64} 25000000000000000000$/m);
}

test("the configuration on the page is one, and its table has every key of a chain", () => {
  const [config, prices] = blocksOf("json");
  const { chains } = JSON.parse(config!) as { chains: unknown };
  const [first, second] = parseChainEntries(chains, PAGE);
  expect(first).toMatchObject({ name: "Example L1", nfts: { fetches: true } });
  expect(second).toMatchObject({ startBlock: 1_200_000n, maxReorgDepth: 64 });
  expect(readPrices(new JsonInput(JSON.parse(prices!), PAGE), PAGE).size).toBe(2);
  const table = page.slice(page.indexOf("| key of a chain |"), page.indexOf("`firn serve` on the same"));
  for (const key of Object.keys(first!)) expect(table, `the table lacks ${key}`).toContain(`\`${key}\``);
});
