import type { CommandDefinition } from "./command.ts";
import { PEER_OPTIONS } from "./peer-options.ts";
import { print } from "./print.ts";

export const peersCommand: CommandDefinition = {
  usage: "peers",
  summary: "meet the peers of a network from this machine: which bootstrappers answer, with which version, and why the others do not",
  keys: ["network", "json"],
  options: PEER_OPTIONS,
  examples: ["peers --network mainnet", "peers --network local --bootstrap-ids NodeID-… --bootstrap-ips 127.0.0.1:9651"],
  async run({ config, options, signal }) {
    const { meetPeers, meetingLines, requireMet } = await import("./meet-peers.ts");
    const meeting = await meetPeers({ network: config.network, signal, ...options });
    print(config.json ? JSON.stringify(meeting) : meetingLines(meeting));
    requireMet(meeting);
  },
};
