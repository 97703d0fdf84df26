/** `npm run faults -- [--kills 100] [--flood 1300] [--seed 1]`: kills a devnet repeatedly, then floods one. */
import { parseArgs } from "node:util";
import { flood } from "./devnet-flood.ts";
import { killDevnet } from "./devnet-kill.ts";

const { values } = parseArgs({
  options: { kills: { type: "string", default: "100" }, flood: { type: "string", default: "0" }, seed: { type: "string", default: "1" } },
});
const [kills, transactions, seed] = [Number(values.kills), Number(values.flood), Number(values.seed)];
if (kills > 0) {
  const result = await killDevnet({ kills, seed, log: console.log });
  console.log(
    `${kills} kills (${Object.entries(result.kills)
      .map(([victim, count]) => `${count} of ${victim}`)
      .join(", ")}), seed ${seed}:`,
  );
  console.log(
    `  ${JSON.stringify(result.accepted)} transactions reported as accepted, all there; ${result.unanswered} requests without an answer`,
  );
  const { edits, sends, unanswered } = result.cheats;
  console.log(
    `  ${edits} edits of accounts and ${sends} transactions without a signature answered, all there; ${unanswered} without an answer`,
  );
  console.log(`  ${result.onL1s.join(" and ")} payments on two L1s, each there once`);
  console.log(`  ${result.compared} queries of the Data API answered as the oracle does, with an EVM rebuilt from genesis`);
  for (const [text, count] of result.refused) console.log(`  refused ${count} times: ${text}`);
  console.log(`  AVAX conserved to the last wei, no height lower, nothing left running`);
  console.log(`  from the start to the first answer: ${distribution(result.startMs)}`);
  console.log(`  from the start to the first answer of the EVM: ${distribution(result.evmMs)}`);
}
if (transactions > 0) {
  for (const [chain, outputs] of [
    ["P", 2],
    ["X", 700],
  ] as const) {
    // more than 700 coins are not made of P's gas at once, and a third of them fills its mempool
    const count = chain === "P" ? Math.min(transactions, 700) : transactions;
    const { taken, refusals, accepted, residentMiB } = await flood({ chain, count, outputs });
    console.log(`${chain}: ${taken} of ${count} taken, ${accepted} in blocks at once; memory in MiB ${residentMiB.join(" → ")}`);
    for (const [text, count] of refusals) console.log(`  ${count} times: ${text}`);
  }
}

function distribution(ascending: readonly number[]): string {
  const at = (share: number) => `${ascending[Math.floor(share * (ascending.length - 1))]!.toFixed(0)} ms`;
  return `fastest ${at(0)}, median ${at(0.5)}, 90 % ${at(0.9)}, slowest ${at(1)} (${ascending.length} starts)`;
}
