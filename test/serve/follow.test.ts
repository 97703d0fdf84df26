/** `firn follow` in this process: several chains from replayed nodes, into a store without a primary network. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../src/cli/config.ts";
import { followAndServe } from "../../src/cli/follow/follow-chains.ts";
import { statusLines, storeStatus } from "../../src/cli/store/store-status.ts";
import { type EvmChainEntry, entryOf } from "../../src/evm/chain-entry.ts";
import { openServingStore } from "../../src/serve/serving-store.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { type ReplayRpc, startReplayRpc } from "../evm/replay-rpc/replay-rpc.ts";
import { eventually } from "../patience.ts";
import { scratchDirectory } from "../store/scratch.ts";

const C_CHAIN = "43112";
const OURS = "1337";
const HEAD = 134;
/** one byte, with its checksum */
const SOME_TX = "0x0017afa01d";
let cChain: ReplayRpc;
/** another chain than the first by its ID, too */
let anvil: ReplayRpc;
let ours: Renamed;

beforeAll(async () => {
  cChain = await startReplayRpc({ recording: recordingFolder("evm-1") });
  anvil = await startReplayRpc({ recording: recordingFolder("evm-anvil-1") });
  ours = await renamed(anvil.url, OURS);
});
afterAll(async () => {
  ours.close();
  await Promise.all([cChain.close(), anvil.close()]);
});

interface Renamed {
  readonly url: string;
  close(): void;
}

/** A node that says of another one's chain that it has this ID: recordings have the same one. */
async function renamed(url: string, chainId: string): Promise<Renamed> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    const text = await answer.text();
    const calls = JSON.parse(body);
    const isAsked = (Array.isArray(calls) ? calls : [calls]).some(({ method }) => method === "eth_chainId");
    const old = `"0x${Number(C_CHAIN).toString(16)}"`;
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(isAsked ? text.replace(old, `"0x${Number(chainId).toString(16)}"`) : text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into what it expects
  readonly body: any;
}

interface Running {
  readonly url: string;
  get(path: string): Promise<Answer>;
  /** asks again until it is so, or fails by the test's own limit */
  until(path: string, isSo: (answer: Answer) => boolean): Promise<Answer>;
}

async function following(
  entries: readonly EvmChainEntry[],
  use: (running: Running) => Promise<void>,
  flags: Readonly<Record<string, string>> = {},
): Promise<void> {
  const config = readConfig({
    flags: { dataDir: scratchDirectory(), httpPort: "0", logLevel: "silent", healthCheckFrequency: "50ms", workers: "1", ...flags },
    environment: {},
  });
  const stopping = new AbortController();
  let ended: Promise<void> | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    ended = followAndServe(config, entries, stopping.signal, (text) => resolve(/http:\S+/.exec(text)![0]));
    ended.catch(reject);
  });
  const get = async (path: string): Promise<Answer> => {
    const response = await fetch(url + path);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text.startsWith("{") ? JSON.parse(text) : text };
  };
  try {
    await use({
      url,
      get,
      until: (path, isSo) =>
        eventually(async () => {
          const answer = await get(path);
          return isSo(answer) && answer;
        }),
    });
  } finally {
    stopping.abort();
    await ended;
  }
}

function latest(chain: string): string {
  return `/v1/chains/${chain}/blocks?pageSize=1`;
}

function isAt(height: number) {
  return ({ status, body }: Answer) => status === 200 && body.blocks[0]?.blockNumber === `${height}`;
}

describe("Following EVM chains into an empty data directory", () => {
  test("indexes them side by side, serves all, and goes on where it was", async () => {
    const dataDir = scratchDirectory();
    const entries = [entryOf([cChain.url]), { ...entryOf([ours.url]), name: "Ours" }];
    await following(
      entries,
      async ({ until, get }) => {
        await until(latest(C_CHAIN), isAt(HEAD));
        await until(latest(OURS), isAt(anvil.head));
        const { body, headers } = await get("/v1/chains");
        expect(body.chains.map(({ chainId, chainName }: { chainId: string; chainName: string }) => [chainId, chainName])).toEqual([
          [OURS, "Ours"],
          [C_CHAIN, "Avalanche (C-Chain)"],
        ]);
        expect(headers.get(`firn-height-${C_CHAIN}`)).toBe(`${HEAD}`);
        expect(headers.get(`firn-seconds-behind-${OURS}`)).toBe("0");
        const metrics = (await get("/ext/metrics")).body;
        expect(metrics).toContain(`firn_chain_height_blocks{chain="${OURS}"} ${anvil.head}\n`);
      },
      { dataDir },
    );
    const { store } = await openServingStore({ dataDirectory: dataDir, log: pino({ level: "silent" }) });
    try {
      const lines = statusLines(await storeStatus(store, dataDir));
      expect(lines.pop()).toMatch(/^store in /);
      expect(lines.filter((line) => !line.startsWith(" ")).sort()).toEqual(
        [`chain ${C_CHAIN} (Avalanche (C-Chain)): ${HEAD}`, `chain ${OURS} (Ours): ${anvil.head}`].sort(),
      );
      const nodes = [cChain.url, ours.url].map((url) => `  http://${new URL(url).host}: used`);
      expect(lines.filter((line) => line.startsWith(" ")).sort()).toEqual(nodes.sort());
    } finally {
      await store.close();
    }
    const asked = cChain.counts.get("debug_traceBlockByNumber");
    await following(entries, async ({ get }) => expect(isAt(HEAD)(await get(latest(C_CHAIN)))).toBe(true), { dataDir });
    expect(cChain.counts.get("debug_traceBlockByNumber")).toBe(asked);
  });

  test("answers for the primary network as for chains that it does not hold", async () => {
    await following([entryOf([cChain.url])], async ({ url, get, until }) => {
      const call = async (path: string, method: string, params: object) => {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
        const response = await fetch(url + path, { method: "POST", headers: { "content-type": "application/json" }, body });
        return { status: response.status, text: await response.text() };
      };
      expect((await call("/ext/bc/P", "platform.getHeight", {})).status).toBe(503);
      expect((await call("/ext/info", "info.isBootstrapped", { chain: "P" })).text).toContain('"isBootstrapped":false');
      expect((await call("/ext/bc/C/avax", "avax.issueTx", { tx: SOME_TX })).text).toContain("holds only EVM chains");
      expect((await get("/ext/bc/X")).status).toBe(503);
      expect(await get("/v1/networks/fuji/blockchains")).toMatchObject({
        status: 503,
        body: { message: expect.stringContaining("p-chain") },
      });
      expect((await get("/v1/networks/mainnet/blockchains")).status).toBe(404);
      const { body } = await until("/ext/health", (answer) => answer.body.healthy && C_CHAIN in answer.body.checks);
      expect(Object.keys(body.checks)).not.toContain("P");
    });
  });

  test("begins with a chain whose node does not answer when it does, and serves others meanwhile", async () => {
    const late = await startReplayRpc({ recording: recordingFolder("evm-helicon-1"), head: 3, faults: { serverError: 1 } });
    try {
      await following([entryOf([late.url]), entryOf([ours.url])], async ({ get, until }) => {
        await until(latest(OURS), isAt(anvil.head));
        expect((await get(latest(C_CHAIN))).status).toBe(404);
        late.setFaults({});
        await until(latest(C_CHAIN), isAt(3));
      });
    } finally {
      await late.close();
    }
  });

  test("says in health, in the header and in status that a chain's nodes are gone, and recovers", async () => {
    const node = await startReplayRpc({ recording: recordingFolder("evm-1"), head: 10 });
    try {
      await following([entryOf([node.url])], async ({ until }) => {
        await until(latest(C_CHAIN), isAt(10));
        await until("/ext/health", ({ body }) => body.healthy && body.checks[C_CHAIN] !== undefined);
        node.setFaults({ serverError: 1 });
        const { body } = await until("/ext/health", ({ body }) => !body.healthy);
        expect(body.checks[C_CHAIN].error).toMatch(/\S/);
        node.setFaults({});
        await until("/ext/health", ({ body }) => body.healthy);
        node.setHead(12);
        await until(latest(C_CHAIN), isAt(12));
      });
    } finally {
      await node.close();
    }
  });

  test("refuses two entries of one chain, and a chain that the store does not fit", async () => {
    const again = await startReplayRpc({ recording: recordingFolder("evm-1"), head: 3 });
    const other = await startReplayRpc({ recording: recordingFolder("evm-helicon-1"), head: 3 });
    try {
      const nothing = async () => {};
      await expect(following([entryOf([cChain.url]), entryOf([again.url])], nothing)).rejects.toMatchObject({ code: "evm-chain-twice" });
      await expect(following([], nothing)).rejects.toMatchObject({ code: "config" });
      const dataDir = scratchDirectory();
      await following([entryOf([again.url])], async ({ until }) => void (await until(latest(C_CHAIN), isAt(3))), { dataDir });
      await expect(following([entryOf([other.url])], nothing, { dataDir })).rejects.toMatchObject({ code: "evm-chain-refused" });
    } finally {
      await Promise.all([again.close(), other.close()]);
    }
  });
});
