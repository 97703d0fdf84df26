import type { CommandDefinition } from "../command.ts";
import { askDevnet, CLIENT_KEYS, tell } from "./devnet-client.ts";

export const snapshotDeleteCommand: CommandDefinition = {
  // `firn snapshot` itself is a command
  group: { name: "snapshot", summary: "" },
  usage: "delete <snapshot>",
  summary: "delete a snapshot of a devnet",
  keys: CLIENT_KEYS,
  examples: ["snapshot delete 1"],
  async run({ config, args: [snapshotID], signal }) {
    tell(config, await askDevnet(config, "deleteSnapshot", { snapshotID }, signal), () => `snapshot ${snapshotID} is deleted`);
  },
};
