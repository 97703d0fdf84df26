import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { JsonRpcClient } from "../../../src/devnet/anvil/json-rpc-client.ts";

const sockets = new Set<Socket>();
let server: Server;
let client: JsonRpcClient;

afterEach(() => {
  client.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** A server that does this with every connection that has said something. */
async function serving(answer: (socket: Socket) => void): Promise<void> {
  server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.once("data", () => answer(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  client = new JsonRpcClient(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), "the C-chain");
}

const reply = (body: string) => `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const limits = { timeoutMs: 60_000, maxBytes: 1 << 20 };

describe("A child", () => {
  test("that answers and closes while the request is still written has answered, and nothing is thrown", async () => {
    // what the kernel takes at once is much less
    const body = "a".repeat(12 << 20);
    await serving((socket) => socket.end(reply('{"early":true}'), () => socket.destroy()));
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => client.send(body, limits)));
    for (const answer of answers) {
      // the kernel may say that the connection is broken before it hands over what came
      if (answer.status === "fulfilled") expect(answer.value.toString()).toBe('{"early":true}');
      else expect(answer.reason).toMatchObject({ code: "evm-down" });
    }
  });

  test("that hangs is given up, as busy", async () => {
    await serving(() => {});
    await expect(client.send("{}", { ...limits, timeoutMs: 50 })).rejects.toMatchObject({ code: "evm-busy" });
  });

  test("that sends without an end is read up to the limit", async () => {
    let sent = 0;
    await serving((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n");
      const piece = Buffer.alloc(1 << 20);
      const more = () => {
        while (!socket.destroyed && socket.write(piece)) sent += piece.length;
      };
      socket.on("drain", more);
      more();
    });
    await expect(client.send("{}", limits)).rejects.toMatchObject({ code: "evm-request", rpcCode: -32_003 });
    expect(sent).toBeLessThan(64 << 20);
  });

  test("that breaks off in the middle of its answer does not answer", async () => {
    await serving((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"));
    await expect(client.send("{}", limits)).rejects.toMatchObject({ code: "evm-down" });
  });
});
