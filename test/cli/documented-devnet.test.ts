/**
 * Runs the examples of README.md and docs/devnet.md as written: the commands against one network, and each `firn devnet` in a process of
 * its own.
 */
import { expect, test } from "vitest";
import { documentedExamples, documentedPattern, documentedRequest, documentedWords, type Example } from "../documented.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { FirnProcess, run } from "./firn.ts";

const BASE = "http://127.0.0.1:9650";
const PAGES = ["README.md", "docs/devnet.md"];

function isStart({ command }: Example): boolean {
  return /^(npm start|firn devnet)\b/.test(command);
}

/** As printed, with the documented port. */
function shown(text: string, url: string): string {
  return text.replaceAll(url.replace("http://", ""), BASE.replace("http://", "")).trim();
}

function expectShown(text: string, url: string, { command, output }: Example): void {
  const pattern = documentedPattern(output);
  if (!pattern.test(shown(text, url))) expect(`$ ${command}\n${shown(text, url)}`).toBe(`$ ${command}\n${output}`);
}

test.each(PAGES)("commands and requests of %s, in their order, answer what it says", async (page) => {
  const commands = documentedExamples(page).filter((example) => !isStart(example));
  expect(commands.length).toBeGreaterThan(3);
  const devnet = new FirnProcess(["devnet", "--http-port", "0", "--json"]);
  const [, url = ""] = await devnet.printed(/"url":"([^"]+)"/);
  for (const example of commands) {
    const [program, ...args] = documentedWords(example.command);
    if (program !== "curl") {
      const { output, error } = run(args, { environment: { FIRN_URL: url } });
      expectShown(output + error, url, example);
    } else {
      const { url: documented, request } = documentedRequest(example.command);
      const response = await fetch(documented.replace(BASE, url), request);
      expectShown(await response.text(), url, example);
    }
  }
  await devnet.end();
});

test.each(PAGES)("networks start as %s says", async (page) => {
  const starts = documentedExamples(page).filter(isStart);
  expect(starts.length).toBeGreaterThan(0);
  const directory = scratchDirectory();
  for (const example of starts) {
    const [, ...args] = documentedWords(example.command.replace("npm start", "firn devnet"));
    const devnet = new FirnProcess([...args, "--http-port", "0"], { directory });
    // one that is refused ends by itself, having printed nothing
    await devnet.printed(/Ctrl-C|"ready"/).catch(() => {});
    const [, url = BASE] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(devnet.output) ?? [];
    await devnet.end();
    expectShown(devnet.output + devnet.error, url, example);
  }
});
