/** A serving process over a small store, and raw requests to it. */

import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { HealthReports } from "../../src/api/state/health-report.ts";
import { NO_PEERS } from "../../src/api/state/node-facts.ts";
import { close, listen } from "../../src/http/listen.ts";
import type { RpcMetrics } from "../../src/serve/metrics/metrics.ts";
import { createNodeServer, type NodeServerOptions } from "../../src/serve/node-server.ts";
import { openSmallStore, type SmallStore, smallNetwork } from "./small-store.ts";

export interface SmallNode extends SmallStore {
  readonly port: number;
  readonly defects: unknown[];
  readonly metrics: RpcMetrics;
  readonly server: Server;
}

export async function startSmallNode(options: Partial<NodeServerOptions> = {}): Promise<SmallNode> {
  const small = await openSmallStore();
  const defects: unknown[] = [];
  const reports: HealthReports = { health: [], readiness: [] };
  const { server, metrics } = createNodeServer({
    store: small.store,
    network: smallNetwork,
    identity: { nodeId: "05".repeat(20), blsPublicKey: "06".repeat(48), proofOfPossession: "07".repeat(96) },
    facts: { peerSource: NO_PEERS, publicIp: "" },
    allowedHosts: ["localhost"],
    allowedOrigins: ["*"],
    isPublic: false,
    cacheBytes: 1 << 20,
    tokenSecret: Buffer.alloc(32),
    reports: () => reports,
    exposition: async () => "",
    issueContext: () => ({ issue: async () => "08".repeat(32), status: () => undefined, isPendingChain: () => false }),
    onDefect: (error) => defects.push(error),
    ...options,
  });
  const { port }: AddressInfo = await listen(server, "127.0.0.1", 0);
  return {
    ...small,
    port,
    defects,
    metrics,
    server,
    async remove() {
      await close(server);
      await small.remove();
    },
  };
}

export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Writes these bytes and reads until the server closes the connection. */
export function exchange(port: number, request: string | Buffer): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1", () => socket.write(request));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(parseResponse(Buffer.concat(chunks).toString("latin1"))));
  });
}

function parseResponse(text: string): RawResponse {
  const end = text.indexOf("\r\n\r\n");
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = new Map<string, string>();
  for (const line of lines) {
    const name = line.slice(0, line.indexOf(":")).toLowerCase();
    const value = line.slice(line.indexOf(":") + 1).trim();
    headers.set(name, headers.has(name) ? `${headers.get(name)} | ${value}` : value);
  }
  return { status: Number(first.split(" ")[1]), headers, body: text.slice(end + 4) };
}

/** A POST of JSON whose connection ends with the answer. */
export function post(
  port: number,
  path: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawResponse> {
  const all = { Host: "127.0.0.1", "Content-Type": "application/json", Connection: "close", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${path} HTTP/1.1\r\n${lines.join("")}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return exchange(port, Buffer.concat([Buffer.from(head), Buffer.from(body)]));
}
