import type { CommandDefinition } from "./command.ts";
import { PEER_KEYS, WAIT_OPTION } from "./peer-options.ts";
import { print } from "./print.ts";

export const peersCommand: CommandDefinition = {
  usage: "peers",
  summary: "meet the peers of a network from this machine: which bootstrappers answer, with which version, and why the others do not",
  keys: ["network", ...PEER_KEYS, "json"],
  options: [WAIT_OPTION],
  examples: ["peers --network mainnet", "peers --network local --bootstrap-ids NodeID-… --bootstrap-ips 127.0.0.1:9651"],
  async run({ config, options, signal }) {
    const { meetPeers, meetingLines, requireMet } = await import("./meet-peers.ts");
    const meeting = await meetPeers({ ...config, wait: options.wait, signal });
    print(config.json ? JSON.stringify(meeting) : meetingLines(meeting));
    requireMet(meeting);
  },
};
