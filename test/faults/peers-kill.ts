/** Kills a process that follows a network from its peers at random moments, until the chains are at their ends. */
import { rmSync } from "node:fs";
import { FirnProcess } from "../cli/firn.ts";
import { call } from "../devnet/json-rpc.ts";
import { delay, eventually } from "../patience.ts";
import { randomOf } from "../random.ts";
import { chainRows, servePeers } from "../sources/peers/served-peers.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { requireReplayed } from "./replayed-rows.ts";
import { firstDifference, storeRows } from "./store-rows.ts";

interface PeersKillOptions {
  readonly count: number;
  readonly seed: number;
  readonly log?: (line: string) => void;
}

/** kills of one store before it is compared */
const KILLS_PER_STORE = 4;
const LONGEST_LIFE_MS = 4_000;

/** Throws if a store has other rows than its blocks lead to, or in the end others than an import. Resolves to the number of kills. */
export async function killFollowersOfPeers({ count, seed, log = () => {} }: PeersKillOptions): Promise<number> {
  const world = await servePeers("eras-1");
  const random = randomOf(seed);
  try {
    const expected = chainRows(await storeRows(world.directory));
    let kills = 0;
    while (kills < count) {
      const directory = scratchDirectory();
      const follow = () =>
        new FirnProcess(["follow", ...world.flags, "--data-dir", directory, "--http-port", "0", "--workers", "1", "--level", "replay"]);
      for (let left = Math.min(KILLS_PER_STORE, count - kills); left > 0; left--, kills++) {
        const firn = follow();
        await delay(random() * LONGEST_LIFE_MS);
        await firn.end("SIGKILL");
        log(`kill ${kills + 1}: ${await requireReplayed(directory, scratchDirectory())} rows, as its blocks make them`);
      }
      const firn = follow();
      const [, url] = await firn.printed(/^serving (\S+)/m);
      const heightOf = async (chain: string, service: string) => {
        const { result } = await call(url!, { path: `/ext/bc/${chain}`, method: `${service}.getHeight`, params: {} });
        return BigInt((result as { height: string }).height);
      };
      const { network, heights } = world;
      await eventually(async () => (await heightOf("P", "platform")) === heights.get("00".repeat(32)));
      await eventually(async () => (await heightOf("X", "avm")) === heights.get(network.xChainId));
      await firn.end();
      const difference = firstDifference(chainRows(await storeRows(directory)), expected);
      if (difference !== undefined) throw new Error(`seed ${seed}: ${difference}`);
      rmSync(directory, { recursive: true, force: true });
    }
    return kills;
  } finally {
    await world.close();
  }
}
