import type { CommandDefinition } from "../command.ts";
import { askDevnet, CLIENT_KEYS, type Heights, heightsText, tell } from "./devnet-client.ts";
import type { ClockReply } from "./time.ts";

type SnapshotReply = ClockReply & Heights & { readonly snapshotID: string };

export const snapshotsCommand: CommandDefinition = {
  usage: "snapshots",
  summary: "list the snapshots of a devnet",
  keys: CLIENT_KEYS,
  examples: ["snapshots"],
  async run({ config, signal }) {
    const reply = await askDevnet<{ snapshots: readonly SnapshotReply[] }>(config, "listSnapshots", {}, signal);
    tell(config, reply, ({ snapshots }) => {
      if (snapshots.length === 0) return "no snapshots; make one with: firn snapshot";
      return snapshots.map(({ snapshotID, time, heights }) => `${snapshotID}  ${time}  ${heightsText({ heights })}`).join("\n");
    });
  },
};
