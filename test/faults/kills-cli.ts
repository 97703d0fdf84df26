/**
 * `npm run kills -- [--count 500] [--seed 1] [--only import|follow|network|peers|devnet]`: kills each of the programs that write a store at random
 * moments, and compares all rows after every kill.
 */
import { parseArgs } from "node:util";
import { recordingFolder } from "../conformance/recordings.ts";
import { killDevnet } from "./devnet-kill.ts";
import { killFollowers } from "./evm-kill/evm-kill.ts";
import { killImports } from "./kill-import.ts";
import { killNetworkFollowers } from "./network-kill/network-kill.ts";
import { killFollowersOfPeers } from "./peers-kill.ts";

const { values } = parseArgs({
  options: { count: { type: "string", default: "500" }, seed: { type: "string", default: "1" }, only: { type: "string" } },
});
const seed = Number(values.seed);
const log = console.log;
/** A devnet's store grows with each kill, and with it what its comparison costs. */
const KILLS_PER_DEVNET = 12;

const writers = {
  async import(count: number) {
    const { kills, killsAmidst, imports } = await killImports({
      recording: recordingFolder("latest-1"),
      count,
      seed,
      level: "replay",
      log,
    });
    return `${kills} kills, ${killsAmidst} of them amidst; rows as their blocks make them after each, ${imports} finished stores equal to one that was let alone`;
  },
  async follow(count: number) {
    const { kills, comparisons, amidst, onReplacedBranch } = await killFollowers({ count, seed, log, killsPerComparison: 1 });
    const occasions = Object.entries(kills).map(([occasion, kills]) => `${kills} ${occasion}`);
    return `${occasions.join(", ")}; ${amidst} amidst, ${onReplacedBranch} on a replaced branch: equal to an index that was let alone ${comparisons} times`;
  },
  async peers(count: number) {
    return `${await killFollowersOfPeers({ count, seed, log })} kills; rows as their blocks make them after each, and at each end those of an import`;
  },
  async network(count: number) {
    const { kills, comparisons } = await killNetworkFollowers({ count, seed, log });
    const victims = Object.entries(kills).map(([victim, kills]) => `${kills} of ${victim}`);
    return `${victims.join(", ")}: equal to a follower that was let alone ${comparisons} times`;
  },
  async devnet(count: number) {
    let accepted = 0;
    let unanswered = 0;
    for (let done = 0; done < count; done += KILLS_PER_DEVNET) {
      const kills = Math.min(KILLS_PER_DEVNET, count - done);
      const result = await killDevnet({ kills, seed: seed + done, log: (line) => log(`devnet ${done}: ${line}`) });
      accepted += Object.values(result.accepted).reduce((sum, transactions) => sum + transactions, 0);
      unanswered += result.unanswered;
    }
    return `${count} kills; ${accepted} transactions reported as accepted, all there, ${unanswered} requests unanswered; rows as their blocks make them after each`;
  },
};

const names = Object.keys(writers) as (keyof typeof writers)[];
const chosen = values.only === undefined ? names : names.filter((name) => name === values.only);
if (chosen.length === 0) throw new Error(`--only is ${values.only}; it needs one of ${names.join(", ")}`);
let left = Number(values.count);
for (const [index, name] of chosen.entries()) {
  const count = Math.ceil(left / (chosen.length - index));
  left -= count;
  if (count > 0) log(`${name}: ${await writers[name](count)}`);
}
