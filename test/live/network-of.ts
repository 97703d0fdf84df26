/** Writes what a follower needs to know of a running local network whose nodes have staking rules of their own, which they tell nobody. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { followedNetwork } from "../../src/ingest/following/followed-network.ts";

import { formatNetworkFile } from "../../src/network/network-file.ts";
import { askNodeNetwork } from "../../src/sources/nodes/node-network.ts";

/** Returns the path of a `network.json`, with the genesis beside it. @param minStakeDuration seconds */
export async function writeNetworkOf(url: string, directory: string, minStakeDuration: bigint): Promise<string> {
  const { signal } = new AbortController();
  const now = BigInt(Math.floor(Date.now() / 1000));
  const { network } = await followedNetwork({
    name: "local",
    upstreams: () => askNodeNetwork([url], pino({ level: "silent" }), signal),
    upstreamGenesis: async () => undefined,
    now,
    signal,
  });
  writeFileSync(join(directory, "genesis-P.hex"), Buffer.from(network.genesisBytes).toString("hex"));
  const file = join(directory, "network.json");
  writeFileSync(file, formatNetworkFile({ ...network, staking: { ...network.staking, minStakeDuration } }));
  return file;
}
