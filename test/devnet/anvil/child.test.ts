import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { findBinary } from "../../../src/devnet/anvil/binary.ts";
import { endOrphan } from "../../../src/devnet/anvil/sealing/rebuild.ts";
import { eventually } from "../../patience.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { EvmNetwork } from "./evm-network.ts";

const BOB = "0x00000000000000000000000000000000000b0b01";
const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** A process that does nothing, with a word in its command line. */
async function idler(word: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["-e", "console.log(1); process.stdin.resume()", word], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  started.push(child);
  await once(child.stdout!, "data");
  return child;
}

async function isGone(pid: number): Promise<void> {
  await eventually(() => !isAlive(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // a zombie has no command line any more
  return process.platform !== "linux" || existsSync(`/proc/${pid}/exe`);
}

describe("the binary", () => {
  test("is the one in the package for this platform", () => {
    expect(findBinary()).toMatch(/anvil$/);
  });

  test("that is in no package is asked for by the package's name", () => {
    expect(() => findBinary(undefined, "sunos", "x64")).toThrow(
      "the C-chain needs anvil, but its package for this platform is not installed; run npm install @foundry-rs/anvil-sunos-amd64@1.7.1",
    );
  });

  test("of one's own must be there", () => {
    expect(() => findBinary("/nowhere/anvil")).toThrow("there is no file /nowhere/anvil");
  });

  test("that does not work leaves P and X to themselves, and health says why", async () => {
    const binary = join(scratchDirectory(), "anvil");
    writeFileSync(binary, "#!/bin/sh\necho 'no such instruction' >&2\nexit 3\n", { mode: 0o755 });
    const network = await EvmNetwork.start({}, { evm: { binary } });
    await network.exportToC(1_000_000_000n);
    const { cChainId } = network.devnet.network;
    expect(network.devnet.status(cChainId, await network.importToC())).toMatchObject({ kind: "processing" });
    await expect(network.exportToX(1n, 0)).rejects.toThrow("the C-chain's EVM");
    await eventually(() => network.evm.health().problem?.includes("code 3"));
    expect(network.evm.health()).toEqual({
      isUp: false,
      problem: "the C-chain's EVM did not start: it ended with code 3: no such instruction",
    });
  });
});

describe("a child of an earlier run", () => {
  test("is ended, and its file is gone", async () => {
    const pidFile = join(scratchDirectory(), "pid");
    const orphan = await idler("/data/c-chain/cache");
    await writeFile(pidFile, `${orphan.pid}\n`);
    const ended = once(orphan, "exit");
    expect(await endOrphan(pidFile, "/data/c-chain/cache")).toBe(true);
    expect((await ended)[1]).toBe("SIGKILL");
    expect(existsSync(pidFile)).toBe(false);
  });

  test("is not taken for somebody else's process that got its number", async () => {
    const pidFile = join(scratchDirectory(), "pid");
    const other = await idler("/other/c-chain/cache");
    for (const text of [`${other.pid}`, "999999999", "0", "-1", "", "abc", `${process.pid}`]) {
      await writeFile(pidFile, text);
      expect(await endOrphan(pidFile, "/data/c-chain/cache")).toBe(false);
    }
    expect(isAlive(other.pid!)).toBe(true);
    expect(await endOrphan(pidFile, "/data/c-chain/cache")).toBe(false);
  });

  test("of a network that was killed is ended by the next start, which goes on where it was", async () => {
    const network = await EvmNetwork.start();
    await network.pay(`0x${"ab".repeat(20)}`, 1n);
    await network.devnet.stop();
    const pidFile = join(network.directory, "c-chain", "pid");
    const orphan = await idler(join(network.directory, "c-chain", "cache"));
    await writeFile(pidFile, `${orphan.pid}`);
    const next = await EvmNetwork.start({ directory: network.directory });
    expect(await next.ask("eth_blockNumber")).toBe("0x1");
    expect(isAlive(orphan.pid!)).toBe(false);
    expect(Number(await readFile(pidFile, "utf8"))).not.toBe(orphan.pid);
  });
});

describe("a child", () => {
  test("ends when its parent is killed", async () => {
    const directory = scratchDirectory();
    const genesis = join(directory, "genesis.json");
    await writeFile(genesis, '{"gasLimit":"0x1","difficulty":"0x0","alloc":{}}');
    const main = fileURLToPath(new URL("parent-main.ts", import.meta.url));
    const parent = spawn(process.execPath, ["--import", "tsx", main, join(directory, "cache"), genesis], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    started.push(parent);
    const [line] = (await once(createInterface({ input: parent.stdout! }), "line")) as [string];
    const pid = Number(line);
    expect(isAlive(pid)).toBe(true);
    parent.kill("SIGKILL");
    await isGone(pid);
  });

  test.skipIf(process.platform === "darwin")("listens where a web page cannot look for it, and lets none read", async () => {
    const network = await EvmNetwork.start();
    await network.evm.ready();
    const { hostname, port, host } = new URL(network.evm.webSocketUrl);
    expect(hostname).toMatch(/^127\./);
    expect(hostname).not.toMatch(/^127\.0\.0\./);
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
    const headers = { "content-type": "application/json", origin: "https://example.org" };
    for (const method of ["POST", "OPTIONS"]) {
      const response = await fetch(`http://${host}`, { method, headers, ...(method === "POST" && { body: "{}" }) });
      expect([...response.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
  });

  test("that somebody else had make a block is made again without it, and the index goes on", async () => {
    const network = await EvmNetwork.start();
    await network.pay(BOB, 1n);
    const child = `http://${new URL(network.evm.webSocketUrl).host}`;
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "evm_mine", params: [] });
    await fetch(child, { method: "POST", headers: { "content-type": "application/json" }, body });
    expect(await network.ask("eth_blockNumber")).toBe("0x2");
    await network.pay(BOB, 2n);
    expect(await network.ask("eth_blockNumber")).toBe("0x2");
    expect(await network.balance(BOB)).toBe(3n);
    const { hash, parentHash } = (await network.ask("eth_getBlockByNumber", "0x2", false)) as { hash: string; parentHash: string };
    expect((await network.storedBlock(2n))!.blockId).toBe(hash.slice(2));
    expect(parentHash.slice(2)).toBe((await network.storedBlock(1n))!.blockId);
    expect(network.devnet.evmChain!.problem).toBeUndefined();
  });

  test("is gone when its network was stopped", async () => {
    const network = await EvmNetwork.start();
    await network.evm.ready();
    const pid = Number(await readFile(join(network.directory, "c-chain", "pid"), "utf8"));
    expect(isAlive(pid)).toBe(true);
    await network.devnet.stop();
    expect(isAlive(pid)).toBe(false);
  });
});
