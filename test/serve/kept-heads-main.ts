/** A serving process and clients that leave their connections open: it tells by how much it grew, in bytes. */
import { once } from "node:events";
import { connect } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { startSmallNode } from "./small-node.ts";

const HEAD_BYTES = 900_000;
const [connections, rounds] = process.argv.slice(2).map(Number) as [number, number];
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const node = await startSmallNode();

/** Before the long header there are as many short ones. */
async function ask(socket: ReturnType<typeof connect>, short: number): Promise<void> {
  socket.write(`GET /ext/health HTTP/1.1\r\nHost: localhost\r\n${"A: 1\r\n".repeat(short)}X: ${"x".repeat(HEAD_BYTES)}\r\n\r\n`);
  await once(socket, "data");
}

/** Bytes that somebody holds. */
function held(): number {
  collectGarbage();
  // biome-ignore lint/plugin: live bytes after a full collection: 180 MB if heads are kept, some MB if not
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const first = connect(node.port, "127.0.0.1");
await ask(first, 0);
const before = held();
const sockets = [first];
for (let opened = 1; opened < connections; opened++) {
  const socket = connect(node.port, "127.0.0.1");
  sockets.push(socket);
  for (let short = rounds; short > 0; short--) await ask(socket, short);
}
console.log(held() - before);
for (const socket of sockets) socket.destroy();
await node.remove();
