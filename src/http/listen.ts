/** Opens and closes the server's port. Errors tell the operator what to do. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { FirnError } from "../base/errors/errors.ts";

/** Time that running requests have to finish (rpc-avm-info-health 1.1). */
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
      `port ${port} on ${host} is in use; stop the program that listens there, or use another --http-port`,
      facts,
      options,
    );
  }
  if (error.code === "EACCES")
    return new FirnError("port-forbidden", `port ${port} requires administrator rights; use a port from 1024 on`, facts, options);
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND") {
    return new FirnError("host-unknown", `${host} is not an address of this machine; use another --http-host`, facts, options);
  }
  return error;
}

/** How often to look for connections that have become idle, in milliseconds. */
const IDLE_CHECK_MS = 20;

/** Accepts no new connections and waits for the requests that are being answered. */
export async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const timer = setTimeout(() => server.closeAllConnections(), SHUTDOWN_TIMEOUT_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(timer);
}
