/** A proxy between a client and Firn that changes answers, to check that the oracle notices. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Json = Record<string, unknown>;

export interface ChangingProxy {
  readonly url: string;
  /** What is done to each JSON answer; by default nothing. */
  change: (body: Json, path: string) => Json;
  close(): Promise<void>;
}

/** @param target URL of Firn */
export async function startChangingProxy(target: string): Promise<ChangingProxy> {
  const server = createServer(async (request, response) => {
    const answer = await fetch(`${target}${request.url}`);
    const body = (await answer.json()) as Json;
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(JSON.stringify(answer.status === 200 ? proxy.change(body, request.url!) : body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: ChangingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    change: (body) => body,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}
