import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { AnswerMemory } from "../../../src/sources/upstream/answer-memory.ts";
import { encodeMessage } from "../../../src/sources/upstream/json-rpc-message.ts";
import { WebSocketTransport } from "../../../src/sources/upstream/web-socket-transport.ts";

test("a connection that the node took and never answered ends when it is closed: nothing may keep a process alive", async () => {
  const connections: Socket[] = [];
  const server = createServer((socket) => void connections.push(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    const transport = new WebSocketTransport(new URL(`ws://127.0.0.1:${port}`));
    const message = encodeMessage([{ method: "eth_chainId", params: [] }], 1);
    const limits = { timeoutMs: 200_000, maxAnswerBytes: 1024, memory: new AnswerMemory(1024), signal: undefined };
    const asked = transport.exchange(message, limits).catch((error: Error) => error.message);
    await expect.poll(() => connections.length).toBe(1);
    // by what comes, it is known that the node's silence is waited for
    const [greeting] = (await once(connections[0]!, "data")) as [Buffer];
    expect(greeting.toString()).toContain("Upgrade: websocket");
    const ended = once(connections[0]!, "close");
    transport.close();
    await ended;
    expect(await asked).toMatch(/^the connection to the node ended/);
  } finally {
    server.close();
  }
});
