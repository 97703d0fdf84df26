/**
 * Connects node:http with the pipeline: turns requests into values and writes the responses. A method name that node:http's parser rejects
 * but the node serves is read from the raw packet; what both reject gets the node's text.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { GrowingBuffer } from "../base/collections/growing-buffer.ts";
import type { LimitName, Limits } from "../base/limits.ts";
import { LimitError, type Work } from "../base/work/work.ts";
import { respond } from "./answers.ts";
import { answerClientError, type ClientError, writeRaw } from "./client-errors.ts";
import { Connections, KEEP_ALIVE_TIMEOUT_MS } from "./connections.ts";
import { errorResponse, type Handler, type HttpRequest } from "./exchange.ts";
import { type BodyLimit, CutOffError, type MountedRequest } from "./mounted-request.ts";
import { MOST_OF_HEAD } from "./request-feed.ts";
import { acceptUpgrades, shouldUpgrade, type UpgradeOptions } from "./upgrade.ts";

interface BodyReaderOptions {
  readonly limits: Limits;
  readonly connections: Connections;
  onRefusal(limit: LimitName): void;
}

/**
 * Reads the body and waits for the turn in which it is used. Rejects with a LimitError, which the client is told, or with a CutOffError,
 * which it cannot be told.
 */
type ReadBody = (request: IncomingMessage, limit: BodyLimit, work: Work) => Promise<Buffer>;

const NOTHING = Buffer.alloc(0);

/** Shorter bodies are not counted: connections are, and most bodies fit into one packet. */
const LEAST_COUNTED = 16 << 10;

/** Reads a request's body, within the endpoint's limit and the process's memory limit. */
function bodyReader({ limits, connections, onRefusal }: BodyReaderOptions): ReadBody {
  const tooLong = (limit: BodyLimit) => {
    onRefusal(limit);
    return new LimitError(limit, `the body is longer than ${limits[limit]} bytes, the most that this server reads; send less at a time`);
  };
  return (request, limit, work) =>
    new Promise((resolve, reject) => {
      if (Number(request.headers["content-length"]) > limits[limit]) return reject(tooLong(limit));
      const connection = connections.of(request.socket);
      let first: Buffer | undefined;
      // an array of one-byte chunks would hold a hundred times the bytes that are counted
      let rest: GrowingBuffer | undefined;
      let bytes = 0;
      let counted = 0;
      const take = (chunk: Buffer) => {
        bytes += chunk.length;
        if (first === undefined) first = chunk;
        else {
          if (rest === undefined) {
            rest = new GrowingBuffer();
            rest.append(first);
          }
          rest.append(chunk);
        }
        if (bytes > limits[limit]) return stop(tooLong(limit));
        if (bytes < LEAST_COUNTED) return;
        connections.holdBody(connection, bytes - counted);
        counted = bytes;
      };
      const stop = (error: Error) => {
        connection.refuseBody = undefined;
        first = rest = undefined;
        request.removeListener("data", take);
        reject(error);
      };
      connection.refuseBody = () => {
        stop(
          new LimitError("bodiesBytes", "too many long requests are being read; send this one again in a moment, or send less at a time"),
        );
      };
      request.on("data", take);
      request.on("end", () => {
        connection.refuseBody = undefined;
        const body = rest?.bytes() ?? first ?? NOTHING;
        first = rest = undefined;
        const turn = work.turn();
        if (turn === undefined) resolve(body);
        else turn.then(() => resolve(body), reject);
      });
      request.on("error", (error) => stop(new CutOffError(error.message)));
    });
}

/** The status of a request whose body was refused. */
export function statusOfRefusedBody({ facts }: LimitError): 413 | 503 {
  return facts.limit === "bodyBytes" || facts.limit === "evmBodyBytes" ? 413 : 503;
}

/** Another application on paths of its own, e.g. the Data API below `/v1`. It writes its responses itself. */
export interface Mount {
  /** Whether a request is for this application; called for every request. */
  takes(request: IncomingMessage): boolean;
  handle(request: IncomingMessage, response: ServerResponse, mounted: MountedRequest): void;
  /** Answers a request that a limit refuses. */
  refuse(response: ServerResponse, error: LimitError): void;
}

interface HttpServerOptions {
  readonly handle: Handler;
  /** by default none */
  readonly mounts?: readonly Mount[];
  /** by default no connection is upgraded */
  readonly upgrades?: UpgradeOptions | undefined;
  readonly limits: Limits;
  /** proxies whose X-Forwarded-For is trusted */
  readonly trustedProxies: readonly string[];
  /** called for each refusal or close, with the limit that caused it */
  onRefusal(limit: LimitName): void;
  /** whether node:http parses every request, also those with a head that it has parsed before */
  readonly parsesAll?: boolean | undefined;
}

/** How often node:http looks for connections whose request is late, in milliseconds. */
const SLOW_CHECK_MS = 1000;

/** A handler that throws must not end the process. */
function rejecting(handle: Handler): Handler {
  return (request) => {
    try {
      return handle(request);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

export function createHttpServer(given: HttpServerOptions): Server {
  const options = { ...given, handle: rejecting(given.handle) };
  const { limits, mounts = [] } = options;
  const connections = new Connections({ ...options, takes: (request) => !mounts.some((mount) => mount.takes(request)) });
  const serve = requestListener(options, connections);
  const { upgrades } = options;
  const server = createServer(
    {
      ...(upgrades && { shouldUpgradeCallback: (request: IncomingMessage) => shouldUpgrade(request, upgrades) }),
      requireHostHeader: false,
      maxHeaderSize: MOST_OF_HEAD,
      requestTimeout: Math.max(limits.bodySeconds, limits.headerSeconds) * 1000,
      headersTimeout: limits.headerSeconds * 1000,
      connectionsCheckingInterval: SLOW_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      noDelay: true,
    },
    serve,
  );
  // Without a listener node:http would answer by itself, and the bytes after the request would not wait
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    connections.open(request, response).close();
    response.writeHead(417).end();
  });
  // this event also reports connections that were idle for too long; the listener must close each
  server.on("timeout", (socket) => connections.close(socket));
  admitConnections(server, connections);
  server.on("clientError", (error: ClientError, socket: Socket) => {
    const connection = connections.of(socket);
    connection.feed?.end();
    answerClientError(options.handle, error, socket, connection.response);
  });
  if (upgrades !== undefined) acceptUpgrades(server, connections, upgrades);
  const closeIdle = server.closeIdleConnections.bind(server);
  // node:http takes a connection for idle whose request it has not parsed; close() looks again soon
  server.closeIdleConnections = () => {
    if (connections.endsKnown()) closeIdle();
  };
  // node:http does not track connections that were upgraded
  server.closeAllConnections = () => connections.closeAll();
  return server;
}

function requestListener({ handle, mounts = [], limits, onRefusal }: HttpServerOptions, connections: Connections) {
  const read = bodyReader({ limits, connections, onRefusal });
  const serve = (request: IncomingMessage, response: ServerResponse, work: Work) => {
    const readBody = (limit: BodyLimit) => read(request, limit, work);
    for (const mount of mounts) if (mount.takes(request)) return mount.handle(request, response, { work, readBody });
    const answer = handle(exchangeOf(request, connections.of(request.socket).address, work, readBody));
    if (!(answer instanceof Promise)) return respond(response, answer);
    answer.then(
      (made) => respond(response, made),
      () => response.destroy(),
    );
  };
  const refuse = (request: IncomingMessage, response: ServerResponse, error: LimitError) => {
    const mount = mounts.find((each) => each.takes(request));
    if (mount !== undefined) return mount.refuse(response, error);
    respond(response, { ...errorResponse(503, error.message), closes: true });
  };
  return (request: IncomingMessage, response: ServerResponse) => {
    const work = connections.open(request, response);
    const turn = work.turn();
    if (turn === undefined) return serve(request, response, work);
    turn.then(
      () => serve(request, response, work),
      (error: unknown) => (error instanceof LimitError ? refuse(request, response, error) : response.destroy()),
    );
  };
}

/** Refused connections that may be open at a time to read the reason; more are closed without one. */
const MOST_REFUSED = 256;

/** Applies the connection limits before node:http sees a connection, and puts a feed in front of its parser. */
function admitConnections(server: Server, connections: Connections): void {
  const [attach] = server.listeners("connection") as [(socket: Socket) => void];
  server.removeListener("connection", attach);
  let refused = 0;
  server.on("connection", (socket: Socket) => {
    // a connection whose upgrade was not done comes here a second time
    if (connections.knows(socket) || connections.admit(socket)) {
      connections.inTurn(socket, () => {
        attach.call(server, socket);
        connections.feed(socket);
      });
      return;
    }
    if (refused >= MOST_REFUSED) return void socket.destroy();
    refused++;
    socket.once("close", () => refused--);
    socket.on("error", () => {});
    writeRaw(socket, undefined, errorResponse(503, "too many connections are open; close some, or try again in a moment"));
  });
}

function exchangeOf(request: IncomingMessage, remoteAddress: string, work: Work, readBody: MountedRequest["readBody"]): HttpRequest {
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
    remoteAddress,
    work,
    readBody: (limit = "bodyBytes") => readBody(limit).then((body) => body.toString("latin1")),
  };
}
