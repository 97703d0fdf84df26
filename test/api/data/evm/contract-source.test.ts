/** Sources of contracts on a devnet: deployed, sent as a build file, and found for every contract with this code. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keepContractBuild } from "../../../../src/api/data/evm/contracts/source.ts";
import type { Change } from "../../../../src/base/table/table.ts";
import { BuildFolder } from "../../../../src/evm/builds/build-folder.ts";
import { evmChainStates } from "../../../../src/evm/index/tables.ts";
import { type LocalNetwork, startDevnet } from "../../../../src/serve/local-network/start.ts";
import { MemoryRows } from "../../../conformance/memory-rows.ts";
import { deployVault, VAULT_BUILD } from "../../../evm/builds/deployed-vault.ts";
import { network as testNetwork } from "../../../index/primary/utxos/utxo-world.ts";
import { scratchDirectory } from "../../../store/scratch.ts";
import { ask } from "../staking/request.ts";
import { evmChain, modelRpc } from "./evm-chain.ts";

describe("The source of a contract", () => {
  let network: LocalNetwork;
  let origin: string;
  let vault: Awaited<ReturnType<typeof deployVault>>;

  const sourceUrl = (address: string) => `${origin}/v1/chains/43112/addresses/${address}/source`;
  const source = async (address: string) => (await fetch(sourceUrl(address))).json() as Promise<Record<string, unknown>>;
  const send = async (address: string, build: string) => {
    const body = JSON.stringify({ build });
    const response = await fetch(sourceUrl(address), { method: "POST", headers: { "content-type": "application/json" }, body });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  beforeAll(async () => {
    network = await startDevnet();
    origin = new URL(network.urls.P).origin;
    vault = await deployVault(origin);
  });
  afterAll(() => network?.stop());

  test("is not known before its build file was sent; its code is", async () => {
    const code = await vault.rpc<string>("eth_getCode", [vault.first, "latest"]);
    expect(await source(vault.first)).toEqual({ code, acceptsBuilds: true });
    expect(await source(vault.from)).toEqual({ code: "0x", acceptsBuilds: true });
  });

  test("is refused for an account, for another contract's code, and for what is no build file", async () => {
    expect(await send(vault.from, VAULT_BUILD)).toMatchObject({ status: 404, body: { message: expect.stringMatching(/has no code/) } });
    expect(await send(vault.first, "{")).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/the build file is not JSON/) },
    });
    expect(await send(vault.first, "{}")).toMatchObject({ status: 400, body: { message: expect.stringMatching(/use a build-info file/) } });
    const other = JSON.stringify({ abi: [], deployedBytecode: "0x6001" });
    expect(await send(vault.first, other)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/is not that of the build file/) },
    });
    expect(await send(vault.first, "x".repeat((2 << 20) + 1))).toMatchObject({ status: 400 });
    expect(await source(vault.first)).not.toHaveProperty("build");
  });

  test("serves every contract with this code, whatever its immutables are, and its libraries", async () => {
    const kept = await send(vault.first, VAULT_BUILD);
    expect(kept).toMatchObject({ status: 201, body: { build: { contractName: "Vault", match: "full" } } });
    for (const address of [vault.first, vault.second]) {
      const { build } = (await source(address)) as { build: { abi: string; sources: { path: string; content: string }[] } };
      expect(build).toMatchObject({ contractName: "Vault", sourcePath: "contracts/Vault.sol", match: "full" });
      expect(JSON.parse(build.abi).map(({ name }: { name?: string }) => name)).toContain("deposit");
      expect(build.sources.find(({ path }) => path === "contracts/Vault.sol")?.content).toContain("contract Vault is Owned");
    }
    expect(await source(vault.library)).toMatchObject({ build: { contractName: "Rounding", match: "full" } });
  });

  test("is kept only where the operator allows it, or puts the file", async () => {
    const path = join(scratchDirectory(), "builds");
    const asked = { network: testNetwork, clock: 0n, evmChain: evmChain(), builds: new BuildFolder(path, () => {}) };
    const sending = ask(
      keepContractBuild,
      new MemoryRows() as never,
      asked,
      {},
      { params: { address: vault.first }, body: { build: VAULT_BUILD } },
    );
    await expect(sending).rejects.toThrow(/its operator can set acceptBuilds, or put the file into its folder builds/);
    expect(() => readdirSync(path)).toThrow(/ENOENT/);
  });

  test("needs proof on a server that is no devnet", async () => {
    const code = await vault.rpc<string>("eth_getCode", [vault.first, "latest"]);
    const chain = evmChain({ rpc: modelRpc(() => code) });
    const builds = new BuildFolder(join(scratchDirectory(), "builds"), () => {});
    const rows = new MemoryRows();
    rows.apply([
      {
        table: evmChainStates,
        key: { chain: chain.chain },
        value: { height: 1n, hash: "00".repeat(32), timestamp: 1n, transactions: 0n, commits: 1n, hasTraces: true },
      } as Change,
    ]);
    const asked = { network: testNetwork, clock: 0n, evmChain: chain, builds, settings: { acceptedBuilds: "proven" as const } };
    const sending = (build: string) =>
      ask(keepContractBuild, rows as never, asked, {}, { params: { address: vault.first }, body: { build } });
    const other = JSON.parse(VAULT_BUILD);
    other.input.sources["contracts/Owned.sol"].content += " ";
    await expect(sending(JSON.stringify(other))).rejects.toMatchObject({ status: 400, message: expect.stringMatching(/does not prove/) });
    expect((await sending(VAULT_BUILD)).body).toMatchObject({ build: { match: "full" } });
  });
});
