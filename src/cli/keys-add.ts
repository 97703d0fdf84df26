import { KEY_TIERS, PRIVILEGES } from "../api/access/tiers.ts";
import type { CommandDefinition } from "./command.ts";
import { keysGroup } from "./keys.ts";
import { complain, print } from "./print.ts";

export const keysAddCommand: CommandDefinition = {
  group: keysGroup,
  usage: "add",
  summary: "create an API key and print it once; Firn keeps only its hash",
  keys: ["dataDir"],
  options: [
    { flags: "--name <name>", help: "name of the key in lists; default: its ID" },
    { flags: "--tier <tier>", help: `tier of the rate limits: ${KEY_TIERS.join(", ")}`, default: "free" },
    { flags: "--privileges <list>", help: `what the key may do: ${PRIVILEGES.join(", ")}`, default: "read" },
  ],
  examples: ["keys add --data-dir data", "keys add --data-dir data --name wallet-backend --tier pro"],
  async run({ config, options }) {
    const { addKey } = await import("../api/access/manage-keys.ts");
    const privileges = options.privileges!.split(",").map((privilege) => privilege.trim());
    const { key, added } = await addKey(config.dataDir, { name: options.name, tier: options.tier!, privileges });
    print(key);
    complain(`key ${added.id} (${added.name}, tier ${added.tier}) created; save it now, Firn does not show it again`);
  },
};
