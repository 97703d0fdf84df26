/** A contract's source in a browser: dropped as a build file, kept by the server, and used wherever the contract is shown. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { deployVault, VAULT_BUILD } from "../evm/builds/deployed-vault.ts";
import { useBrowser, type Visit } from "./browser.ts";
import { hasBrowser, skipReason } from "./chromium.ts";

const { visit } = useBrowser();
let network: LocalNetwork;
let url: string;
let vault: Awaited<ReturnType<typeof deployVault>>;

beforeAll(async () => {
  if (!hasBrowser) return;
  network = await startDevnet();
  url = new URL(network.urls.P).origin;
  vault = await deployVault(url);
});
afterAll(() => network?.stop());

const drop = (user: Visit, text: string) =>
  user.page.locator("input[type=file]").setInputFiles({ name: "build.json", mimeType: "application/json", buffer: Buffer.from(text) });

describe.skipIf(!hasBrowser)(`a contract's source${skipReason}`, () => {
  test("is kept by the server if the code is the build's, and decodes for everybody", async () => {
    const user = await visit(url);
    await user.open(`/evm/43112/contract/${vault.first}`);
    const other = JSON.parse(VAULT_BUILD);
    delete other.output.contracts["contracts/Vault.sol"];
    await drop(user, JSON.stringify(other));
    await user.page.getByText("The build file has 2 contracts, but none whose code is as long as this one's.").waitFor();
    await drop(user, VAULT_BUILD);
    await user.page.getByText("The server keeps the build: it has the contract's code.").waitFor();
    const shown = await user.text();
    expect(shown).toMatch(/Contract Vault Compiler 0\.8\.\d+\+commit\.[0-9a-f]+ Match The code names the hash of these sources/);
    expect(shown).toContain("contract Vault is Owned {");
    expect(user.problems).toEqual([]);
    await user.end();

    const { from, second, rpc } = vault;
    const deposit = await rpc<string>("eth_sendTransaction", [{ from, to: second, data: "0xd0e30db0", value: "0x5" }]);
    const visitor = await visit(url);
    await visitor.open(`/evm/43112/tx/${deposit}`);
    await expect.poll(() => visitor.text()).toMatch(/deposit\(\) decoded by the contract's ABI/);
    await visitor.open(`/evm/43112/tx/${deposit}/logs`);
    await expect.poll(() => visitor.text()).toMatch(/Deposited\(address,uint256\) decoded by the contract's ABI/);
    await visitor.open(`/evm/43112/contract/${second}`);
    await visitor.page.locator(".function", { hasText: "limit()" }).getByText("7", { exact: true }).waitFor();
    expect(await visitor.barriers()).toEqual([]);
    expect(visitor.problems).toEqual([]);
    await visitor.end();
  });

  test("stays in the browser if it is an ABI alone, or the artifact of another contract", async () => {
    const user = await visit(url);
    await user.open(`/evm/43112/contract/${vault.library}`);
    const { abi, evm } = JSON.parse(VAULT_BUILD).output.contracts["contracts/Vault.sol"].Vault;
    await drop(user, JSON.stringify({ abi, deployedBytecode: evm.deployedBytecode }));
    await user.page
      .getByText(/The ABI was read: it has \d+ items\. The server did not keep the build: .* is not that of the build file/)
      .waitFor();
    await drop(user, JSON.stringify(abi));
    await user.page.getByText(/The ABI was read: it has \d+ items\.$/).waitFor();
    await user.end();
  });
});
