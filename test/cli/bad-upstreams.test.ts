/** `firn ingest` with upstreams that are no nodes: one sentence that says what to do, at the start; few lines, later; never a stack. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { expect, test } from "vitest";
import { listen } from "../../src/http/listen.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { ReplayNode } from "../sources/upstream/replay-node.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { FirnProcess } from "./firn.ts";

const page: RequestListener = (_, response) => response.setHeader("content-type", "text/html").end("<html>");
const evmNode: RequestListener = async (request, response) => {
  // a request that is given up while it comes is not answered
  const { id } = ((await json(request).catch(() => undefined)) ?? {}) as { id?: unknown };
  const error = { code: -32601, message: "the method does not exist/is not available" };
  response.setHeader("content-type", "application/json").end(JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error }));
};
/** Ends only when nobody reads any more. */
const endless: RequestListener = (_, response) => {
  const piece = "a".repeat(1 << 16);
  const write = () => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once("drain", write);
  };
  response.setHeader("content-type", "application/json").write('{"jsonrpc":"2.0","id":1,"result":"');
  write();
};
const gone: RequestListener = (request) => request.socket.destroy();

const WAY_OUT = "look whether a node runs there, and give its URL without /ext, such as http://127.0.0.1:9650";

/** without what the first start of a checkout says */
function linesOf({ error }: FirnProcess): string[] {
  return error.split("\n").filter((line) => line !== "" && line !== "firn: building …");
}

async function withServer<R>(listener: RequestListener, use: (url: string) => Promise<R>): Promise<R> {
  const server = createServer(listener);
  const { port } = await listen(server, "127.0.0.1", 0);
  try {
    return await use(`http://127.0.0.1:${port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test.each([
  ["a web page", page, "the node's answer is not JSON: <html>"],
  ["an EVM node", evmNode, "info.getNetworkID: the method does not exist/is not available"],
  ["an endless answer", endless, "the node's answer is longer than"],
  ["a server that hangs up", gone, "the node cannot be reached"],
])("at the start, %s is refused in one sentence that says what to do", async (_, listener, reason) => {
  await withServer(listener, async (url) => {
    const args = ["ingest", "--network", "local", "--upstream", url, "--data-dir", scratchDirectory(), "--log-level", "silent"];
    const firn = new FirnProcess(args);
    expect(await firn.exitCode()).toBe(1);
    const [sentence, ...more] = linesOf(firn);
    expect(more).toEqual([]);
    expect(sentence!.startsWith(`firn: no upstream says which network it is of (${reason}`), sentence).toBe(true);
    expect(sentence!.endsWith(`; ${WAY_OUT}`), sentence).toBe(true);
  });
});

test("one that does not answer can be waited for, and stopped without a word", async () => {
  let isAsked: () => void;
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  await withServer(
    () => isAsked(),
    async (url) => {
      const firn = new FirnProcess(["ingest", "--network", "local", "--upstream", url, "--data-dir", scratchDirectory()]);
      await asked;
      expect(await firn.end("SIGTERM")).toBe(0);
      expect(linesOf(firn)).toEqual([]);
    },
  );
});

/** until its lines are counted; what an EVM node has not is asked for ever less often */
const REQUESTS = 5;
/** two for each of a chain's failing parts, since they come ever less often */
const MOST_LINES = 12;

test.each([
  ["a web page", page],
  ["an EVM node", evmNode],
  ["an endless answer", endless],
  ["a server that hangs up", gone],
])("a node that turns into %s is told of in a few lines; the follower goes on when it is back", async (_, listener) => {
  const recording = recordingFolder("live-1");
  const node = await ReplayNode.start({ recording, released: { P: 3n } });
  let bad = 0;
  let isBad = false;
  const toNode = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = await fetch(node.url + request.url, { method: "POST", body: Buffer.concat(chunks) });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type")! }).end(await answer.text());
  };
  const either: RequestListener = (request, response) => {
    if (!isBad) return void toNode(request, response).catch(() => response.destroy());
    bad++;
    listener(request, response);
  };
  await withServer(either, async (url) => {
    const dataDir = scratchDirectory();
    const firn = new FirnProcess(["ingest", "--network", join(recording, "network.json"), "--upstream", url, "--data-dir", dataDir]);
    await firn.printed(/^following into/);
    isBad = true;
    node.release({ P: 5n });
    await expect.poll(() => bad).toBeGreaterThan(REQUESTS);
    await expect.poll(() => firn.error).toContain("Could not read a chain; trying again");
    expect(firn.error).not.toMatch(/"stack"|\n\s+at /);
    expect(linesOf(firn).length).toBeLessThanOrEqual(MOST_LINES);
    isBad = false;
    const server = new FirnProcess(["serve", "--data-dir", dataDir, "--workers", "1", "--http-port", "0"]);
    const [, served] = await server.printed(/serving (\S+)/);
    await expect.poll(async () => (await fetch(`${served}/ext/metrics`)).text()).toContain('firn_chain_height_blocks{chain="P"} 5\n');
    expect([await server.end("SIGTERM"), await firn.end("SIGTERM")]).toEqual([0, 0]);
  }).finally(() => node.stop());
});
