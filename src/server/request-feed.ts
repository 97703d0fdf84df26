/**
 * Feeds a connection's bytes to node:http's parser one request at a time: later bytes wait until the answer was handed to the operating
 * system. A parsed request takes fifty times its bytes, and one in progress far more. Parsing happens in the connection's turns, like the
 * request's work, because a client can craft bytes that are expensive to parse.
 *
 * The parser gets a head in one piece. It copies a head that comes in several, and keeps the copies while the connection is idle, and even
 * after it was closed.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { GrowingBuffer } from "../primitives/growing-buffer.ts";
import type { Connection } from "./clients.ts";
import type { Turns, TurnTaker } from "./turns.ts";

/** Occurs once in every request line. */
const VERSION = "HTTP/1.";
/** Ends a request's head, and a body of chunks. */
const END = "\r\n\r\n";
const [CR, LF] = [13, 10];
/** The longest head, in bytes: the node's own limit (rpc-avm-info-health 1.1). */
export const MOST_OF_HEAD = 1 << 20;
/** Pieces of a body are at least this long; otherwise bytes full of version strings would cost one parser call each. */
const LEAST_OF_BODY = 1024;
/** Parsing this many bytes of a body in one-byte chunks takes a millisecond. */
const MOST_OF_BODY = 16 << 10;

export class RequestFeed implements TurnTaker {
  readonly connection: Connection;
  start = 0;
  readonly #turns: Turns;
  readonly #parse: (bytes: Buffer) => void;
  readonly #onHeld: (bytes: number) => void;
  /** bytes after the request that is being answered */
  #held: Buffer[] = [];
  /** bytes after the piece that is being parsed */
  #rest: Buffer = NOTHING;
  /** an incomplete head without its first byte, which the parser has: node:http measures how long the request takes from there */
  #head: GrowingBuffer | undefined;
  /** bytes of the body that were not parsed yet; undefined: it comes in chunks */
  #bodyLeft: number | undefined = 0;
  #isOver = false;
  #awaitsTurn = false;

  /** @param onHeld called with the number of bytes kept, here or in the parser, that belong to no request being answered */
  constructor(connection: Connection, turns: Turns, onHeld: (bytes: number) => void) {
    const { socket } = connection;
    const [parse] = socket.listeners("data") as [(bytes: Buffer) => void];
    this.connection = connection;
    this.#turns = turns;
    this.#parse = parse;
    this.#onHeld = onHeld;
    socket.removeListener("data", parse);
    socket.on("data", this.#take);
    socket.on("resume", this.#resumed);
    // before node:http ends its parser
    socket.prependListener("end", this.#ended);
  }

  /** Parses the waiting bytes, unless another request is being answered. */
  answered(): void {
    if (!this.#awaitsTurn) this.#feedHeld();
  }

  problem(): undefined {}

  goOn(): void {
    this.#awaitsTurn = false;
    this.#feedHeld();
  }

  #feedHeld(): void {
    if (this.#held.length === 0 || this.#isOver || this.#isBlocked()) return;
    const bytes = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held);
    this.#held = [];
    this.#feed(bytes);
    if (this.#held.length === 0 && !this.#isOver) this.connection.socket.resume();
  }

  /** Stops parsing and returns the bytes that were not parsed. */
  end(): Buffer {
    this.#isOver = true;
    this.connection.socket.removeListener("data", this.#take);
    this.connection.socket.removeListener("resume", this.#resumed);
    this.connection.socket.removeListener("end", this.#ended);
    this.#head = undefined;
    const bytes = Buffer.concat([this.#rest, ...this.#held]);
    this.#rest = NOTHING;
    this.#held = [];
    return bytes;
  }

  readonly #resumed = () => this.answered();

  readonly #ended = () => {
    const head = this.#head?.bytes();
    this.#head = undefined;
    if (head !== undefined) this.#parse(head);
  };

  readonly #take = (bytes: Buffer) => {
    if (this.#held.length > 0) this.#hold(bytes);
    else if (this.#head !== undefined) this.#takeOfHead(this.#head, bytes);
    else this.#feed(bytes);
  };

  #takeOfHead(head: GrowingBuffer, bytes: Buffer): void {
    const from = Math.max(0, head.length - END.length);
    head.append(bytes);
    if (isIncompleteHead(head.bytes(), from)) {
      this.#onHeld(bytes.length);
      return;
    }
    this.#head = undefined;
    this.#feed(head.bytes());
  }

  #feed(bytes: Buffer): void {
    this.#rest = bytes;
    while (this.#rest.length > 0) {
      if (this.#isBlocked() || !this.#isInTurn()) {
        const rest = this.#rest;
        this.#rest = NOTHING;
        this.#hold(rest);
        return;
      }
      const isHead = this.#isAtHead();
      const isIncomplete = isHead && isIncompleteHead(this.#rest, 0);
      const length = isIncomplete ? startLength(this.#rest) : isHead ? headLength(this.#rest) : this.#bodyLength();
      const piece = length === this.#rest.length ? this.#rest : this.#rest.subarray(0, length);
      this.#rest = length === this.#rest.length ? NOTHING : this.#rest.subarray(length);
      this.#parse(piece);
      // node:http takes its parser back from a connection that it does not serve, such as one of CONNECT
      if (this.#isOver || this.connection.socket.destroyed) return;
      const { current } = this.connection;
      if (isHead && current !== undefined) this.#bodyLeft = bodyBytes(current);
      else if (!isHead && this.#bodyLeft !== undefined) this.#bodyLeft -= length;
      if (current !== undefined) continue;
      // the start of a request, which the parser keeps
      this.#onHeld(length);
      if (isIncomplete) this.#keepHead();
    }
  }

  #keepHead(): void {
    if (this.#rest.length === 0) return;
    this.#head = new GrowingBuffer();
    this.#head.append(this.#rest);
    this.#onHeld(this.#rest.length);
    this.#rest = NOTHING;
  }

  /** After an early answer the rest of the body may still come. */
  #isAtHead(): boolean {
    const { current, response } = this.connection;
    return current === undefined && response?.req.complete !== false;
  }

  #bodyLength(): number {
    return this.#bodyLeft ? Math.min(this.#bodyLeft, this.#rest.length) : chunksLength(this.#rest);
  }

  #isInTurn(): boolean {
    this.#awaitsTurn = !this.#turns.begin(this);
    return !this.#awaitsTurn;
  }

  /** A request is being answered, or node:http waits for the client to read and must not be given more. */
  #isBlocked(): boolean {
    return this.connection.current?.complete === true || (this.connection.socket as PausableSocket)._paused === true;
  }

  #hold(bytes: Buffer): void {
    this.#held.push(bytes);
    this.#onHeld(bytes.length);
    this.connection.socket.pause();
  }
}

/** node:http sets this flag. */
type PausableSocket = Socket & { readonly _paused?: boolean };

const NOTHING = Buffer.alloc(0);

/** False also for a head that the parser refuses as it is: one that is too long, or has a line without CR. */
function isIncompleteHead(bytes: Buffer, from: number): boolean {
  if (bytes.length >= MOST_OF_HEAD || bytes.indexOf(END, from, "latin1") !== -1) return false;
  let at = bytes.indexOf(LF, from);
  while (at === 0 || bytes[at - 1] === CR) at = bytes.indexOf(LF, at + 1);
  return at === -1;
}

/** Up to the first byte of a request, which empty lines may precede. */
function startLength(bytes: Buffer): number {
  let at = 0;
  while (bytes[at] === CR || bytes[at] === LF) at++;
  return Math.min(at + 1, bytes.length);
}

function headLength(bytes: Buffer): number {
  const end = bytes.indexOf(END, 0, "latin1");
  return end === -1 ? bytes.length : end + END.length;
}

/** undefined: it comes in chunks. */
function bodyBytes({ headers }: IncomingMessage): number | undefined {
  return "transfer-encoding" in headers ? undefined : Number(headers["content-length"] ?? 0);
}

/** The length of a piece of chunks that holds at most one request line behind them, so that no second request is complete in it. */
function chunksLength(bytes: Buffer): number {
  const length = Math.min(bytes.length, MOST_OF_BODY, secondVersion(bytes));
  const end = bytes.subarray(0, length).lastIndexOf(END, undefined, "latin1");
  return end === -1 ? length : end + END.length;
}

function secondVersion(bytes: Buffer): number {
  const first = bytes.indexOf(VERSION, 0, "latin1");
  const second = first === -1 ? -1 : bytes.indexOf(VERSION, Math.max(first + VERSION.length, LEAST_OF_BODY), "latin1");
  return second === -1 ? bytes.length : second;
}
