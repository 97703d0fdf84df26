/**
 * `npm run schemathesis -- [recordings] [arguments of schemathesis run]`: a long run over several recordings, by default five. Installs
 * schemathesis if it is missing; with `--install` it only does that.
 */
import { EVM_RECORDINGS, RECORDINGS } from "../conformance/recordings.ts";
import { findSchemathesis, install, runSchemathesis, VERSION } from "./run.ts";

const named = [...RECORDINGS, ...EVM_RECORDINGS].filter((name) => process.argv.includes(name));
const recordings = named.length > 0 ? named : (["latest-1", "eras-1", "x-dag", "p-eras-old", "evm-1"] as const);
const args = process.argv.slice(2 + named.length);
const command = findSchemathesis() ?? (install() ? findSchemathesis() : undefined);
if (command === undefined) {
  console.error(`schemathesis ${VERSION} cannot be installed; it needs python3 with venv and pip, or set SCHEMATHESIS to its program`);
  process.exit(1);
}
if (!args.includes("--install")) {
  for (const recording of recordings) {
    console.log(recording);
    const { isClean } = await runSchemathesis(command, recording, args.length === 0 ? ["--max-examples", "300"] : args, {
      onOutput: (text) => process.stdout.write(text),
    });
    if (!isClean) process.exitCode = 1;
  }
}
