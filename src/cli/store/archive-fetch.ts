import type { CommandDefinition } from "../command.ts";
import { PEER_KEYS, WAIT_OPTION } from "../peer-options.ts";
import { complain, print } from "../print.ts";
import { archiveGroup } from "./archive.ts";

const ONLY_OPTION = { flags: "--only <chains>", help: "short names of the chains to fetch", default: "P,X,C" };

export const archiveFetchCommand: CommandDefinition = {
  group: archiveGroup,
  usage: "fetch <folder>",
  summary: "write the blocks that the peers of a network have into a folder that firn import reads; continues where the folder ends",
  keys: ["network", "genesis", ...PEER_KEYS],
  options: [WAIT_OPTION, ONLY_OPTION],
  examples: [
    "archive fetch mainnet --network mainnet --only P,X",
    "archive fetch local --network local --bootstrap-ids NodeID-… --bootstrap-ips 127.0.0.1:9651",
  ],
  async run({ config, args, options, signal }) {
    const { fetchArchive } = await import("./fetch-archive.ts");
    const folder = args[0]!;
    const report = (file: string, blocks: number) => complain(`${file}: ${blocks} blocks`);
    const total = await fetchArchive({
      ...config,
      wait: options.wait,
      only: options.only,
      folder,
      signal,
      onSegment: report,
      onVertices: () => complain("the vertices with which the X-chain began are fetched first, which takes long; a stop loses none"),
    });
    print(`${signal.aborted ? "stopped: " : ""}${total} blocks written to ${folder}`);
  },
};
