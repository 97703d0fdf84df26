import type { CommandDefinition } from "../command.ts";
import { askDevnet, CLIENT_KEYS, tell } from "./devnet-client.ts";

export const snapshotCommand: CommandDefinition = {
  usage: "snapshot",
  summary: "copy the whole state of a devnet and print the snapshot's ID",
  keys: CLIENT_KEYS,
  examples: ["snapshot"],
  async run({ config, signal }) {
    tell(config, await askDevnet<{ snapshotID: string }>(config, "snapshot", {}, signal), ({ snapshotID }) => snapshotID);
  },
};
