/** `tsx test/conformance/checkpoints-cli.ts [--only a,b] [--skip a,b] [--name 003] [--level replay] [--max 20] <recording folder>…` */
import { parseArgs } from "node:util";
import { runCheckpoints } from "./checkpoints.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    skip: { type: "string" },
    name: { type: "string" },
    level: { type: "string", default: "full" },
    max: { type: "string", default: "10" },
  },
});
if (positionals.length === 0 || (values.level !== "full" && values.level !== "replay")) {
  console.error("usage: checkpoints-cli.ts [--only …] [--skip …] [--name …] [--level full|replay] [--max N] <recording folder>…");
  process.exit(2);
}
const total = { passed: 0, failed: 0 };
for (const folder of positionals) {
  console.log(folder);
  const { passed, failed } = await runCheckpoints(folder, {
    level: values.level,
    maxShown: Number(values.max),
    log: console.log,
    ...(values.only && { only: values.only.split(",") }),
    ...(values.skip && { skip: values.skip.split(",") }),
    ...(values.name && { name: values.name }),
  });
  total.passed += passed;
  total.failed += failed;
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
