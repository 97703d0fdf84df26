/** `npm run oracle:evm -- …`: holds Firn's answers about EVM chains against the oracle, with all parameters. */
import { parseArgs } from "node:util";
import { holdLive, holdRecorded } from "./trials.ts";

const USAGE = `usage: npm run oracle:evm -- [options] <folder of an EVM recording>…
  --live          a development node with the workload, indexed while it runs
  --seed N        of the workload and of the choice of cases (default 1)
  --txs N         transactions of the workload (default 400)
  --cases N       about so many cases (default all)
  --max N         differences to print (default 10)`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    live: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    txs: { type: "string", default: "400" },
    cases: { type: "string" },
    max: { type: "string", default: "10" },
  },
});
if (!values.live && positionals.length === 0) {
  console.error(USAGE);
  process.exit(2);
}
const options = { seed: Number(values.seed), ...(values.cases !== undefined && { most: Number(values.cases) }) };
let failed = 0;
for (const trial of [...positionals, ...(values.live ? [undefined] : [])]) {
  const verdict = trial === undefined ? await holdLive({ ...options, txs: Number(values.txs) }) : await holdRecorded(trial, options);
  for (const failure of verdict.failures.slice(0, Number(values.max))) console.log(`✗ ${failure}`);
  console.log(`${trial ?? `live, seed ${values.seed}`}: ${verdict.asked} of ${verdict.all} cases asked, ${verdict.failures.length} failed`);
  failed += verdict.failures.length;
}
process.exitCode = failed === 0 ? 0 : 1;
