import { FirnError } from "../../base/errors/errors.ts";
import type { CommandDefinition } from "../command.ts";
import { askDevnet, CLIENT_KEYS, tell } from "./devnet-client.ts";

const DECIMALS = 9;
/** the most that an output of a transaction can hold */
const MOST_NAVAX = 2n ** 64n - 1n;

export const fundCommand: CommandDefinition = {
  usage: "fund <address> <AVAX>",
  summary: "pay AVAX from a devnet's funded key to an address: P-…, X-… or 0x…",
  keys: CLIENT_KEYS,
  examples: ["fund P-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2 100", "fund 0x1111111111111111111111111111111111111111 2.5"],
  async run({ config, args: [address, amount], signal }) {
    const reply = await askDevnet<{ txID: string }>(config, "fund", { address, amount: nAvax(amount!).toString() }, signal);
    tell(config, reply, ({ txID }) => `${txID} pays ${amount} AVAX to ${address}`);
  },
};

/** "2.5" → 2,500,000,000 */
function nAvax(text: string): bigint {
  const [, whole, decimals = ""] = /^(\d+)(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  if (whole !== undefined) return payable(BigInt(`${whole}${decimals.padEnd(DECIMALS, "0")}`), text);
  throw new FirnError(
    "amount",
    `${JSON.stringify(text)} is not an amount of AVAX; use a number with at most ${DECIMALS} decimals, e.g. 2.5`,
  );
}

function payable(amount: bigint, text: string): bigint {
  if (amount > 0n && amount <= MOST_NAVAX) return amount;
  throw new FirnError("amount", `${text} AVAX cannot be paid; use an amount above 0 and at most 18446744073.709551615, e.g. 2.5`);
}
