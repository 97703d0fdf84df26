/** Transactions that wait for a block, and those that never get into one. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EWOQ_KEY } from "../../src/devnet/account-keys.ts";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { call } from "../devnet/json-rpc.ts";
import { PlainWallet } from "../devnet/load/plain-wallet.ts";
import { useBrowser } from "./browser.ts";
import { hasBrowser, skipReason } from "./chromium.ts";

const { visit } = useBrowser();
const AVAX = 1_000_000_000n;
const RECEIVER = "11".repeat(20);
const A_DAY_MS = 86_400_000;

let network: LocalNetwork;
let wallet: PlainWallet;

beforeAll(async () => {
  if (!hasBrowser) return;
  network = await startDevnet({ hasEvm: false, blockTimeMs: A_DAY_MS });
  wallet = new PlainWallet(network, EWOQ_KEY);
});
afterAll(() => network?.stop());

async function transfer(chain: "P" | "X", amount: bigint) {
  const coins = await wallet.coins(network.url, chain);
  return wallet.transfer(chain, coins.slice(0, 1), [{ to: RECEIVER, amount }])!;
}

describe.skipIf(!hasBrowser)(`a transaction${skipReason}`, () => {
  test.each(["P", "X"] as const)("of %s waits, and is shown once it is in a block; its rival was dropped, and why", async (chain) => {
    // what is not in the index is asked for, and not found
    const user = await visit(network.url, { expected: ["404"] });
    const [first, rival] = [await transfer(chain, AVAX), await transfer(chain, 2n * AVAX)];
    expect((await call(network.url, first)).result).toEqual({ txID: first.txId });
    const refused = (await call(network.url, rival)).error?.message;
    expect(refused).toContain("tx conflicts");
    await user.open(`/${chain}/tx/${first.txId}`);
    await expect.poll(() => user.text()).toContain("It waits for a block");
    await network.mine();
    await expect.poll(() => user.text()).toContain("Moves assets");
    expect(await user.text()).toContain("1 AVAX");
    if (chain === "P") await expect.poll(() => user.text()).toContain("Committed");
    await user.open(`/${chain}/tx/${rival.txId}`);
    // the X-chain's node does not say why
    const fate = chain === "P" ? "Dropped. It will not be in any block: tx conflicts" : "Rejected. It will not be in any block";
    await expect.poll(() => user.text()).toContain(fate);
    expect(user.problems).toEqual([]);
    await user.end();
  });
});
