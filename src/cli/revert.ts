import type { CommandDefinition } from "./command.ts";
import { askDevnet, CLIENT_KEYS, type Heights, heightsText, tell } from "./devnet-client.ts";
import type { ClockReply } from "./time.ts";

export const revertCommand: CommandDefinition = {
  usage: "revert <snapshot>",
  summary: "put a devnet back to a snapshot, its clock included; the snapshot stays",
  keys: CLIENT_KEYS,
  examples: ["revert 1"],
  async run({ config, args: [snapshotID], signal }) {
    const reply = await askDevnet<ClockReply & Heights>(config.url, "revert", { snapshotID }, signal);
    tell(config, reply, ({ time, heights }) => `back at snapshot ${snapshotID}: the clock shows ${time}; ${heightsText({ heights })}`);
  },
};
