/** Vitest's global setup: one PostgreSQL for all test files, started when the first of them asks for it, and ended after the run. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { PostgresServer } from "./server.ts";

const PORT = "FIRN_TEST_POSTGRES_PORT";

export async function setup(): Promise<(() => Promise<void>) | undefined> {
  // once, not for each project again
  if (process.env[PORT] !== undefined) return undefined;
  let server: Promise<PostgresServer> | undefined;
  const asked = createServer(async (socket) => {
    server ??= PostgresServer.start();
    socket.on("error", () => {});
    socket.end(
      await server.then(
        ({ port }) => `${port}`,
        (error: Error) => error.message,
      ),
    );
  });
  asked.listen(0, "127.0.0.1");
  await once(asked, "listening");
  process.env[PORT] = `${(asked.address() as AddressInfo).port}`;
  return async () => {
    asked.close();
    await server?.then(
      (started) => started.remove(),
      // the tests that asked were told
      () => {},
    );
  };
}

/** Its port. Its superuser is `postgres`, and needs no password. */
export async function sharedServerPort(): Promise<number> {
  const answer = await text(connect(Number(process.env[PORT]), "127.0.0.1"));
  if (!/^\d+$/.test(answer)) throw new Error(`the PostgreSQL of the tests did not start: ${answer}`);
  return Number(answer);
}
