import { generateMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english";
import { bytesToHex } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { accountKeys, EWOQ_KEY } from "../../src/devnet/account-keys.ts";
import { checkedAccounts, DEFAULT_MNEMONIC } from "../../src/devnet/account-options.ts";

const keysOf = (mnemonic: string, count: number) =>
  Array.from({ length: count }, (_, addressIndex) => bytesToHex(mnemonicToAccount(mnemonic, { addressIndex }).getHdKey().privateKey!));
const hex = ({ key }: { key: Buffer }) => `0x${key.toString("hex")}`;

describe("the keys of a devnet", () => {
  test("are ewoq and those that every development node of Ethereum funds", () => {
    const keys = accountKeys({});
    expect(keys).toHaveLength(10);
    expect(keys[0]).toEqual({ name: "ewoq", key: EWOQ_KEY });
    expect(keys.slice(1).map(hex)).toEqual(keysOf(DEFAULT_MNEMONIC, 9));
    expect(hex(keys[1]!)).toBe("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
    expect(keys.at(-1)!.name).toBe("account 9");
  });

  test("follow from any mnemonic as in wallets", () => {
    for (const strength of [128, 160, 192, 224, 256]) {
      const mnemonic = generateMnemonic(wordlist, strength);
      expect(accountKeys({ accounts: 4, mnemonic }).slice(1).map(hex), mnemonic).toEqual(keysOf(mnemonic, 3));
    }
  });

  test("are as many as asked for", async () => {
    expect(accountKeys({ accounts: 1 })).toEqual([{ name: "ewoq", key: EWOQ_KEY }]);
    expect(accountKeys({ accounts: 1000 })).toHaveLength(1000);
    for (const accounts of [0, 1001, 1.5, Number.NaN, -1]) {
      await expect(checkedAccounts({ accounts })).rejects.toThrow(
        `the number of accounts is ${accounts}; use a whole number from 1 to 1000`,
      );
    }
  });

  test.each(["", "test", "test test test", `${DEFAULT_MNEMONIC} junk`, DEFAULT_MNEMONIC.replace("junk", "test"), "Test ".repeat(12)])(
    "are of no mnemonic such as %j",
    async (mnemonic) => {
      await expect(checkedAccounts({ mnemonic })).rejects.toThrow("use 12, 15, 18, 21 or 24 words of BIP-39's English list");
    },
  );

  test("are of a mnemonic however its words are spaced", async () => {
    const spaced = ` ${DEFAULT_MNEMONIC.replaceAll(" ", "\n  ")}\t`;
    expect(await checkedAccounts({ mnemonic: spaced })).toEqual({ accounts: undefined, mnemonic: DEFAULT_MNEMONIC });
  });
});
