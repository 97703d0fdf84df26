/**
 * What Firn leans on inside Node that Node does not document, and who does. A test that fails here says what a version of Node has changed;
 * the file beside it is where to mend it.
 */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { afterEveryTest } from "../after-every-test.ts";

const HEAD = "POST /a HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\n";
const servers: { close(): unknown }[] = [];
afterEveryTest(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listening<S extends Server | ReturnType<typeof createTcpServer>>(server: S): Promise<number> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A socket of a client and one of a server that node:http has not seen. */
async function pair(): Promise<{ client: Socket; accepted: Socket }> {
  const tcp = createTcpServer();
  const port = await listening(tcp);
  const client = connect(port, "127.0.0.1");
  const [accepted] = (await once(tcp, "connection")) as [Socket];
  servers.push({ close: () => [client, accepted].map((socket) => socket.destroy()) });
  return { client, accepted };
}

/** The server's own listener, as Firn takes it. */
function attachOf(server: Server): (socket: Socket) => void {
  const listeners = server.listeners("connection") as ((socket: Socket) => void)[];
  expect(listeners).toHaveLength(1);
  return listeners[0]!.bind(server);
}

function canary(what: string, who: string, holds: () => Promise<void> | void): void {
  test(what, async () => {
    try {
      await holds();
    } catch (error) {
      throw new Error(`Node ${process.version} has changed this: ${what}. src/${who} leans on it. ${(error as Error).message}`, {
        cause: error,
      });
    }
  });
}

canary("a server has one listener for connections, which attaches the parser at once", "server/http-server.ts", async () => {
  const { accepted } = await pair();
  expect(accepted.listenerCount("data")).toBe(0);
  attachOf(createServer())(accepted);
  expect(accepted.listenerCount("data")).toBe(1);
  expect(accepted.listenerCount("end")).toBeGreaterThan(0);
});

canary(
  "the listener for data is the parser: a request is there when it returns, however the bytes are cut",
  "server/request-feed.ts",
  async () => {
    const seen: IncomingMessage[] = [];
    const onRequest: RequestListener = (request) => seen.push(request);
    const { accepted } = await pair();
    attachOf(createServer(onRequest))(accepted);
    const [parse] = accepted.listeners("data") as [(bytes: Buffer) => void];
    accepted.removeListener("data", parse);
    accepted.on("data", () => {});
    const bytes = Buffer.from(HEAD);
    parse.call(accepted, bytes.subarray(0, 1));
    expect(seen).toHaveLength(0);
    parse.call(accepted, bytes.subarray(1));
    expect(seen).toHaveLength(1);
    expect(seen[0]!.complete).toBe(false);
    parse.call(accepted, Buffer.from("ok"));
    expect(seen[0]!.complete).toBe(true);
  },
);

canary("a connection has a flag that says whether node:http waits for its client to read", "server/request-feed.ts", async () => {
  const { accepted } = await pair();
  expect(accepted).not.toHaveProperty("_paused");
  attachOf(createServer())(accepted);
  expect(accepted).toHaveProperty("_paused", false);
});

canary("a request that gets its upgrade comes with the connection itself, which node:http has left", "server/upgrade.ts", async () => {
  const server = createServer();
  const upgraded = once(server, "upgrade");
  const { client, accepted } = await pair();
  attachOf(server)(accepted);
  client.write("GET /ws HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nrest");
  const [request, socket, head] = (await upgraded) as [IncomingMessage, Socket, Buffer];
  expect(socket).toBe(accepted);
  expect(request.socket).toBe(accepted);
  expect(`${head}`).toBe("rest");
  expect(socket.listenerCount("data")).toBe(0);
});

canary("a request without the upgrade that it asks for is served with its body, or handed over whole", "server/upgrade.ts", async () => {
  const options: object = { shouldUpgradeCallback: () => false };
  const server = createServer(options);
  const { client, accepted } = await pair();
  const served = once(server, "request").then(async ([request]) => `served ${await text(request)}`);
  const handed = once(server, "upgrade").then(([, socket, head]) => `handed ${socket === accepted} ${head}`);
  attachOf(server)(accepted);
  client.write("POST /a HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nok");
  expect(["served ok", "handed true ok"]).toContain(await Promise.race([served, handed]));
});

canary("a method that the parser does not know is an error that has a name and the bytes", "server/client-errors.ts", async () => {
  const server = createServer();
  const failed = once(server, "clientError");
  const { client, accepted } = await pair();
  attachOf(server)(accepted);
  client.write("ANYTHING / HTTP/1.1\r\nHost: here\r\n\r\n");
  const [error, socket] = (await failed) as [Error & { code?: string; rawPacket?: Buffer }, Socket];
  expect(error.code).toBe("HPE_INVALID_METHOD");
  expect(`${error.rawPacket}`).toContain("ANYTHING / HTTP/1.1");
  expect(socket).toBe(accepted);
});

canary("V8 has the flags that make it collect earlier and compile less", "server/garbage.ts and src/ingest/compile-less.ts", () => {
  const { stdout } = spawnSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
  for (const flag of ["--heap-growing-percent", "--max-inlined-bytecode-size-cumulative"]) expect(stdout).toContain(`${flag} (`);
});
