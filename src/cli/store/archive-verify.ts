import type { CommandDefinition } from "../command.ts";
import { print } from "../print.ts";
import { archiveGroup } from "./archive.ts";

export const archiveVerifyCommand: CommandDefinition = {
  group: archiveGroup,
  usage: "verify <folder>",
  summary: "verify the hashes, heights and parents of all blocks of an archive; needs no store and executes nothing",
  keys: [],
  examples: ["archive verify backup"],
  async run({ args, signal }) {
    const { verifyArchive } = await import("../../ingest/archive/verify.ts");
    const { formatId } = await import("../../base/bytes/cb58.ts");
    const { PLATFORM_CHAIN_ID } = await import("../../base/bytes/id.ts");
    const { network, chains, vertices, files } = await verifyArchive(args[0]!, signal);
    const names = new Map([
      [PLATFORM_CHAIN_ID, "P"],
      [network.xChainId, "X"],
      [network.cChainId, "C"],
    ]);
    const ranges = chains.map(({ chainId, first, last }) => `${names.get(chainId) ?? formatId(chainId)} ${first}–${last}`);
    const parts = [...(files > 0 ? [`${files} files`] : []), ...(vertices > 0 ? [`${vertices} vertices`] : []), ...ranges];
    print(`network ${network.networkId} (${network.name}) verified: ${parts.join(", ")}`);
  },
};
