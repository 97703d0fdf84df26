/** Local servers with hostile answers, and a simulated internet that contains them. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Internet } from "../../../src/base/pinned-address.ts";

export interface HostileServer {
  readonly port: number;
  /** paths that were asked for, in order */
  readonly asked: string[];
  /** of the last request */
  headers: IncomingMessage["headers"];
  close(): Promise<void>;
}

export async function startHostileServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  host = "127.0.0.1",
): Promise<HostileServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    hostile.headers = request.headers;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const hostile: HostileServer = {
    port: (server.address() as AddressInfo).port,
    asked,
    headers: {},
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return hostile;
}

/** Names and where they lead; what is not named does not exist. The server's own address counts as public, all else is as it is. */
export function localInternet(
  names: Readonly<Record<string, readonly string[]>>,
  isPublic: (address: string) => boolean,
): Internet & { readonly resolved: string[] } {
  const resolved: string[] = [];
  return {
    resolved,
    isAllowed: (address) => address === "127.0.0.1" || isPublic(address),
    async resolve(hostname) {
      resolved.push(hostname);
      const addresses = names[hostname];
      if (addresses === undefined) throw new Error(`ENOTFOUND ${hostname}`);
      return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
  };
}
