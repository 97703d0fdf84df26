/** The keys and flags of commands that meet peers. */
import type { ConfigName } from "./config.ts";

export const PEER_KEYS = ["bootstrapIds", "bootstrapIps", "leastVersion"] as const satisfies readonly ConfigName[];

export const WAIT_OPTION = { flags: "--wait <seconds>", help: "longest time to wait for them", default: "15" };
