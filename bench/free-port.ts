/** Finds a free port of 127.0.0.1, for a server that needs to be given one. */
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that operating systems assign, so that no other program gets it before or between its uses. */
const [LOWEST, COUNT] = [20_000, 10_000];

export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * COUNT);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
}
