import type { DevnetAccount } from "../../devnet/accounts.ts";
import type { CommandDefinition } from "../command.ts";
import { askDevnet, CLIENT_KEYS, tell } from "./devnet-client.ts";

export const accountsCommand: CommandDefinition = {
  usage: "accounts",
  summary: "list the funded keys of a devnet and their addresses on every chain",
  keys: CLIENT_KEYS,
  examples: ["accounts", "accounts --json"],
  async run({ config, signal }) {
    const reply = await askDevnet<{ keys: readonly DevnetAccount[] }>(config, "listKeys", {}, signal);
    tell(config, reply, ({ keys: [first, ...others] }) =>
      first === undefined ? "the genesis funds no key that Firn knows" : [accountText(first), ...others.map(shortText)].join("\n\n"),
    );
  },
};

function accountText({ name, privateKey, privateKeyHex, addresses }: DevnetAccount): string {
  return [name, ...[privateKey, privateKeyHex, addresses.P, addresses.X, addresses.C, addresses.evm].map((text) => `  ${text}`)].join("\n");
}

/** On X and C the address is the same but for its first letter. */
function shortText({ name, privateKeyHex, addresses }: DevnetAccount): string {
  return [name, ...[privateKeyHex, addresses.P, addresses.evm].map((text) => `  ${text}`)].join("\n");
}
