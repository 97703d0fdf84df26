/**
 * Keeps a process's connections within its limits: their number in total and per address, the bytes read but not yet processed, and the
 * bytes written but not yet read by the client. Each connection processes one request at a time.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { LimitName, Limits } from "../base/limits.ts";
import { type Answer, Answers, answerOf, endGently, LONGEST_TOGETHER } from "./answers.ts";
import { type ClientOfRequest, clientOfRequest } from "./client-of-request.ts";
import { type Client, Clients, type Connection } from "./clients.ts";
import type { Handler, HttpResponse } from "./exchange.ts";
import { HeldBytes } from "./held-bytes.ts";
import { KnownHeads } from "./known-heads.ts";
import { RawResponse } from "./raw-response.ts";
import { RequestFeed } from "./request-feed.ts";
import type { RequestTurns } from "./request-turns.ts";
import { Turns } from "./turns.ts";

/** How long an idle connection is kept: the node's own limit (rpc-avm-info-health 1.1). */
export const KEEP_ALIVE_TIMEOUT_MS = 120_000;

const connectionKey = Symbol("connection");
type KnownSocket = Socket & { [connectionKey]?: Connection };

/** The accounting of a connection after its upgrade. */
export interface Upgraded {
  /** the client that it counts for */
  readonly client: Client;
  /** whether the connection is the proxy's own */
  readonly isProxy: boolean;
  /** Opens turns for the work that one message asks for. Close them when the message is answered or the connection closes. */
  open(): RequestTurns;
}

interface ConnectionsOptions {
  readonly limits: Limits;
  readonly trustedProxies: readonly string[];
  /** called for each refusal or close, with the limit that caused it */
  onRefusal(limit: LimitName): void;
  /** whether node:http parses every request */
  readonly parsesAll?: boolean | undefined;
  readonly handle: Handler;
  /** whether `handle` answers the request */
  takes(request: IncomingMessage): boolean;
}

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #turns: Turns;
  readonly #clients = new Clients();
  readonly #naming: ClientOfRequest;
  /** bytes of requests that were read but not answered */
  readonly #requests: HeldBytes<Connection>;
  /** bytes of responses that clients have not read */
  readonly #untaken: HeldBytes<Connection>;
  readonly #answers: Answers;
  /** of a request that node:http does not parse, in bytes */
  readonly #mostOfBody: number;
  #count = 0;
  #isClosing = false;

  constructor(options: ConnectionsOptions) {
    const { limits, trustedProxies, onRefusal } = options;
    this.#options = options;
    this.#mostOfBody = Math.min(limits.bodyBytes, limits.evmBodyBytes);
    this.#turns = new Turns(limits, { onRefusal });
    this.#naming = clientOfRequest(trustedProxies);
    this.#requests = new HeldBytes(limits.bodiesBytes, ({ socket, refuseBody }) => {
      onRefusal("bodiesBytes");
      if (refuseBody === undefined) socket.destroy();
      else refuseBody();
    });
    this.#untaken = new HeldBytes(limits.answersBytes, ({ socket }) => {
      onRefusal("answersBytes");
      socket.destroy();
    });
    this.#answers = new Answers(this.#turns, (socket, bytes) => this.#holdAnswer(this.of(socket), bytes));
  }

  /** Returns false if there are too many connections and none of them can be closed to make room. */
  admit(socket: KnownSocket): boolean {
    const address = socket.remoteAddress ?? "";
    const client = this.#clients.enter(this.#naming.nameOf(address, undefined));
    const isProxy = this.#naming.isProxy(address);
    const problem = this.#makeRoom(client, isProxy);
    if (problem !== undefined) {
      this.#options.onRefusal(problem);
      this.#clients.leave(client);
      return false;
    }
    const unused = {
      open: 0,
      feed: undefined,
      current: undefined,
      response: undefined,
      refuseBody: undefined,
      heads: new KnownHeads(),
      answering: undefined,
      wasFed: false,
    };
    const connection: Connection = { client, used: 0, socket, address, isProxy, ...unused };
    socket[connectionKey] = connection;
    this.#clients.add(connection);
    this.#count++;
    this.#turns.arrived();
    socket.once("close", () => {
      this.#count--;
      connection.answering?.close();
      // node:http reclaims its parser here, so waiting bytes can no longer be parsed
      connection.feed?.end();
      this.#clients.remove(connection);
      this.#requests.release(connection);
      this.#untaken.release(connection);
      this.#clients.leave(client);
    });
    return true;
  }

  knows(socket: KnownSocket): boolean {
    return socket[connectionKey] !== undefined;
  }

  /** Serves a connection in a turn of its own: setting one up costs more than opening it costs the client. */
  inTurn(socket: KnownSocket, serve: () => void): void {
    const connection = socket[connectionKey]!;
    const ignore = () => {};
    const goOn = () => {
      socket.removeListener("error", ignore);
      if (!socket.destroyed) serve();
    };
    if (this.#turns.begin({ connection, start: 0, problem: () => undefined, goOn })) serve();
    else socket.on("error", ignore);
  }

  /** Call this whenever node:http has attached its listeners to the socket. */
  feed(socket: KnownSocket): void {
    const connection = socket[connectionKey]!;
    connection.client.quiet.add(connection);
    const onHeld = (bytes: number) => {
      // bytes after an answer that was sent before its request was complete are discarded
      if (connection.response?.req.complete !== false) this.#requests.hold(connection, bytes);
    };
    // requests of a proxy count for the clients behind it, which their heads name; after an upgrade that was not done, node:http has two parsers
    const isOwn = !this.#options.parsesAll && !connection.isProxy && !connection.wasFed;
    const answerKnown = isOwn ? (bytes: Buffer) => this.#answerKnown(connection, bytes) : undefined;
    const learn = isOwn
      ? (head: Buffer, request: IncomingMessage) => {
          if (this.#options.takes(request)) connection.heads.learn(head, request, connection.address);
        }
      : undefined;
    connection.wasFed = true;
    connection.feed = new RequestFeed(connection, this.#turns, { onHeld, answerKnown, learn });
  }

  /** Answers a request whose head is known. Returns false if node:http must parse it. */
  #answerKnown(connection: Connection, bytes: Buffer): boolean {
    const { heads, socket } = connection;
    // what the client does not read yet, node:http accounts for
    if (this.#isClosing || socket.writableLength > 0 || !socket.writable) return false;
    const found = heads.find(bytes);
    if (found === undefined || found.body.length > this.#mostOfBody) return false;
    const { request, body } = found;
    this.#requests.release(connection);
    const work = this.#turns.open(connection);
    connection.answering = work;
    const exchange = { ...request, work, body, readBody: () => Promise.resolve(body) };
    const answered = (made: HttpResponse) => this.#answerRaw(connection, answerOf(made));
    const made = this.#options.handle(exchange);
    if (!(made instanceof Promise)) answered(made);
    else {
      // a client that waits is not idle
      socket.setTimeout(0);
      made.then(answered).catch(() => socket.destroy());
    }
    return true;
  }

  #answerRaw(connection: Connection, answer: Answer): void {
    const { socket } = connection;
    const { status, headers, body, length, isLast } = answer;
    const response = new RawResponse(socket, KEEP_ALIVE_TIMEOUT_MS);
    const written = () => {
      if (isLast) endGently(socket);
      if (socket.writableLength === 0) return this.#answered(connection);
      this.#holdAnswer(connection, socket.writableLength);
      // an empty piece is written when those before it were
      socket.write("", () => this.#answered(connection));
    };
    const writeWhole = () => {
      if (!socket.writable) return;
      try {
        response.writeWhole(status, headers, body, length);
        written();
      } catch {
        // an answer that cannot be written must not fail the others of the same turn
        socket.destroy();
      }
    };
    if (length > LONGEST_TOGETHER) this.#answers.sendLong(response, answer, connection, written);
    else this.#answers.together(connection, length, writeWhole);
  }

  /** The client has the answer to a request whose head was known. */
  #answered(connection: Connection): void {
    const { socket, answering, client } = connection;
    answering?.close();
    connection.answering = undefined;
    this.#requests.release(connection);
    this.#untaken.release(connection);
    if (!socket.writable || connection.feed === undefined) return;
    socket.setTimeout(KEEP_ALIVE_TIMEOUT_MS);
    client.quiet.delete(connection);
    client.quiet.add(connection);
    connection.feed.answered();
  }

  of(socket: KnownSocket): Connection {
    return socket[connectionKey]!;
  }

  /** Opens a request's turns, which end with its response. */
  open(request: IncomingMessage, response: ServerResponse): RequestTurns {
    const connection = this.of(request.socket);
    this.#requests.release(connection);
    connection.open++;
    connection.current = request;
    connection.response = response;
    const client = this.#forwardedClient(connection, request);
    const work = this.#turns.open(client ? { client, used: 0 } : connection);
    this.#answers.expect(response, work);
    response.on("prefinish", () => this.#holdAnswer(connection, connection.socket.writableLength));
    response.on("close", () => {
      work.close();
      if (client) this.#clients.leave(client);
      if (--connection.open > 0) return;
      connection.current = undefined;
      if (request.complete) connection.response = undefined;
      this.#requests.release(connection);
      this.#untaken.release(connection);
      if (!connection.socket.writable || connection.feed === undefined) return;
      const { quiet } = connection.client;
      quiet.delete(connection);
      quiet.add(connection);
      connection.feed.answered();
    });
    return work;
  }

  /** Accounts for a connection that this request upgrades and that HTTP no longer serves. */
  upgraded(request: IncomingMessage): Upgraded {
    const connection = this.of(request.socket);
    const client = this.#forwardedClient(connection, request);
    if (client) connection.socket.once("close", () => this.#clients.leave(client));
    const turns = client ? { client, used: 0 } : connection;
    return { client: turns.client, isProxy: connection.isProxy && !client, open: () => this.#turns.open(turns) };
  }

  /** The client behind a proxy's request. The caller must leave it. */
  #forwardedClient({ isProxy, address }: Connection, request: IncomingMessage): Client | undefined {
    const forwardedFor = isProxy ? request.headers["x-forwarded-for"] : undefined;
    return forwardedFor === undefined ? undefined : this.#clients.enter(this.#naming.nameOf(address, forwardedFor.toString()));
  }

  /** Counts bytes of a body until the request is answered. */
  holdBody(connection: Connection, bytes: number): void {
    this.#requests.hold(connection, bytes);
  }

  /** Closes a connection on which nothing was received, or read by the client, for too long. */
  close(socket: Socket): void {
    if (socket.writableLength > 0) this.#options.onRefusal("answerSeconds");
    socket.destroy();
  }

  /** Counts the bytes that the client did not read at once, and gives it a limited time to read them. */
  #holdAnswer(connection: Connection, bytes: number): void {
    this.#untaken.release(connection);
    if (bytes === 0) return;
    this.#untaken.hold(connection, bytes);
    connection.socket.setTimeout(this.#options.limits.answerSeconds * 1000);
  }

  /** From now on node:http parses every request, so that it knows which connections are idle. @returns whether it knows */
  endsKnown(): boolean {
    this.#isClosing = true;
    for (const { connections } of this.#clients) for (const { answering } of connections) if (answering !== undefined) return false;
    return true;
  }

  closeAll(): void {
    for (const { connections } of this.#clients) for (const { socket } of connections) socket.destroy();
  }

  /** The limit that leaves no room for another connection of this client; undefined if there is room. */
  #makeRoom(client: Client, isProxy: boolean): LimitName | undefined {
    const { connections, connectionsPerAddress } = this.#options.limits;
    if (!isProxy && client.connections.size >= connectionsPerAddress && !closeQuietest(client)) return "connectionsPerAddress";
    if (this.#count < connections) return undefined;
    return closeQuietest(this.#clients.largest()!) ? undefined : "connections";
  }
}

/** Returns the bytes that were not yet parsed when a connection leaves HTTP through an upgrade. */
export function takeUnparsed(socket: Duplex): Buffer {
  const connection = (socket as KnownSocket)[connectionKey]!;
  const bytes = connection.feed!.end();
  connection.feed = undefined;
  connection.client.quiet.delete(connection);
  return bytes;
}

/** Closes the client's connection that has been idle longest. Returns false if none is idle. */
function closeQuietest({ quiet }: Client): boolean {
  for (const connection of quiet) {
    // a busy connection is added again when its request is answered
    quiet.delete(connection);
    const { current, answering, socket } = connection;
    if (current?.complete === true || answering !== undefined || socket.destroyed) continue;
    socket.destroy();
    return true;
  }
  return false;
}
