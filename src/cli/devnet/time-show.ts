import type { CommandDefinition } from "../command.ts";
import { askDevnet, CLIENT_KEYS, type Heights, heightsText, tell } from "./devnet-client.ts";
import { type ClockReply, timeGroup } from "./time.ts";

export const timeShowCommand: CommandDefinition = {
  group: timeGroup,
  usage: "show",
  summary: "show the clock of a devnet and the heights of its chains",
  keys: CLIENT_KEYS,
  examples: ["time show", "time show --url http://127.0.0.1:9700"],
  async run({ config, signal }) {
    const status = await askDevnet<ClockReply & Heights>(config, "getStatus", {}, signal);
    tell(config, status, ({ time, ...rest }) => `the clock shows ${time}; ${heightsText(rest)}`);
  },
};
