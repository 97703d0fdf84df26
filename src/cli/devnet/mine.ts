import type { CommandDefinition } from "../command.ts";
import { askDevnet, CLIENT_KEYS, type Heights, heightsText, tell } from "./devnet-client.ts";

export const mineCommand: CommandDefinition = {
  usage: "mine",
  summary: "build the blocks that are due in a devnet now, and one of the C-chain in any case, if only an empty one",
  keys: CLIENT_KEYS,
  examples: ["mine"],
  async run({ config, signal }) {
    tell(config, await askDevnet<Heights>(config, "mine", {}, signal), heightsText);
  },
};
