/** Routes of transactions, blocks, vertices and assets over HTTP: accepted chains, statuses, page tokens. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatId, formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import type { Serving } from "../../../../src/serve/serve.ts";
import { importUntil, serveAt } from "../../../conformance/checkpoints.ts";
import { recordingFolder } from "../../../conformance/recordings.ts";
import { someId } from "../../../index/primary/transactions/transaction-world.ts";

const directory = mkdtempSync(join(tmpdir(), "firn-transactions-served-"));
let serving: Serving;

beforeAll(async () => {
  await importUntil(recordingFolder("latest-1"), directory, { P: 60, X: 60, C: 10 }, "replay");
  serving = await serveAt(directory, 1_900_000_000n);
});

afterAll(async () => {
  await serving?.stop();
  rmSync(directory, { recursive: true, force: true });
});

// biome-ignore lint/suspicious/noExplicitAny: answers of many forms are looked into
async function get(chain: string, path: string): Promise<{ status: number; body: any }> {
  const answer = await fetch(`${serving.url}/v1/networks/fuji/blockchains/${chain}${path}`);
  return { status: answer.status, body: await answer.json() };
}

const CHAINS = ["p-chain", "x-chain", "c-chain"];
const unknown = formatId(someId("unknown"));
const node = formatNodeId("12".repeat(20));

/** What an answer about nothing known is, by the chains of the path. */
const ROUTES: Readonly<Record<string, readonly [chains: readonly string[], status: number]>> = {
  "/transactions": [CHAINS, 200],
  [`/transactions/${unknown}`]: [CHAINS, 404],
  "/transactions:listStaking": [["p-chain"], 200],
  [`/assets/${unknown}/transactions`]: [["x-chain"], 404],
  [`/assets/${unknown}`]: [["x-chain"], 404],
  "/blocks": [CHAINS, 200],
  "/blocks/123456": [CHAINS, 404],
  [`/nodes/${node}/blocks`]: [CHAINS, 200],
  "/vertices": [["x-chain"], 200],
  "/vertices:listByHeight?vertexHeight=1": [["x-chain"], 200],
  [`/vertices/${unknown}`]: [["x-chain"], 404],
};

test.each(Object.entries(ROUTES))("%s takes its chains and refuses others", async (path, [chains, expected]) => {
  for (const chain of CHAINS) {
    const { status, body } = await get(chain, path);
    expect(status, `${chain} ${path}`).toBe(chains.includes(chain) ? expected : 400);
    if (status === 200) continue;
    expect(body).toEqual({ message: expect.any(String), statusCode: status, error: status === 400 ? "Bad Request" : "Not Found" });
  }
});

test("a chain that was linear from the beginning has no vertices", async () => {
  for (const path of ["/vertices", "/vertices:listByHeight?vertexHeight=0"]) {
    expect((await get("x-chain", path)).body).toEqual({ vertices: [], chainInfo: { chainName: "x-chain", network: "fuji" } });
  }
});

test.each([
  "/transactions?startTimestamp=1",
  "/transactions?txTypes=BaseTx",
  "/transactions?addresses=nobody",
  "/transactions?pageSize=101",
  "/transactions?sortOrder=up",
  "/transactions/0x12",
  "/blocks/latest",
  "/blocks?startTimestamp=-1",
  "/nodes/NodeID-1/blocks",
  "/vertices:listByHeight",
  "/vertices:listByHeight?vertexHeight=-1",
  "/vertices/abc",
  "/assets/AVAX",
])("%s is malformed", async (path) => {
  const { status, body } = await get("x-chain", path);
  expect([status, body.error]).toEqual([400, "Bad Request"]);
});

test("tokens lead through a chain's transactions, and are good for no other list", async () => {
  const seen: string[] = [];
  let token: string | undefined;
  do {
    const { body } = await get("x-chain", `/transactions?pageSize=7&sortOrder=asc${token === undefined ? "" : `&pageToken=${token}`}`);
    seen.push(...body.transactions.map(({ txHash }: { txHash: string }) => txHash));
    token = body.nextPageToken;
    if (token === undefined) continue;
    expect((await get("p-chain", `/transactions?pageToken=${token}`)).status).toBe(400);
    expect((await get("x-chain", `/blocks?pageToken=${token}`)).status).toBe(400);
  } while (token !== undefined);
  const { body } = await get("x-chain", "/transactions?pageSize=100");
  expect(body.transactions.map(({ txHash }: { txHash: string }) => txHash)).toEqual(seen.toReversed().slice(0, 100));
});
