/** `firn follow`, started from the command line. */
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listen } from "../../src/http/listen.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { type ReplayRpc, startReplayRpc } from "../evm/replay-rpc/replay-rpc.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { FirnProcess, run } from "./firn.ts";

let node: ReplayRpc;
beforeAll(async () => {
  node = await startReplayRpc({ recording: recordingFolder("evm-1") });
});
afterAll(() => node.close());

async function pageOf(url: string, path: string): Promise<Record<string, unknown[]>> {
  return (await fetch(`${url}/v1/chains/43112${path}`, { headers: { connection: "close" } })).json() as never;
}

async function tokenOf(url: string): Promise<{ address: string; tokenId: string }> {
  for (;;) {
    const { transactions = [] } = await pageOf(url, "/transactions?pageSize=100");
    for (const { txHash } of transactions as { txHash: string }[]) {
      const { erc721Transfers } = (await pageOf(url, `/transactions/${txHash}`)) as {
        erc721Transfers?: { erc721Token: { address: string; tokenId: string } }[];
      };
      if (erc721Transfers !== undefined) return erc721Transfers[0]!.erc721Token;
    }
  }
}

describe("firn follow", () => {
  test("indexes a chain, serves it from two processes that have NFTs read again, and ends cleanly; status tells what is there", async () => {
    const dataDir = scratchDirectory();
    const config = join(dataDir, "firn.json");
    writeFileSync(
      config,
      JSON.stringify({ dataDir, httpPort: 0, workers: 2, logLevel: "error", chains: [{ rpc: node.url, name: "Ours" }] }),
    );
    const follower = new FirnProcess(["follow", "--config", config]);
    const url = (await follower.printed(/serving (\S+)/))[1]!;
    const { address, tokenId } = await tokenOf(url);
    const reindex = () => fetch(`${url}/v1/chains/43112/nfts/collections/${address}/tokens/${tokenId}:reindex`, { method: "POST" });
    // the other worker may have read the newest commit a moment later
    await expect.poll(async () => (await reindex()).status).toBe(201);
    follower.child.kill("SIGTERM");
    expect(await follower.exitCode()).toBe(0);
    const { output, exitCode } = run(["status", "--data-dir", dataDir]);
    expect(output).toMatch(/^chain 43112 \(Ours\): \d+/);
    expect(exitCode).toBe(0);
    const refused = run(["reindex", "--data-dir", dataDir]);
    expect(refused).toMatchObject({ exitCode: 1, error: expect.stringContaining("index them again from their nodes with firn follow") });
    const other = run(["import", recordingFolder("x-dag"), "--data-dir", dataDir]);
    expect(other).toMatchObject({ exitCode: 1, error: expect.stringContaining("holds EVM chains without a primary network") });
  });

  test("tells a URL that is no EVM node's in a line, and of further attempts ever less often", async () => {
    const page = createServer((_, response) => response.setHeader("content-type", "text/html").end("<html>"));
    const { port } = await listen(page, "127.0.0.1", 0);
    try {
      const follower = new FirnProcess([
        "follow",
        "--rpc",
        `http://127.0.0.1:${port}/`,
        "--http-port",
        "0",
        "--data-dir",
        scratchDirectory(),
      ]);
      await follower.printed(/serving (\S+)/);
      // three attempts and more
      let requests = 0;
      await new Promise<void>((resolve) => page.on("request", () => ++requests === 12 && resolve()));
      await follower.end();
      const lines = follower.error
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, string>);
      const told = lines.filter(({ msg }) => msg!.startsWith("This URL is not an EVM node's"));
      expect(told[0]).toMatchObject({ reason: "the node's answer is not JSON: <html>" });
      expect(lines.map(({ msg }) => msg)).toEqual(told.map(({ msg }) => msg));
      expect(told.length).toBeLessThanOrEqual(3);
      expect(follower.error).not.toContain("stack");
    } finally {
      page.close();
      page.closeAllConnections();
    }
  });

  test.each([
    [["follow"], "nothing to follow; name a network with --network <name>, an EVM chain with --rpc <url>"],
    [
      ["follow", "--network", "local"],
      "network 12345 has no built-in bootstrappers; name peers with --bootstrap-ids and --bootstrap-ips, or a node with --upstream <url>",
    ],
    [["follow", "--upstream", "http://127.0.0.1:1"], "--upstream needs the network to follow; name it with --network mainnet"],
    [["follow", "--upstream", "http://127.0.0.1:9650/ext/bc/X"], "use URLs of nodes without /ext, such as http://127.0.0.1:9650"],
    [["follow", "--network", "mainet", "--upstream", "http://127.0.0.1:1"], "use mainnet, fuji, local, or the path of a network.json"],
    [["follow", "--rpc", "here"], '--rpc is "here"; use URLs such as'],
    [["follow", "--chains", '[{"rpc":"http://a","depth":1}]'], "(depth is unknown)"],
  ])("says in one line what is missing or wrong: firn %j", (args, message) => {
    const { exitCode, error } = run([...args, "--data-dir", scratchDirectory()]);
    expect(error.trim().split("\n").at(-1)).toContain(message);
    expect(exitCode).toBe(2);
  });
});
