/** `npm run fuzz:peers -- [count] [--seed n]`: decodes this many mutants of the messages between peers. Prints violations. */
import { parseArgs } from "node:util";
import { fuzzPeerMessages } from "./peer-messages.ts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: "string" } } });
const [count = "1000000"] = positionals;
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const { problems, decoded, ignored } = fuzzPeerMessages(Number(count), seed);
for (const line of problems) console.log(line.slice(0, 2000));
console.log(`${decoded} messages decoded, ${ignored} ignored, seed ${seed}`);
console.log(`${problems.length} failed`);
process.exitCode = problems.length === 0 ? 0 : 1;
