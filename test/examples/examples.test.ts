import { expect, test } from "vitest";
import { scratchDirectory } from "../store/scratch.ts";
import { type ExampleName, hasTools, runExample } from "./example.ts";

/** The others are run by `npm run examples`. */
const names: readonly ExampleName[] = ["foundry"];

for (const name of names) {
  const reason = hasTools(name) ? "" : ` (skipped: its tools are not installed; npm run examples -- --install ${name} gets them)`;
  test.skipIf(!hasTools(name))(`examples/${name} does what docs/contracts/${name}.md says${reason}`, async () => {
    const ran = await runExample(name, scratchDirectory());
    expect(ran.length).toBeGreaterThan(0);
    for (const { command, output, documented, isAsDocumented } of ran) {
      // both are shown where they differ
      if (!isAsDocumented) expect(`$ ${command}\n${output}`).toBe(`$ ${command}\n${documented}`);
    }
  });
}
