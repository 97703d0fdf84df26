/** Listening and closing, with errors that say what to do. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { FirnError } from "../primitives/errors.ts";

/** Time that requests have to finish (rpc-avm-info-health 1.1). */
const SHUTDOWN_TIMEOUT_MS = 10_000;

export function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const facts = { host, port };
  const options = { cause: error };
  if (error.code === "EADDRINUSE") {
    return new FirnError(
      "port-taken",
      `port ${port} on ${host} is taken; stop what listens there or use another --http-port`,
      facts,
      options,
    );
  }
  if (error.code === "EACCES")
    return new FirnError("port-forbidden", `port ${port} needs more rights; use one from 1024 on`, facts, options);
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND") {
    return new FirnError("host-unknown", `${host} is no address of this machine; use another --http-host`, facts, options);
  }
  return error;
}

/** How often connections are looked for whose last request is answered. */
const IDLE_CHECK_MS = 20;

/** Takes no new connections and waits for the requests that are being answered. */
export async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const timer = setTimeout(() => server.closeAllConnections(), SHUTDOWN_TIMEOUT_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(timer);
}
