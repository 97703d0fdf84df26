/** Has the nodes activate Helicon while they run: an upgrade file is refused for the local network, so their binary must be made for it. */
import { ask } from "../devnet/json-rpc.ts";

/** Unix seconds of the local network's Helicon, for a binary that reads them: README.md says how to build one. */
export const HELICON_VARIABLE = "FIRN_HELICON_TIME";

/** Rejects unless the node has Helicon at this time, in Unix seconds. */
export async function requireHelicon(node: string, time: number): Promise<void> {
  const { heliconTime } = await ask<{ heliconTime: string }>(node, { path: "/ext/info", method: "info.upgrades", params: {} });
  if (Date.parse(heliconTime) === time * 1000) return;
  const wanted = new Date(time * 1000).toISOString();
  throw new Error(
    `the nodes have Helicon at ${heliconTime}, not at ${wanted}: use a binary that reads ${HELICON_VARIABLE}, or no --helicon-in`,
  );
}
