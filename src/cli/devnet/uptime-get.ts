import type { CommandDefinition } from "../command.ts";
import { askDevnet, CLIENT_KEYS, tell } from "./devnet-client.ts";
import { subnetOption, type UptimeReply, uptimeGroup } from "./uptime.ts";

export const uptimeGetCommand: CommandDefinition = {
  group: uptimeGroup,
  usage: "get <nodeID>",
  summary: "show a validator's uptime in a devnet: 100 % unless you set it",
  keys: CLIENT_KEYS,
  options: [subnetOption],
  examples: ["uptime get NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg"],
  async run({ config, args: [nodeID], options, signal }) {
    const reply = await askDevnet<UptimeReply>(config, "getUptime", { nodeID, subnetID: options.subnet }, signal);
    tell(config, reply, ({ nodeID, uptime }) => `${nodeID} has an uptime of ${Number(uptime)} %`);
  },
};
