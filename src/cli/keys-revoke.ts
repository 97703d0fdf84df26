import type { CommandDefinition } from "./command.ts";
import { keysGroup } from "./keys.ts";
import { print } from "./print.ts";

export const keysRevokeCommand: CommandDefinition = {
  group: keysGroup,
  usage: "revoke <key>",
  summary: "revoke an API key, by its name or ID; running servers refuse it within a second",
  keys: ["dataDir"],
  examples: ["keys revoke wallet-backend --data-dir data", "keys revoke 5f0c2a91 --data-dir data"],
  async run({ config, args }) {
    const { revokeKey } = await import("../api/access/manage-keys.ts");
    const { id, name } = await revokeKey(config.dataDir, args[0]!);
    print(`key ${id} (${name}) revoked`);
  },
};
