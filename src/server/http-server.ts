/**
 * node:http under the pipeline: turns its requests into values and writes responses. What its parser refuses but the node serves (any
 * method name) is read from the raw packet; what both refuse gets the node's words.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { endOfTurn } from "./end-of-turn.ts";
import type { HttpRequest, HttpResponse } from "./exchange.ts";
import { badRequest, CutOffError } from "./exchange.ts";
import type { Pipeline } from "./pipeline.ts";
import { parseRawRequest } from "./raw-request.ts";

/** Another application under paths of its own, e.g. the Data API under `/v1`. It answers requests itself. */
export interface Mount {
  /** `/v1` takes `/v1` and what is below it, not `/v1x` */
  readonly prefixes: readonly string[];
  /** exact paths below them that stay the node's */
  readonly exceptions: readonly string[];
  handle(request: IncomingMessage, response: ServerResponse): void;
}

/** The node's own limits (rpc-avm-info-health 1.1). */
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 120_000;
const MAX_HEADER_BYTES = 1 << 20;
/** Go's server sends longer bodies in chunks. */
const LONGEST_UNCHUNKED = 2048;
/** Up to here copying an answer costs less than writing its parts. */
const LONGEST_COPIED = 128 << 10;
/** The node has no limit. The longest body of use, a getUTXOs of 1,024 addresses or a transaction of 64 KiB in hex, is far below. */
const MAX_BODY_BYTES = 32 << 20;

export function createHttpServer(pipeline: Pipeline, mounts: readonly Mount[] = []): Server {
  const respond = endOfTurn(write);
  const server = createServer(
    {
      requireHostHeader: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      noDelay: true,
    },
    (request, response) => {
      (request.socket as TrackedSocket)[pending] = response;
      for (const mount of mounts) {
        if (isTaken(request.url!, mount)) return mount.handle(request, response);
      }
      const answer = pipeline(exchangeOf(request));
      if (!(answer instanceof Promise)) return respond(response, answer);
      answer.then(
        (made) => respond(response, made),
        () => response.destroy(),
      );
    },
  );
  server.on("clientError", (error: ClientError, socket: Socket) => answerClientError(pipeline, error, socket));
  return server;
}

function isTaken(url: string, { prefixes, exceptions }: Mount): boolean {
  return prefixes.some((prefix) => isBelow(url, prefix)) && !exceptions.includes(url.split("?", 1)[0]!);
}

function isBelow(url: string, prefix: string): boolean {
  if (!url.startsWith(prefix)) return false;
  const next = url.charAt(prefix.length);
  return next === "" || next === "/" || next === "?";
}

/** The last response of a socket: while it is being made, an error behind its request must not answer for it. */
const pending = Symbol("pending");
type TrackedSocket = Socket & { [pending]?: ServerResponse };

function exchangeOf(request: IncomingMessage): HttpRequest {
  const { rawHeaders } = request;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  return {
    method: request.method!,
    target: request.url!,
    headers: request.headers,
    hosts,
    isHttp10: request.httpVersionMinor === 0,
    readBody: () => readBody(request),
  };
}

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] | undefined;
    let first: Buffer | undefined;
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) request.destroy(new Error(`more than ${MAX_BODY_BYTES} bytes`));
      else if (first === undefined) first = chunk;
      else {
        chunks ??= [first];
        chunks.push(chunk);
      }
    });
    request.on("end", () => resolve(((chunks && Buffer.concat(chunks)) ?? first)?.toString("latin1") ?? ""));
    request.on("error", (error) => reject(new CutOffError(error.message)));
  });
}

function write(response: ServerResponse, { status, headers, body, closes }: HttpResponse): void {
  const length = bodyLength(body);
  const all = length <= LONGEST_UNCHUNKED ? headers.concat("Content-Length", length.toString()) : headers.slice();
  if (closes) all.push("Connection", "close");
  response.writeHead(status, all);
  if (typeof body !== "object") {
    response.end(body);
    return;
  }
  if (length <= LONGEST_UNCHUNKED) {
    // node:http puts text and headers into one piece, bytes it does not
    response.end(Buffer.concat(body, length).toString("latin1"), "latin1");
    return;
  }
  if (length <= LONGEST_COPIED) {
    response.end(Buffer.concat(body, length));
    return;
  }
  response.cork();
  for (const part of body) response.write(part);
  response.end();
}

function bodyLength(body: HttpResponse["body"]): number {
  if (body === undefined) return 0;
  if (typeof body === "string") return Buffer.byteLength(body);
  return body.reduce((sum, part) => sum + part.length, 0);
}

interface ClientError extends Error {
  code?: string;
  rawPacket?: Buffer;
}

function answerClientError(pipeline: Pipeline, error: ClientError, socket: Socket): void {
  const last = (socket as TrackedSocket)[pending];
  const unanswered = last?.writableEnded === false ? last.req : undefined;
  // Bytes behind a request that is being answered; nothing can be read after them
  if (unanswered?.complete) {
    last!.once("finish", () => socket.end());
    return;
  }
  // Its body was cut off, or did not come in time
  if (unanswered !== undefined || !socket.writable || error.code === "ECONNRESET" || error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
    socket.destroy();
    return;
  }
  const request = error.code === "HPE_INVALID_METHOD" && error.rawPacket !== undefined ? parseRawRequest(error.rawPacket) : undefined;
  if (request === undefined) {
    const tooLarge = { ...badRequest(), status: 431, body: "431 Request Header Fields Too Large" };
    writeRaw(socket, request, error.code === "HPE_HEADER_OVERFLOW" ? tooLarge : badRequest());
    return;
  }
  Promise.resolve(pipeline(request)).then(
    (response) => writeRaw(socket, request, response),
    () => socket.destroy(),
  );
}

const REASONS: Readonly<Record<number, string>> = { 200: "OK", 301: "Moved Permanently", 400: "Bad Request", 403: "Forbidden" };
const MORE_REASONS: Readonly<Record<number, string>> = {
  404: "Not Found",
  405: "Method Not Allowed",
  431: "Request Header Fields Too Large",
  503: "Service Unavailable",
};

/** Writes a whole response and ends the connection. */
function writeRaw(socket: Socket, request: HttpRequest | undefined, { status, headers, body }: HttpResponse): void {
  const lines = [`HTTP/1.1 ${status} ${REASONS[status] ?? MORE_REASONS[status] ?? ""}`];
  for (let index = 0; index < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`);
  if (request !== undefined) lines.push(`Content-Length: ${bodyLength(body)}`);
  lines.push("Connection: close", "", "");
  socket.write(lines.join("\r\n"), "latin1");
  if (typeof body === "object") for (const part of body) socket.write(part);
  else if (body !== undefined) socket.write(body);
  socket.end();
}
