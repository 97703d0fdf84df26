import { expect, test } from "vitest";
import { devnetBanner } from "../../src/cli/devnet/devnet-banner.ts";
import { DEFAULT_MNEMONIC } from "../../src/devnet/account-options.ts";
import { devnetAccounts } from "../../src/devnet/accounts.ts";
import { devnetNetwork } from "../../src/devnet/devnet-network.ts";
import type { NetworkDescription } from "../../src/serve/local-network/describe.ts";

/** The lines about funded keys. */
function accountLines(accounts: number): string[] {
  const { network, accountKeys, mnemonic } = devnetNetwork({ now: 1_795_219_200n, accounts });
  const description = {
    networkId: 12345,
    evmChainId: 43112,
    networkName: "local",
    upgrades: { helicon: 0 },
    time: 1,
    genesisTime: 0,
    urls: {},
    blockchainIds: {},
    accounts: devnetAccounts(network, accountKeys),
    mnemonic,
    url: "http://127.0.0.1:9650",
    chain: { id: 43112, name: "", nativeCurrency: {}, rpcUrls: { default: { http: [] } } },
  } as unknown as NetworkDescription;
  const lines = devnetBanner(description, { isTemporary: true, blockTimeMs: undefined, hasEvm: false, hasExplorer: true }).split("\n");
  return lines.slice(lines.indexOf('funded key "ewoq" (public: for tests only)'), lines.indexOf("IDs"));
}

test("the banner shows ewoq whole, at most nine other accounts in a line each, and where the rest is", () => {
  expect(accountLines(1)).toHaveLength(7);
  expect(accountLines(2).slice(7)).toEqual([
    `1 more, of "${DEFAULT_MNEMONIC}" (m/44'/60'/0'/0/i)`,
    "  0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266  0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    "",
  ]);
  const lines = accountLines(30).slice(7);
  expect(lines).toHaveLength(12);
  expect(lines.slice(-2)).toEqual(["  and 20 more: firn accounts", ""]);
});
