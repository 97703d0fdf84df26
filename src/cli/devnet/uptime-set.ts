import type { CommandDefinition } from "../command.ts";
import { askDevnet, CLIENT_KEYS, tell } from "./devnet-client.ts";
import { subnetOption, type UptimeReply, uptimeGroup } from "./uptime.ts";

export const uptimeSetCommand: CommandDefinition = {
  group: uptimeGroup,
  usage: "set <nodeID> <percent>",
  summary: "set a validator's uptime in a devnet; a validator below the required uptime gets no reward",
  keys: CLIENT_KEYS,
  options: [subnetOption],
  examples: ["uptime set NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg 85%"],
  async run({ config, args: [nodeID, percent], options, signal }) {
    const params = { nodeID, uptime: percent!.replace(/%$/, ""), subnetID: options.subnet };
    const reply = await askDevnet<UptimeReply>(config, "setUptime", params, signal);
    tell(config, reply, ({ nodeID, uptime }) => `${nodeID} has an uptime of ${Number(uptime)} %`);
  },
};
