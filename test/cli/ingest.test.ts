/** `firn ingest` and `firn serve` over one store, as processes: either may go and come back. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordingFolder } from "../conformance/recordings.ts";
import { startReplayRpc } from "../evm/replay-rpc/replay-rpc.ts";
import { ReplayNode } from "../sources/upstream/replay-node.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { FirnProcess, run } from "./firn.ts";

let node: ReplayNode;
beforeAll(async () => {
  node = await ReplayNode.start({ recording: recordingFolder("live-1"), released: { P: 3n } });
});
afterAll(() => node.stop());

const network = join(recordingFolder("live-1"), "network.json");

async function textOf(url: string): Promise<string> {
  return (await fetch(url, { headers: { connection: "close" } })).text();
}

const heightsOf = async (url: string) =>
  [...(await textOf(`${url}/ext/metrics`)).matchAll(/^firn_chain_height_blocks\{chain="P"\} (\d+)$/gm)].map(([, height]) => height);

test("a follower without a server and a server without a follower share a store: each goes on while the other is gone", async () => {
  const dataDir = scratchDirectory();
  const ingest = () => new FirnProcess(["ingest", "--network", network, "--upstream", node.url, "--data-dir", dataDir]);
  const serve = async () => {
    const server = new FirnProcess([
      "serve",
      "--data-dir",
      dataDir,
      "--workers",
      "1",
      "--http-port",
      "0",
      "--health-check-frequency",
      "200ms",
    ]);
    return { server, url: (await server.printed(/serving (\S+)/))[1]! };
  };
  const first = ingest();
  await first.printed(/^following into \S+; to answer requests from it, run: firn serve --data-dir/);
  let { server, url } = await serve();
  await expect.poll(() => heightsOf(url)).toEqual(["3"]);
  // what the nodes say is known to the server, through rows
  await expect
    .poll(() => textOf(`${url}/ext/metrics`))
    .toContain(`firn_upstream_state_boolean{source="network",upstream="${node.url}",state="used"} 1\n`);
  await expect.poll(() => textOf(`${url}/ext/health`)).toContain('"source":"nodes"');

  const second = run(["ingest", "--upstream", node.url, "--data-dir", dataDir]);
  expect(second).toMatchObject({ exitCode: 1, output: "" });
  expect(second.error).toMatch(/^firn: .* is being written by process \d+; stop it first or use another --data-dir\n$/);

  await first.end("SIGKILL");
  node.release({ P: 5n });
  expect(await heightsOf(url)).toEqual(["3"]);
  const third = ingest();
  await expect.poll(() => heightsOf(url)).toEqual(["5"]);

  await server.end("SIGKILL");
  node.release({ P: 6n });
  ({ server, url } = await serve());
  await expect.poll(() => heightsOf(url)).toEqual(["6"]);
  expect([await third.end("SIGTERM"), await server.end("SIGTERM")]).toEqual([0, 0]);
  expect(run(["status", "--data-dir", dataDir]).output).toContain("P 6");
});

test("a store is rebuilt beside its server, which goes on with it; not beside its follower", async () => {
  const dataDir = scratchDirectory();
  const ingest = () => new FirnProcess(["ingest", "--network", network, "--upstream", node.url, "--data-dir", dataDir]);
  const follower = ingest();
  await follower.printed(/^following into/);
  const serve = () =>
    new FirnProcess(["serve", "--data-dir", dataDir, "--workers", "1", "--http-port", "0", "--health-check-frequency", "200ms"]);
  const server = serve();
  const [, url] = await server.printed(/serving (\S+)/);
  await expect.poll(() => heightsOf(url!)).toEqual([`${node.heights.P}`]);
  expect(run(["reindex", "--data-dir", dataDir])).toMatchObject({
    exitCode: 1,
    error: expect.stringContaining("is being written by process"),
  });
  await follower.end("SIGTERM");
  const rebuilt = run(["reindex", "--data-dir", dataDir]);
  expect(rebuilt).toMatchObject({ exitCode: 0, output: expect.stringContaining("processes that serve this store go on with it") });
  expect(await heightsOf(url!)).toEqual([`${node.heights.P}`]);
  await expect.poll(() => server.error).toContain("Another process replaced the store's file; the new one is served from now on");
  // what is written into the new file is served, too; this block imports from X
  const next = ingest();
  node.release({ P: 7n, X: 4n });
  await expect.poll(() => heightsOf(url!)).toEqual([`${node.heights.P}`]);
  expect(await textOf(`${url}/ext/health`)).not.toContain("was replaced");
  expect([await next.end("SIGTERM"), await server.end("SIGTERM")]).toEqual([0, 0]);
});

test("an EVM chain is followed without a server too, and the server tells of it as its follower does", async () => {
  const chain = await startReplayRpc({ recording: recordingFolder("evm-1") });
  try {
    const dataDir = scratchDirectory();
    const follower = new FirnProcess(["ingest", "--rpc", chain.url, "--data-dir", dataDir]);
    await follower.printed(/^following into/);
    const server = new FirnProcess(["serve", "--rpc", chain.url, "--data-dir", dataDir, "--workers", "1", "--http-port", "0"]);
    const [, url] = await server.printed(/serving (\S+)/);
    const newest = async () => JSON.parse(await textOf(`${url}/v1/chains/43112/blocks?pageSize=1`)).blocks?.[0]?.blockHash;
    await expect.poll(newest).toBe(chain.blocks.at(-1)!.block.hash);
    expect([await follower.end("SIGTERM"), await server.end("SIGTERM")]).toEqual([0, 0]);
  } finally {
    await chain.close();
  }
});

test.each([
  [["ingest"], "nothing to follow; name a network with --network <name>, an EVM chain with --rpc <url>"],
  [["ingest", "--http-port", "0"], "unknown option '--http-port'"],
])("says in one line what is missing or wrong: firn %j", (args, message) => {
  const { exitCode, error } = run([...args, "--data-dir", scratchDirectory()]);
  expect(error).toContain(message);
  expect(exitCode).toBe(2);
});
