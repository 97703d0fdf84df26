/** `firn devnet` and the commands for a running devnet, started from the command line. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { devnetSnippets } from "../../src/cli/devnet/devnet-snippets.ts";
import { listen } from "../../src/http/listen.ts";
import type { NetworkDescription } from "../../src/serve/local-network/describe.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { FirnProcess, run } from "./firn.ts";

const EWOQ = "PrivateKey-ewoqjP7PxY4yr3iLTpLisriqt94hdyDFNgchSxGGztUrTXtNN";
const BOB = "P-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2";

interface Ready extends NetworkDescription {
  readonly event: "ready";
}

/** On a free port, with temporary files in a folder of the test's own. */
class DevnetProcess extends FirnProcess {
  readonly temporary: string;

  constructor(args: readonly string[], temporary = scratchDirectory()) {
    super(["devnet", "--http-port", "0", ...args], { environment: { TMPDIR: temporary } });
    this.temporary = temporary;
  }

  async ready(): Promise<Ready> {
    const [line] = await this.printed(/^.*\n/);
    return JSON.parse(line) as Ready;
  }
}

/** A command for the devnet at this URL; what it answers. */
function ask<T>(url: string, ...command: string[]): T {
  const { exitCode, output, error } = run([...command, "--url", url, "--json"]);
  expect(exitCode, error).toBe(0);
  return JSON.parse(output) as T;
}

interface Status {
  readonly unixTime: number;
  readonly heights: Readonly<Record<string, string>>;
}

async function rpc(url: string, method: string, params: object = {}) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  return ((await response.json()) as { result: Record<string, unknown> }).result;
}

describe("firn devnet", () => {
  test("answers both interfaces once it says so, and says what is needed to use them", async () => {
    const devnet = new DevnetProcess(["--json"]);
    const ready = await devnet.ready();
    expect(ready).toMatchObject({
      event: "ready",
      networkId: 12345,
      networkName: "local",
      evmChainId: 43112,
      nodeId: "NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg",
      avaxAssetId: "2oo36BGWxmvJofQR85NTeFrxon56tvXNqJ7cQWB5K7XkgaBayB",
    });
    expect(ready.accounts[0]!.privateKey).toBe(EWOQ);
    expect(await rpc(ready.urls.info, "info.getNodeID")).toMatchObject({ nodeID: ready.nodeId });
    for (const alias of ["P", "X", "C"] as const) {
      expect(await rpc(ready.urls.info, "info.getBlockchainID", { alias })).toEqual({ blockchainID: ready.blockchainIds[alias] });
    }
    expect(await rpc(ready.urls.C, "eth_chainId", [])).toBe(`0x${ready.evmChainId.toString(16)}`);
    expect((await fetch(`${ready.urls.dataApi}/networks/fuji`)).status).toBe(200);
    expect((await fetch(ready.urls.docs)).status).toBe(200);
    expect(await devnet.end()).toBe(0);
  });

  test("ends with a sentence and exit code 1 if the C-chain's EVM cannot start", () => {
    const { exitCode, output, error } = run(["devnet", "--http-port", "0", "--evm", "/bin/false"]);
    expect(error).toMatch(
      /^firn: the C-chain's EVM did not start: it ended with code 1; name a working anvil with --evm [^\n]*--no-evm[^\n]*\n$/,
    );
    expect({ exitCode, output }).toEqual({ exitCode: 1, output: "" });
  });

  test("runs without a C-chain if that is asked for, and offers none", async () => {
    const devnet = new DevnetProcess(["--no-evm"]);
    await devnet.printed(/Ctrl-C stops the network/);
    expect(devnet.output).toContain("C-chain      does not run (--no-evm)");
    expect(devnet.output).not.toContain("/ext/bc/C/rpc");
    expect(await devnet.end()).toBe(0);
  });

  test("tells of each block, and of what moves the network besides", async () => {
    const devnet = new DevnetProcess([]);
    const [, url] = await devnet.printed(/development {2}(\S+)\/ext\/firn/);
    expect(devnet.output).toContain(EWOQ);
    const { txID } = ask<{ txID: string }>(url!, "fund", BOB, "2.5");
    expect(await rpc(`${url}/ext/bc/P`, "platform.getTxStatus", { txID })).toEqual({ status: "Committed" });
    await devnet.printed(/\d\d:\d\d:\d\d {2}P 1 {7}BaseTx\n/);
    ask(url!, "time", "advance", "1y");
    await devnet.printed(/P 3 {7}BanffCommitBlock\n(?:.*\n)*.*Moved the clock {2}to \d{4}-/);
    expect(await devnet.end()).toBe(0);
  });

  test("prints lines that, pasted into a program, reach it", async () => {
    const devnet = new DevnetProcess(["--json"]);
    const ready = await devnet.ready();
    const uses: Readonly<Record<string, string>> = {
      "@avalabs/avalanchejs": "console.log(context.networkID, (await pvmApi.getHeight()).height)",
      "@avalanche-sdk/chainkit":
        "console.log((await avalanche.data.primaryNetwork.getNetworkDetails({}, firn)).validatorDetails.validatorCount)",
      ethers: "console.log(await provider.getBlockNumber()); provider.destroy()",
      viem: "console.log(await client.getChainId(), client.chain.name)",
    };
    const page = "globalThis.ethereum = { request: async (asked) => console.log(JSON.stringify(asked)) };";
    const snippets = devnetSnippets(ready);
    const printed = snippets.map((lines) => {
      const name = /from "([^"]+)"/.exec(lines[0]!)?.[1] ?? "wallet";
      const program = [...(name === "wallet" ? [page] : []), ...lines, uses[name]].join("\n");
      const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
      return [name, stdout + stderr];
    });
    expect(Object.fromEntries(printed)).toEqual({
      "@avalabs/avalanchejs": "12345 0\n",
      "@avalanche-sdk/chainkit": "5\n",
      ethers: "0\n",
      viem: "43112 Firn local\n",
      wallet: `${JSON.stringify({
        method: "wallet_addEthereumChain",
        params: [
          {
            chainId: "0xa868",
            chainName: "Firn local",
            nativeCurrency: { name: "Avalanche", symbol: "AVAX", decimals: 18 },
            rpcUrls: [ready.urls.C],
          },
        ],
      })}\n`,
    });
    await devnet.end();
  });

  test("is commanded from another terminal", async () => {
    const devnet = new DevnetProcess(["--json"]);
    const { url, nodeId, accounts } = await devnet.ready();
    expect(ask(url, "accounts")).toEqual({ keys: accounts });
    const before = ask<Status>(url, "time", "show");
    expect(ask(url, "snapshot")).toEqual({ snapshotID: "1" });
    expect(ask(url, "uptime", "set", nodeId, "85.5%")).toMatchObject({ nodeID: nodeId, uptime: "85.5000" });
    expect(ask(url, "uptime", "get", nodeId)).toMatchObject({ uptime: "85.5000" });
    const later = ask<Status>(url, "time", "advance", "1d12h").unixTime - before.unixTime;
    expect(later).toBeGreaterThanOrEqual(129_600);
    expect(later).toBeLessThan(129_600 + 3600);
    const target = before.unixTime + 864_000;
    expect(ask<Status>(url, "time", "set", `${target}`).unixTime).toBeGreaterThanOrEqual(target);
    expect(ask(url, "mine")).toEqual({ heights: { P: "0", X: "0", C: "1" } });
    ask(url, "fund", BOB.replace("P-", "X-"), "1");
    expect(ask<Status>(url, "time", "show").heights.X).toBe("1");
    expect(ask(url, "snapshots")).toMatchObject({ snapshots: [{ snapshotID: "1", heights: { P: "0", X: "0", C: "0" } }] });
    expect(ask<Status>(url, "revert", "1").heights.X).toBe("0");
    await devnet.end();
  });

  test("has the accounts and the chain ID that flags name, and keeps them", async () => {
    const directory = join(scratchDirectory(), "network");
    const mnemonic = "legal winner thank year wave sausage worth useful legal winner thank yellow";
    const flags = ["--accounts", "2", "--mnemonic", mnemonic, "--c-chain-id", "99"];
    const first = new DevnetProcess(["--json", "--data-dir", directory, ...flags]);
    const { accounts, evmChainId } = await first.ready();
    expect(accounts).toHaveLength(2);
    expect(evmChainId).toBe(99);
    expect(await first.end()).toBe(0);
    const again = new DevnetProcess(["--json", "--data-dir", directory]);
    expect(await again.ready()).toMatchObject({ accounts, evmChainId, mnemonic });
    expect(await again.end()).toBe(0);
    const refused = (...more: string[]) => run(["devnet", "--data-dir", directory, ...more]).error;
    expect(refused("--c-chain-id", "98")).toMatch(/made with another --c-chain-id \(99\); leave the flag out/);
    expect(refused("--mnemonic", "test test")).toMatch(/use 12, 15, 18, 21 or 24 words of BIP-39's English list/);
  });

  test("refuses in a sentence what cannot be", async () => {
    const devnet = new DevnetProcess(["--json"]);
    const { url } = await devnet.ready();
    const refused = (...command: string[]) => {
      const { exitCode, error } = run([...command, "--url", url]);
      expect(exitCode).toBe(1);
      expect(error).toMatch(/^firn: .*\n$/);
      return error;
    };
    expect(refused("fund", BOB, "a lot")).toMatch(/"a lot" is not an amount of AVAX; use a number/);
    expect(refused("fund", "Q-bob", "1")).toMatch(/Q-bob/);
    expect(refused("fund", BOB, "999999999999")).toMatch(/999999999999 AVAX cannot be paid; use an amount above 0 and at most 18446744073/);
    expect(refused("fund", BOB, "0")).toMatch(/0 AVAX cannot be paid/);
    expect(refused("time", "advance", "soon")).toMatch(/"soon" is not a period; use a period such as/);
    expect(refused("time", "set", "2020-01-01")).toMatch(/only goes forward/);
    expect(refused("uptime", "set", "NodeID-x", "85%")).toMatch(/nodeID is "NodeID-x"; send a node ID like/);
    expect(refused("revert", "77")).toMatch(/no snapshot 77/);
  });

  test("makes blocks at a pace if told so", async () => {
    const devnet = new DevnetProcess(["--json", "--block-time", "200ms", "--upgrades", "etna,fortuna=+10m"]);
    const ready = await devnet.ready();
    expect(ready.upgrades.fortuna! - ready.time).toBeGreaterThan(500);
    expect(ready.upgrades).not.toHaveProperty("granite");
    ask(ready.url, "fund", BOB, "1");
    await devnet.printed(/"chain":"P","height":"1"/);
    await devnet.end();
  });
});

describe("the folder of a devnet", () => {
  test.each(["SIGINT", "SIGTERM"] as const)("is temporary and gone after %s", async (signal) => {
    const devnet = new DevnetProcess(["--json"]);
    const { dataDirectory } = await devnet.ready();
    expect(existsSync(join(dataDirectory, "store"))).toBe(true);
    expect(await devnet.end(signal)).toBe(0);
    expect(readdirSync(devnet.temporary)).toEqual([]);
  });

  test("is gone too when nobody reads what it prints any more", async () => {
    const devnet = new DevnetProcess(["--json"]);
    const { url } = await devnet.ready();
    devnet.child.stdout!.destroy();
    ask(url, "fund", BOB, "1");
    expect(await devnet.exitCode()).toBe(0);
    expect(devnet.error).toBe("");
    expect(readdirSync(devnet.temporary)).toEqual([]);
  });

  test("of a killed run is removed by the next one; that of a running one is not", async () => {
    const killed = new DevnetProcess(["--json"]);
    const { dataDirectory } = await killed.ready();
    await killed.end("SIGKILL");
    expect(existsSync(dataDirectory)).toBe(true);
    const second = new DevnetProcess(["--json"], killed.temporary);
    await second.ready();
    const third = new DevnetProcess(["--json"], killed.temporary);
    await third.ready();
    const { dataDirectory: kept } = await second.ready();
    await expect.poll(() => existsSync(dataDirectory)).toBe(false);
    expect(existsSync(kept)).toBe(true);
  });

  test("that was named goes on at the same height with the same network, also after a kill and a reindex", async () => {
    const directory = join(scratchDirectory(), "network");
    // later than the genesis on whatever day this runs
    const year = new Date().getUTCFullYear() + 1;
    const first = new DevnetProcess(["--json", "--data-dir", directory, "--upgrades", "granite", "--start-time", `${year}-01-01`]);
    const { url, nodeId, genesisTime, time } = await first.ready();
    expect(time).toBeGreaterThanOrEqual(Date.UTC(year, 0, 1) / 1000);
    ask(url, "fund", BOB, "1");
    ask(url, "time", "advance", "1d");
    ask(url, "uptime", "set", nodeId, "85%");
    await first.end("SIGKILL");
    expect(run(["reindex", "--data-dir", directory])).toMatchObject({ exitCode: 0 });
    const second = new DevnetProcess(["--json", "--data-dir", directory]);
    const ready = await second.ready();
    expect(ready.genesisTime).toBe(genesisTime);
    expect(ready.upgrades).not.toHaveProperty("helicon");
    expect(ready.time).toBeGreaterThanOrEqual(time + 86_400);
    expect(ask<Status>(ready.url, "time", "show").heights.P).toBe("1");
    expect(ask(ready.url, "uptime", "get", nodeId)).toMatchObject({ uptime: "85.0000" });

    const another = run(["devnet", "--http-port", "0", "--data-dir", directory]);
    expect(another).toMatchObject({
      exitCode: 1,
      error: expect.stringMatching(/^firn: .* is being written by process \d+; .*another --data-dir\n$/),
    });
    await second.end();
    const changed = run(["devnet", "--http-port", "0", "--data-dir", directory, "--upgrades", "etna"]);
    expect(changed).toMatchObject({
      exitCode: 1,
      error: expect.stringMatching(/^firn: .*another --upgrades \(granite\); leave the flag out.*\n$/),
    });
  });

  test("is refused in a sentence where it cannot be, or holds something else", () => {
    const scratch = scratchDirectory();
    writeFileSync(join(scratch, "file"), "");
    expect(run(["devnet", "--data-dir", join(scratch, "file", "x")])).toMatchObject({
      exitCode: 1,
      error: expect.stringMatching(/^firn: .* cannot be used as a folder: .*; use another --data-dir\n$/),
    });
    mkdirSync(join(scratch, "other", "store"), { recursive: true });
    expect(run(["devnet", "--data-dir", join(scratch, "other")])).toMatchObject({
      exitCode: 1,
      error: expect.stringMatching(/^firn: .* holds a store that was not made by a devnet; .*\n$/),
    });
  });
});

describe("without a devnet", () => {
  test("a taken port is told in a sentence, and leaves nothing behind", async () => {
    const other = createServer();
    const { port } = await listen(other, "127.0.0.1", 0);
    const temporary = scratchDirectory();
    const { exitCode, error } = run(["devnet", "--http-port", `${port}`], { environment: { TMPDIR: temporary } });
    other.close();
    expect(exitCode).toBe(1);
    expect(error).toBe(`firn: port ${port} on 127.0.0.1 is in use; stop the program that listens there, or use another --http-port\n`);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("its commands say what to start, or that what answers is none", async () => {
    const other = createServer((_, response) => response.writeHead(404).end("nothing"));
    const { port } = await listen(other, "127.0.0.1", 0);
    const url = `http://127.0.0.1:${port}`;
    const asked = new FirnProcess(["mine", "--url", url]);
    expect(await asked.exitCode()).toBe(1);
    expect(asked.error).toBe(`firn: ${url} is not a devnet (it has no /ext/firn); name the URL of one with --url\n`);
    other.close();
    const { exitCode, error } = run(["mine"], { environment: { FIRN_URL: "http://127.0.0.1:1" } });
    expect(exitCode).toBe(1);
    expect(error).toMatch(
      /^firn: http:\/\/127\.0\.0\.1:1 does not answer \(.*\); start a network with: firn devnet, or name its URL with --url\n$/,
    );
  });
});
