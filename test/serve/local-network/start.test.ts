/** `startDevnet`, as tests of other projects use it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { type LocalNetwork, startDevnet } from "../../../src/serve/local-network/start.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { scratchDirectory } from "../../store/scratch.ts";

const AVAX = 1_000_000_000n;
const BOB = "P-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2";
/** What needs no EVM starts sooner without one. */
const quick = { hasEvm: false };

async function platform<T>({ urls }: LocalNetwork, method: string, params: object = {}): Promise<T> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: `platform.${method}`, params });
  const response = await fetch(urls.P, { method: "POST", headers: { "content-type": "application/json" }, body });
  return ((await response.json()) as { result: T }).result;
}

async function balance(network: LocalNetwork): Promise<string> {
  return (await platform<{ balance: string }>(network, "getBalance", { addresses: [BOB] })).balance;
}

describe("startDevnet", () => {
  test("gives a network that can be moved and put back", async () => {
    await using network = await startDevnet(quick);
    const before = network.now();
    const snapshot = await network.snapshot();
    const txID = await network.fund(BOB, 5n * AVAX);
    expect(await platform(network, "getTxStatus", { txID })).toEqual({ status: "Committed" });
    expect(await balance(network)).toBe(`${5n * AVAX}`);
    await network.advanceTime(3600);
    await network.setTime(network.now() + 60);
    await network.mine();
    expect(network.now() - before).toBeGreaterThanOrEqual(3660);
    await network.revert(snapshot);
    expect(network.now() - before).toBeLessThan(3660);
    expect(await balance(network)).toBe("0");
    const { P, X, C } = network.blockchainIds;
    expect(await network.snapshots()).toEqual([{ id: snapshot, time: expect.any(Number), heights: { [P]: 0, [X]: 0, [C]: 0 } }]);
  });

  test("rejects if the C-chain's EVM cannot start, and leaves nothing running", async () => {
    const binary = join(scratchDirectory(), "anvil");
    const advice = "name a working anvil with --evm (evmBinary), or run without the C-chain: --no-evm (hasEvm: false)";
    const missing = `there is no file ${binary}; name the binary of anvil 1.7.1; ${advice}`;
    await expect(startDevnet({ evmBinary: binary })).rejects.toThrow(missing);
    writeFileSync(binary, "#!/bin/sh\necho 'unexpected argument' >&2\nexit 2\n", { mode: 0o755 });
    const dataDirectory = scratchDirectory();
    const failure = `the C-chain's EVM did not start: it ended with code 2: unexpected argument; ${advice}`;
    await expect(startDevnet({ evmBinary: binary, dataDirectory })).rejects.toThrow(failure);
    // the store is free again
    await using network = await startDevnet({ ...quick, dataDirectory });
    expect(network.dataDirectory).toBe(dataDirectory);
  });

  test("refuses an option that it does not have", async () => {
    const start = (options: object) => startDevnet({ ...quick, ...options });
    await expect(start({ foo: 1 })).rejects.toThrow(/^startDevnet has no option "foo"; use dataDirectory, .*, log$/);
    await expect(start({ httpProt: 1 })).rejects.toThrow('startDevnet has no option "httpProt"; did you mean httpPort?');
  });

  test("moves the clock by whole seconds only", async () => {
    await using network = await startDevnet(quick);
    for (const seconds of [1.5, -1, Number.NaN, -1n]) {
      const wanted = `${seconds} is not a number of seconds; use a whole number from 0 on`;
      await expect(network.advanceTime(seconds)).rejects.toThrow(wanted);
      await expect(network.setTime(seconds)).rejects.toThrow(wanted);
    }
  });

  test("says what is wrong with what types do not tell", async () => {
    await expect(startDevnet({ ...quick, blockTimeMs: 0 })).rejects.toThrow("blockTimeMs is 0; use milliseconds above 0, or leave it out");
    await expect(startDevnet({ ...quick, httpPort: 65_536 })).rejects.toThrow("httpPort is 65536; use a number from 1 to 65535");
    await using network = await startDevnet(quick);
    await expect(network.setUptime("abc", 1)).rejects.toThrow(
      '"abc" cannot be read (ID: abc is missing the prefix: NodeID-); use a node ID',
    );
    await expect(network.setUptime(network.nodeId, 1, "zzz")).rejects.toThrow(/^"zzz" cannot be read .*; use a subnet's ID in cb58$/);
    await expect(network.fund(BOB, 5 as unknown as bigint)).rejects.toThrow("the amount is the number 5; use a bigint of nAVAX");
  });

  test("sets uptimes by share, of the primary network or of a subnet", async () => {
    await using network = await startDevnet(quick);
    await network.setUptime(network.nodeId, 0.25);
    type Current = { validators: { nodeID: string; uptime: string }[] };
    const { validators } = await platform<Current>(network, "getCurrentValidators", { nodeIDs: [network.nodeId] });
    expect(validators).toMatchObject([{ nodeID: network.nodeId, uptime: "25.0000" }]);
    await expect(network.setUptime(network.nodeId, 85)).rejects.toThrow("the uptime is 85; use a share from 0 to 1");
  });

  test("keeps a network in a named folder, for the next start", async () => {
    const dataDirectory = join(scratchDirectory(), "network");
    const first = await startDevnet({ ...quick, dataDirectory, upgrades: "etna" });
    await first.fund(BOB, AVAX);
    await Promise.all([first.stop(), first.stop()]);
    await using second = await startDevnet({ ...quick, dataDirectory });
    expect(await balance(second)).toBe(`${AVAX}`);
    expect(second.genesisTime).toBe(first.genesisTime);
    expect(second.upgrades).not.toHaveProperty("fortuna");
  });

  test("runs a network of a genesis file", async () => {
    const genesisFile = join(recordingFolder("latest-1"), "genesis.json");
    const { startTime } = JSON.parse(readFileSync(genesisFile, "utf8")) as { startTime: number };
    await using network = await startDevnet({ ...quick, genesisFile, startTime: BigInt(startTime) });
    expect(network).toMatchObject({ networkId: 9001, networkName: "network-9001", hrp: "custom", genesisTime: startTime });
    expect(network.time - startTime).toBeLessThan(3600);
  });

  test("has networks side by side, each in a folder that goes with it", async () => {
    const networks = await Promise.all([startDevnet(quick), startDevnet(quick)]);
    const [one, other] = networks as [LocalNetwork, LocalNetwork];
    await one.fund(BOB, AVAX);
    expect(await balance(other)).toBe("0");
    await one.stop();
    expect([existsSync(one.dataDirectory), existsSync(other.dataDirectory)]).toEqual([false, true]);
    await other.stop();
  });

  test("leaves nothing behind if it cannot start, and says why", async () => {
    await using network = await startDevnet(quick);
    const httpPort = Number(new URL(network.url).port);
    const dataDirectory = scratchDirectory();
    await expect(startDevnet({ ...quick, dataDirectory, httpPort })).rejects.toMatchObject({ code: "port-taken" });
    await using again = await startDevnet({ ...quick, dataDirectory });
    expect(readdirSync(again.dataDirectory)).toContain("devnet.json");
    await expect(startDevnet({ upgrades: "nothing" })).rejects.toMatchObject({ code: "devnet-upgrades" });
  });

  test("logs to a logger that it is given", async () => {
    const lines: { msg: string; chain?: string; kinds?: string[] }[] = [];
    const log = pino({ level: "info" }, { write: (line: string) => lines.push(JSON.parse(line)) });
    await using network = await startDevnet({ ...quick, log });
    await network.fund(BOB, AVAX);
    expect(lines).toContainEqual(expect.objectContaining({ msg: "Accepted block", chain: "P", height: "1", kinds: ["BaseTx"] }));
  });
});
