/**
 * Upgrades HTTP connections to WebSockets on some paths. Any other upgrade request is served without the upgrade, as HTTP allows. Where
 * node:http does not ask which ones these are, it hands over all upgrade requests, and they are given back to it.
 */

import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type Connections, takeUnparsed, type Upgraded } from "./connections.ts";
import { type Caller, type Pay, RefusedRequest } from "./exchange.ts";
import { hostFilter, type PageGuard, requireAllowedPage } from "./origins.ts";
import { parseTarget } from "./request-target.ts";
import type { RequestTurns } from "./request-turns.ts";

export interface AcceptedUpgrade extends Upgraded {
  /** pays for what its messages ask for */
  readonly pay: Pay;
}

/** Takes over a connection, with the bytes after the request. */
export type Accept = (request: IncomingMessage, socket: Duplex, head: Buffer, upgrade: AcceptedUpgrade) => void;

/** Decides who may open a WebSocket, and counts what is asked over it. */
export interface Access {
  /** Throws a RefusedRequest. Returns undefined if nothing is counted. */
  open(caller: Caller, endpoint: { readonly leastUnits: number }): { pay: Pay } | undefined;
}

export interface UpgradeOptions {
  readonly allowedHosts: readonly string[];
  /** access control and rate limits; undefined: everybody may ask */
  readonly access: Access | undefined;
  /** checks which pages may open a WebSocket */
  readonly guard: PageGuard;
  /** undefined: there are no WebSockets on this path */
  acceptOf(path: string): Accept | undefined;
}

export function acceptUpgrades(server: Server, connections: Connections, options: UpgradeOptions): void {
  const { allowedHosts, access, guard } = options;
  const isServedHost = hostFilter(allowedHosts);
  server.on("upgrade", (request, socket, parsed) => {
    socket.on("error", () => {});
    const head = Buffer.concat([parsed, takeUnparsed(socket)]);
    const asked = askedUpgrade(request, options);
    if (asked === undefined) return serveWithoutUpgrade(server, request, socket, head);
    const { accept, query } = asked;
    if (!isServedHost(request.headers.host ?? "")) return refuseUpgrade(socket, 403, "invalid host specified");
    const caller = callerOf(request, query);
    try {
      requireAllowedPage(guard, request);
      access?.open(caller, A_CALL);
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      return refuseUpgrade(socket, error.refusal.status, error.message, error.headers);
    }
    // The key is checked for each message, because it can be revoked while the connection is open
    const pay: Pay = (units) => access?.open(caller, A_CALL)?.pay(units);
    const upgraded = connections.upgraded(request);
    inTurn(upgraded.open(), () => accept(request, socket, head, { ...upgraded, pay })).catch(() => socket.destroy());
  });
}

/**
 * Whether a request gets the upgrade that it asks for: node:http's `shouldUpgradeCallback`. Versions that do not know it (20) emit `upgrade` for
 * all requests that ask, at once; those that do wait for a body first, which a request without the upgrade is served with.
 */
export function shouldUpgrade(request: IncomingMessage, options: UpgradeOptions): boolean {
  return askedUpgrade(request, options) !== undefined;
}

/** undefined: the request is served without an upgrade */
function askedUpgrade({ url, headers }: IncomingMessage, { acceptOf }: UpgradeOptions): { accept: Accept; query: string } | undefined {
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0;
  if (hasBody || headers.upgrade?.toLowerCase() !== "websocket") return undefined;
  const target = parseTarget(url!);
  const accept = target && acceptOf(target.path);
  return accept && { accept, query: target.query };
}

async function inTurn(turns: RequestTurns, act: () => void): Promise<void> {
  try {
    await turns.turn();
    act();
  } finally {
    turns.close();
  }
}

const A_CALL = { leastUnits: 1 };

/** Pages in browsers cannot set headers of a WebSocket, so the query may contain the key. */
function callerOf({ headers, socket }: IncomingMessage, query: string): Caller {
  const key = new URLSearchParams(query).get("apiKey");
  const remoteAddress = socket.remoteAddress ?? "";
  return { headers: key === null ? headers : { "x-data-api-key": key, ...headers }, remoteAddress };
}

/** Answers and closes the connection. */
export function refuseUpgrade(socket: Duplex, status: number, reason: string, headers: readonly string[] = []): void {
  const body = `${reason}\n`;
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, "Content-Type: text/plain; charset=utf-8"];
  for (let index = 0; index < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`);
  const head = `${lines.join("\r\n")}\r\n`;
  socket.end(`${head}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
}

/** Feeds the same request to node:http again, without its upgrade headers. */
function serveWithoutUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  const { rawHeaders } = request;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (name === "upgrade" || name === "http2-settings") continue;
    const value = name === "connection" ? withoutUpgrade(rawHeaders[index + 1]!) : rawHeaders[index + 1]!;
    if (value !== "" || name !== "connection") lines.push(`${rawHeaders[index]}: ${value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}

function withoutUpgrade(connection: string): string {
  const wishes = connection.split(",").map((wish) => wish.trim());
  return wishes.filter((wish) => !["upgrade", "http2-settings"].includes(wish.toLowerCase())).join(", ");
}
