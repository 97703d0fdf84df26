/**
 * Upgrades of HTTP connections: to WebSockets on some paths. Any other wish to upgrade is left unfulfilled, as HTTP allows: the request is
 * served as if it had none. node:http hands over all such requests once anybody listens for them, so those go back to it.
 */
import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { hostFilter } from "./host-filter.ts";
import { parseTarget } from "./request-target.ts";

/** Takes over a connection, with the bytes behind the request. */
export type Accept = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface UpgradeOptions {
  readonly allowedHosts: readonly string[];
  readonly paths: ReadonlySet<string>;
  readonly accept: Accept;
}

export function acceptUpgrades(server: Server, { allowedHosts, paths, accept }: UpgradeOptions): void {
  const isServedHost = hostFilter(allowedHosts);
  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => {});
    const path = parseTarget(request.url!)?.path;
    if (path === undefined || !paths.has(path) || request.headers.upgrade!.toLowerCase() !== "websocket") {
      return serveWithoutUpgrade(server, request, socket, head);
    }
    if (!isServedHost(request.headers.host ?? "")) return refuse(socket, 403, "invalid host specified");
    accept(request, socket, head);
  });
}

function refuse(socket: Duplex, status: number, reason: string): void {
  const body = `${reason}\n`;
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain; charset=utf-8\r\n`;
  socket.end(`${head}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
}

/** The connection starts again with the same request, but for what it said of upgrading. */
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
