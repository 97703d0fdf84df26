import type { CommandDefinition } from "../command.ts";
import { askDevnet, CLIENT_KEYS, type Heights, heightsText, tell } from "./devnet-client.ts";
import type { ClockReply } from "./time.ts";

export const revertCommand: CommandDefinition = {
  usage: "revert <snapshot>",
  summary: "restore a snapshot of a devnet, including its clock; the snapshot stays",
  keys: CLIENT_KEYS,
  examples: ["revert 1"],
  async run({ config, args: [snapshotID], signal }) {
    const reply = await askDevnet<ClockReply & Heights>(config, "revert", { snapshotID }, signal);
    tell(config, reply, ({ time, heights }) => `back at snapshot ${snapshotID}: the clock shows ${time}; ${heightsText({ heights })}`);
  },
};
