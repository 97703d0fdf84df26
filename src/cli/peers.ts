import type { CommandDefinition } from "./command.ts";
import { print } from "./print.ts";

export const peersCommand: CommandDefinition = {
  usage: "peers",
  summary: "meet the peers of a network from this machine: which bootstrappers answer, with which version, and why the others do not",
  keys: ["network", "json"],
  options: [
    {
      flags: "--bootstrap-ids <ids>",
      help: "node IDs of the peers to meet, separated by commas; default: those built into the reference node",
    },
    { flags: "--bootstrap-ips <addresses>", help: "their addresses in the same order, e.g. 203.0.113.7:9651,[2001:db8::7]:9651" },
    {
      flags: "--least-version <version>",
      help: "oldest version of a peer that is taken; it rises with the upgrades of a network",
      default: "1.15.0",
    },
    { flags: "--wait <seconds>", help: "longest time to wait for them", default: "15" },
  ],
  examples: ["peers --network mainnet", "peers --network local --bootstrap-ids NodeID-… --bootstrap-ips 127.0.0.1:9651"],
  async run({ config, options, signal }) {
    const { meetPeers, meetingLines, requireMet } = await import("./meet-peers.ts");
    const meeting = await meetPeers({ network: config.network, signal, ...options });
    print(config.json ? JSON.stringify(meeting) : meetingLines(meeting));
    requireMet(meeting);
  },
};
