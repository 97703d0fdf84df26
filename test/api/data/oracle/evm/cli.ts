/** `npm run oracle:evm -- …`: compares Firn's answers about EVM chains with the oracle, with all parameters. */
import { parseArgs } from "node:util";
import { hold } from "./court.ts";
import { openLive, openRecorded } from "./trials.ts";

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
  const { court, close } = await (trial === undefined ? openLive({ seed: options.seed, txs: Number(values.txs) }) : openRecorded(trial));
  const { asked, all, failures } = await hold(court, options).finally(close);
  for (const failure of failures.slice(0, Number(values.max))) console.log(`✗ ${failure}`);
  console.log(`${trial ?? `live, seed ${values.seed}`}: ${asked} of ${all} cases asked, ${failures.length} failed`);
  failed += failures.length;
}
process.exitCode = failed === 0 ? 0 : 1;
