import { FirnError } from "../primitives/errors.ts";
import type { CommandDefinition } from "./command.ts";
import { askDevnet, CLIENT_KEYS, tell } from "./devnet-client.ts";

const DECIMALS = 9;

export const fundCommand: CommandDefinition = {
  usage: "fund <address> <AVAX>",
  summary: "pay AVAX from a devnet's funded key to an address: P-…, X-… or 0x…",
  keys: CLIENT_KEYS,
  examples: ["fund P-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2 100", "fund 0x1111111111111111111111111111111111111111 2.5"],
  async run({ config, args: [address, amount], signal }) {
    const reply = await askDevnet<{ txID: string }>(config.url, "fund", { address, amount: nAvax(amount!).toString() }, signal);
    tell(config, reply, ({ txID }) => `${txID} pays ${amount} AVAX to ${address}`);
  },
};

/** "2.5" → 2,500,000,000 */
function nAvax(text: string): bigint {
  const [, whole, decimals = ""] = /^(\d+)(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  if (whole !== undefined) return BigInt(`${whole}${decimals.padEnd(DECIMALS, "0")}`);
  throw new FirnError("amount", `${JSON.stringify(text)} is no amount of AVAX; use a number with at most ${DECIMALS} decimals, e.g. 2.5`);
}
