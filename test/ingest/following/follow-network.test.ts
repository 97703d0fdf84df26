/** `firn follow` of a primary network: a devnet is followed while it makes blocks, across restarts and an upstream that goes away. */
import { expect, test } from "vitest";
import { type LocalNetwork, startDevnet } from "../../../src/serve/local-network/start.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { type Follower, following } from "./following.ts";

const WALLET = "P-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2";
const NANO = 1_000_000_000n;

async function call(url: string, chain: string, method: string, params: object = {}): Promise<unknown> {
  const response = await fetch(`${url}/ext/bc/${chain}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return ((await response.json()) as { result?: unknown }).result;
}

const height = (url: string) => call(url, "P", "platform.getHeight");

async function sameState(follower: Follower, network: LocalNetwork): Promise<void> {
  await expect.poll(() => height(follower.url)).toEqual(await height(network.url));
  for (const [chain, method, params] of [
    ["P", "platform.getBalance", { addresses: [WALLET] }],
    ["P", "platform.getValidatorsAt", { height: "proposed" }],
    ["X", "avm.getHeight", {}],
  ] as const) {
    expect(await call(follower.url, chain, method, params)).toEqual(await call(network.url, chain, method, params));
  }
}

test("a devnet is followed from genesis, goes on being followed after a stop, and is followed again when it comes back", async () => {
  const dataDir = scratchDirectory();
  const networkDir = scratchDirectory();
  let network = await startDevnet({ dataDirectory: networkDir });
  const port = new URL(network.url).port;
  try {
    await network.fund(WALLET, 5n * NANO);
    const first = await following(dataDir, { network: "local", upstream: network.url });
    await sameState(first, network);
    await network.fund(WALLET, 6n * NANO);
    await sameState(first, network);
    await first.stop();
    await network.fund(WALLET, 7n * NANO);
    // The store tells which network it is
    const second = await following(dataDir, { upstream: network.url });
    await sameState(second, network);
    await network.stop();
    await expect.poll(async () => (await fetch(`${second.url}/ext/health`)).status).toBe(503);
    network = await startDevnet({ dataDirectory: networkDir, httpPort: Number(port) });
    await network.fund(WALLET, 8n * NANO);
    await sameState(second, network);
    await expect.poll(async () => (await fetch(`${second.url}/ext/health`)).status).toBe(200);
    await second.stop();
  } finally {
    await network.stop();
  }
});

test.each(["before it has new blocks", "when it has more blocks than before"])(
  "a devnet that is reverted is no longer followed as if nothing had been, %s",
  async (when) => {
    const network = await startDevnet();
    try {
      await network.fund(WALLET, 5n * NANO);
      const follower = await following(scratchDirectory(), { network: "local", upstream: network.url });
      const snapshot = await network.snapshot();
      await network.fund(WALLET, 6n * NANO);
      await network.fund(WALLET, 6n * NANO);
      await sameState(follower, network);
      const health = async () => {
        const response = await fetch(`${follower.url}/ext/health`);
        return { status: response.status, text: await response.text() };
      };
      await expect.poll(async () => (await health()).status).toBe(200);
      await network.revert(snapshot);
      if (when !== "before it has new blocks") for (let i = 0; i < 4; i++) await network.fund(WALLET, 7n * NANO);
      const told = "A development network was reverted, or the nodes are on another branch: follow it again with an empty data directory";
      await expect.poll(async () => (await health()).text).toContain(told);
      expect((await health()).status).toBe(503);
      await follower.stop();
    } finally {
      await network.stop();
    }
  },
);

test("a store of one network does not follow another", async () => {
  const dataDir = scratchDirectory();
  const network = await startDevnet();
  const other = await startDevnet({ genesisTime: 1_721_016_000n + 1234n });
  try {
    await (await following(dataDir, { network: "local", upstream: network.url })).stop();
    await expect(following(dataDir, { network: "local", upstream: other.url })).rejects.toThrow(/genesis/);
  } finally {
    await Promise.all([network.stop(), other.stop()]);
  }
});
