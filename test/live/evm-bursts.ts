/**
 * Sends a small transaction and behind it, in the same block as a rule, some that compute for long: so the node has the receipt of the first
 * while it still executes the block.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Hex, PrivateKeyAccount } from "viem";
import type { Ask } from "../api/data/oracle/evm/chain-answers.ts";

/** A contract's creation that hashes until no gas is left: JUMPDEST, KECCAK256 of a word, POP, JUMP. */
const BURNER = "0x5b602060002050600056";
const BURNERS = 4;
const BURNED_GAS = 3_000_000n;
const GAS = 21_000n;
const EVERY_MS = 10_000;

export interface BurstsOptions {
  readonly ask: Ask;
  readonly account: PrivateKeyAccount;
  readonly goesOn: () => boolean;
  /** resolves once the transaction has a receipt, or will not have one */
  readonly waitFor: (hash: string) => Promise<void>;
}

export async function sendBursts({ ask, account, goesOn, waitFor }: BurstsOptions): Promise<void> {
  const chainId = Number(await ask("eth_chainId", []));
  for (; goesOn(); await pause(EVERY_MS)) {
    const nonce = Number(await ask("eth_getTransactionCount", [account.address, "latest"]));
    const gasPrice = BigInt((await ask("eth_gasPrice", [])) as string) * 4n;
    const send = async (index: number, fields: { to?: Hex; data?: Hex; gas: bigint }) => {
      const signed = await account.signTransaction({ type: "legacy", chainId, nonce: nonce + index, gasPrice, ...fields });
      return (await ask("eth_sendRawTransaction", [signed])) as string;
    };
    // the last ones first: none can be in a block before the small one
    let last = "";
    for (let index = BURNERS; index > 0; index--) {
      const hash = await send(index, { data: BURNER, gas: BURNED_GAS });
      if (index === BURNERS) last = hash;
    }
    await waitFor(await send(0, { to: account.address, gas: GAS }));
    await waitFor(last);
  }
}
