/** Answers requests that node:http's parser rejects: with the node's text, or by serving method names that the parser does not know. */

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { UNLIMITED_WORK } from "../base/work/work.ts";
import { bodyLength, endGently } from "./answers.ts";
import { badRequest, type Handler, type HttpRequest, type HttpResponse } from "./exchange.ts";

// Reads a request whose method name node:http does not know from its first packet. The node serves any method name; no endpoint reads the
// body of such a request.

const requestLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) (\S+) HTTP\/1\.([01])$/;

/** Returns undefined if the packet is not an HTTP request. */
function parseRawRequest(packet: Buffer, remoteAddress = ""): HttpRequest | undefined {
  const head = packet.toString("latin1");
  const end = head.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [first, ...lines] = head.slice(0, end).split("\r\n");
  const parts = requestLine.exec(first!);
  if (parts === null) return undefined;
  const headers: Record<string, string> = {};
  let hosts = 0;
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon <= 0) return undefined;
    const name = line.slice(0, colon).toLowerCase();
    if (name === "host") hosts++;
    headers[name] ??= line.slice(colon + 1).trim();
  }
  return {
    method: parts[1]!,
    target: parts[2]!,
    headers,
    hosts,
    isHttp10: parts[3] === "0",
    remoteAddress,
    work: UNLIMITED_WORK,
    readBody: async () => "",
  };
}

export interface ClientError extends Error {
  code?: string;
  rawPacket?: Buffer;
}

/** @param last the connection's last response; while it is still being made, an error in later bytes must not answer in its place */
export function answerClientError(handle: Handler, error: ClientError, socket: Socket, last: ServerResponse | undefined): void {
  const unanswered = last?.writableEnded === false ? last.req : undefined;
  // The error is in bytes after a request that is being answered; nothing after them can be read
  if (unanswered?.complete) {
    last!.once("finish", () => endGently(socket));
    return;
  }
  // The body was cut off or did not arrive in time
  if (unanswered !== undefined || !socket.writable || error.code === "ECONNRESET" || error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
    socket.destroy();
    return;
  }
  const request =
    error.code === "HPE_INVALID_METHOD" && error.rawPacket !== undefined
      ? parseRawRequest(error.rawPacket, socket.remoteAddress)
      : undefined;
  if (request === undefined) {
    const tooLarge = { ...badRequest(), status: 431, body: "431 Request Header Fields Too Large" };
    writeRaw(socket, request, error.code === "HPE_HEADER_OVERFLOW" ? tooLarge : badRequest());
    return;
  }
  Promise.resolve(handle(request)).then(
    (response) => writeRaw(socket, request, response),
    () => socket.destroy(),
  );
}

const REASONS: Readonly<Record<number, string>> = { 200: "OK", 301: "Moved Permanently", 400: "Bad Request", 403: "Forbidden" };
const MORE_REASONS: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  404: "Not Found",
  405: "Method Not Allowed",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  503: "Service Unavailable",
};

/** Writes a whole response and ends the connection. */
export function writeRaw(socket: Socket, request: HttpRequest | undefined, { status, headers, body }: HttpResponse): void {
  const lines = [`HTTP/1.1 ${status} ${REASONS[status] ?? MORE_REASONS[status] ?? ""}`];
  for (let index = 0; index < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`);
  if (request !== undefined) lines.push(`Content-Length: ${bodyLength(body)}`);
  lines.push("Connection: close", "", "");
  socket.write(lines.join("\r\n"), "latin1");
  if (typeof body === "object") for (const part of body) socket.write(part);
  else if (body !== undefined) socket.write(body);
  endGently(socket);
}
