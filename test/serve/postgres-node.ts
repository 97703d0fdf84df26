/** A server of a store in PostgreSQL, behind a network that a test can cut. */
import { onTestFinished } from "vitest";
import type { NodeServerOptions } from "../../src/serve/node-server.ts";
import { formatChange } from "../../src/store/format.ts";
import type { PostgresStore } from "../../src/store/postgres/pg-store.ts";
import { scratchPostgresStore } from "../postgres/scratch-store.ts";
import { TcpProxy } from "../postgres/tcp-proxy.ts";
import { exchange, post, startSmallNode } from "./small-node.ts";
import { heightChanges, smallNetwork } from "./small-store.ts";

export const HEIGHT = '{"jsonrpc":"2.0","id":1,"method":"platform.getHeight","params":{}}';
export const AWAY = "the database of this server does not answer at the moment; try again later";

/** @returns `address` is that of the proxy, `direct` the server's own */
export async function filled() {
  const { store, address: direct } = await scratchPostgresStore();
  await store.commit([formatChange(smallNetwork), ...heightChanges({ P: 10n, X: 20n, C: 30n })]);
  const { port } = new URL(direct.url);
  const proxy = await TcpProxy.start(Number(port));
  onTestFinished(() => proxy.close());
  const address = { url: direct.url.replace(`:${port}/`, `:${proxy.port}/`) };
  return { writer: store, address, direct, proxy };
}

export async function startNode(store: PostgresStore, options: Partial<NodeServerOptions> = {}) {
  const node = await startSmallNode({ store, ...options });
  onTestFinished(() => node.remove());
  const height = () => post(node.port, "/ext/bc/P", HEIGHT);
  const get = (path: string) => exchange(node.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  return { node, height, get };
}
