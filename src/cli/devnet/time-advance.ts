import { parsePeriod } from "../../devnet/period.ts";
import type { CommandDefinition } from "../command.ts";
import { askDevnet, CLIENT_KEYS, tell } from "./devnet-client.ts";
import { type ClockReply, timeGroup } from "./time.ts";

export const timeAdvanceCommand: CommandDefinition = {
  group: timeGroup,
  usage: "advance <period>",
  summary: "move the clock of a devnet forward: stakers end, rewards are paid, locked outputs unlock",
  keys: CLIENT_KEYS,
  examples: ["time advance 1d", "time advance 1d12h --json"],
  async run({ config, args, signal }) {
    const params = { seconds: parsePeriod(args[0]!).toString() };
    tell(config, await askDevnet<ClockReply>(config, "advanceTime", params, signal), ({ time }) => `the clock shows ${time}`);
  },
};
