/** The flags of commands that meet peers. */
export const PEER_OPTIONS = [
  {
    flags: "--bootstrap-ids <ids>",
    help: "node IDs of the peers to meet first, separated by commas; default: those built into the reference node",
  },
  { flags: "--bootstrap-ips <addresses>", help: "their addresses in the same order, e.g. 203.0.113.7:9651,[2001:db8::7]:9651" },
  {
    flags: "--least-version <version>",
    help: "oldest version of a peer that is taken; it rises with the upgrades of a network",
    default: "1.15.0",
  },
  { flags: "--wait <seconds>", help: "longest time to wait for them", default: "15" },
];
