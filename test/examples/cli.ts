/**
 * `npm run examples -- [names]`: installs the tools of the examples, by default of all, and runs every command of their pages. With
 * `--install` it only installs.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exampleNames, installTools, runExample } from "./example.ts";

const names = exampleNames.filter((name) => process.argv.includes(name));
for (const name of names.length > 0 ? names : exampleNames) {
  const startedAt = performance.now();
  const report = (result: string) => console.log(`${name}: ${result} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  if (!installTools(name)) {
    process.exitCode = 1;
    report("its tools cannot be installed");
  } else if (process.argv.includes("--install")) report("installed");
  else {
    const scratch = mkdtempSync(join(tmpdir(), "firn-examples-"));
    const ran = await runExample(name, scratch);
    rmSync(scratch, { recursive: true, force: true });
    for (const { command, output, documented } of ran.filter(({ isAsDocumented }) => !isAsDocumented)) {
      process.exitCode = 1;
      console.error(`$ ${command}\n${output}\n\nbut docs/contracts/${name}.md says\n\n${documented}\n`);
    }
    report(`${ran.filter(({ isAsDocumented }) => isAsDocumented).length} of ${ran.length} commands are as documented`);
  }
}
