import { KEY_TIERS, PRIVILEGES } from "../data/access/tiers.ts";
import type { CommandDefinition } from "./command.ts";
import { keysGroup } from "./keys.ts";

export const keysAddCommand: CommandDefinition = {
  group: keysGroup,
  usage: "add",
  summary: "make an API key and print it, this once: only a hash of it is kept",
  keys: ["dataDir"],
  options: [
    { flags: "--name <name>", help: "what the key is called in lists; by default its ID" },
    { flags: "--tier <tier>", help: `which of the rate limits it has: ${KEY_TIERS.join(", ")}`, default: "free" },
    { flags: "--privileges <list>", help: `what it may do: ${PRIVILEGES.join(", ")}`, default: "read" },
  ],
  examples: ["keys add --data-dir data", "keys add --data-dir data --name wallet-backend --tier pro"],
  async run({ config, options }) {
    const { addKey } = await import("../data/access/manage-keys.ts");
    const privileges = options.privileges!.split(",").map((privilege) => privilege.trim());
    const { key, added } = await addKey(config.dataDir, { name: options.name, tier: options.tier!, privileges });
    console.log(key);
    console.error(`key ${added.id} (${added.name}, tier ${added.tier}) made; keep it now, it is not shown again`);
  },
};
