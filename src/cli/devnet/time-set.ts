import { parseMoment } from "../../devnet/period.ts";
import type { CommandDefinition } from "../command.ts";
import { askDevnet, CLIENT_KEYS, tell } from "./devnet-client.ts";
import { type ClockReply, timeGroup } from "./time.ts";

export const timeSetCommand: CommandDefinition = {
  group: timeGroup,
  usage: "set <time>",
  summary: "move the clock of a devnet forward to a time",
  keys: CLIENT_KEYS,
  examples: ["time set 2027-01-31T12:00:00Z", "time set 2027-01-31", "time set 1800000000"],
  async run({ config, args, signal }) {
    const params = { time: parseMoment(args[0]!).toString() };
    tell(config, await askDevnet<ClockReply>(config, "setTime", params, signal), ({ time }) => `the clock shows ${time}`);
  },
};
