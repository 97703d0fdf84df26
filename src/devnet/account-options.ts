/** How many accounts a devnet's own genesis funds, and of which mnemonic. Loads no cryptography, for commands that only read a configuration. */
import { FirnError } from "../base/errors/errors.ts";

export interface AccountOptions {
  /** how many accounts there are, ewoq included; by default 10 */
  readonly accounts?: number | undefined;
  /** by default the one that development nodes of Ethereum share */
  readonly mnemonic?: string | undefined;
}

export const DEFAULT_MNEMONIC = "test test test test test test test test test test test junk";
export const DEFAULT_ACCOUNTS = 10;
export const MOST_ACCOUNTS = 1000;

/** Returns the options as they are kept. Throws a FirnError if they cannot be used. */
export async function checkedAccounts({ accounts, mnemonic }: AccountOptions): Promise<AccountOptions> {
  if (accounts !== undefined && !(Number.isInteger(accounts) && accounts >= 1 && accounts <= MOST_ACCOUNTS)) {
    throw new FirnError("devnet-network", `the number of accounts is ${accounts}; use a whole number from 1 to ${MOST_ACCOUNTS}`);
  }
  if (mnemonic === undefined) return { accounts, mnemonic };
  const words = `${mnemonic}`.trim().split(/\s+/).join(" ");
  // 2,048 words, which only those need who name a mnemonic
  const [{ validateMnemonic }, { wordlist }] = await Promise.all([import("@scure/bip39"), import("@scure/bip39/wordlists/english")]);
  if (validateMnemonic(words, wordlist)) return { accounts, mnemonic: words };
  throw new FirnError(
    "devnet-network",
    `the mnemonic cannot be used: its words or their checksum are wrong; use 12, 15, 18, 21 or 24 words of BIP-39's English list, such as "${DEFAULT_MNEMONIC}"`,
  );
}
