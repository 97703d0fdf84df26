import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FirnProcess } from "../cli/firn.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { type ExampleName, exampleNames, hasTools, runExample, strangePrograms } from "./example.ts";

/** The others are run by `npm run examples`. */
const names: readonly ExampleName[] = ["foundry", "hardhat", "hardhat-2", "viem", "metamask"];

for (const name of names) {
  const reason = hasTools(name) ? "" : ` (skipped: its tools are not installed; npm run examples -- --install ${name} gets them)`;
  test.skipIf(!hasTools(name))(`examples/${name} does what docs/contracts/${name}.md says${reason}`, async () => {
    expect(strangePrograms(name)).toEqual([]);
    const ran = await runExample(name, scratchDirectory());
    expect(ran.length).toBeGreaterThan(0);
    for (const { command, output, documented, isAsDocumented } of ran) {
      // both are shown where they differ
      if (!isAsDocumented) expect(`$ ${command}\n${output}`).toBe(`$ ${command}\n${documented}`);
    }
  });
}

test("an example whose page uses Firn's package asks for it, in this version", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  for (const name of [...exampleNames, "integration-test"]) {
    const path = `examples/${name}/package.json`;
    if (!existsSync(path)) continue;
    const { devDependencies } = JSON.parse(readFileSync(path, "utf8")) as { devDependencies: Record<string, string> };
    expect(devDependencies["firn-node"], path).toBe(version);
  }
});

test("docs/contracts/metamask.md shows the call that `firn devnet` prints", async () => {
  const devnet = new FirnProcess(["devnet", "--http-port", "0"]);
  const [call] = await devnet.printed(/await ethereum\.request.*/);
  const [, url = ""] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(devnet.output) ?? [];
  await devnet.end();
  expect(readFileSync("docs/contracts/metamask.md", "utf8")).toContain(call.replace(url, "http://127.0.0.1:9650"));
});
