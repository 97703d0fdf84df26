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
import { GrowingBuffer } from "../base/collections/growing-buffer.ts";
import { type BodyLength, bodyLengthOf } from "./body-length.ts";
import type { Connection } from "./clients.ts";
import type { TurnTaker } from "./request-turns.ts";
import type { Turns } from "./turns.ts";

/** Ends a request's head. */
const END = "\r\n\r\n";
const [CR, LF] = [13, 10];
/** The longest head, in bytes: the node's own limit (rpc-avm-info-health 1.1). */
export const MOST_OF_HEAD = 1 << 20;
/** Longer bodies are parsed in a turn of their own. */
const MOST_WITH_HEAD = 16 << 10;
/** Node reads this many bytes of a socket in a millisecond, before any turn can begin; fewer than the least are not worth counting. */
const READ_PER_MILLISECOND = 1 << 20;
const LEAST_CHARGED = 16 << 10;

interface FeedParts {
  /** called with the number of bytes kept, here or in the parser, that belong to no request being answered */
  onHeld(bytes: number): void;
  /** Answers a request whose head is known without the parser; returns false if it cannot. */
  readonly answerKnown?: ((bytes: Buffer) => boolean) | undefined;
  /** Called with the head of each request that the parser read whole and alone. */
  readonly learn?: ((head: Buffer, request: IncomingMessage) => void) | undefined;
}

export class RequestFeed implements TurnTaker {
  readonly connection: Connection;
  start = 0;
  readonly #turns: Turns;
  readonly #parse: (bytes: Buffer) => void;
  readonly #onHeld: (bytes: number) => void;
  readonly #answerKnown: FeedParts["answerKnown"];
  readonly #learn: FeedParts["learn"];
  /** whether the parser stands where a request begins: it has read nothing, or last exactly one request */
  #isBetween = true;
  /** Whether it has read a request. Until then node:http counts how long the first one takes. */
  #hasParsed = false;
  /** bytes after the request that is being answered */
  #held: Buffer[] = [];
  /** bytes after the piece that is being parsed */
  #rest: Buffer = NOTHING;
  /** an incomplete head without its first byte, which the parser has: node:http measures how long the request takes from there */
  #head: GrowingBuffer | undefined;
  /** what is left of the body; undefined before the first */
  #body: BodyLength | undefined;
  /** whether what is being fed was counted when it began to wait for its turn, and no request has taken it over since */
  #isCounted = false;
  #isOver = false;
  #awaitsTurn = false;

  constructor(connection: Connection, turns: Turns, { onHeld, answerKnown, learn }: FeedParts) {
    const { socket } = connection;
    const [parse] = socket.listeners("data") as [(bytes: Buffer) => void];
    this.connection = connection;
    this.#turns = turns;
    this.#parse = parse;
    this.#onHeld = onHeld;
    this.#answerKnown = answerKnown;
    this.#learn = learn;
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
    this.#isCounted = true;
    this.#feedHeld();
    this.#isCounted = false;
  }

  #feedHeld(): void {
    if (this.#held.length === 0 || this.#isOver || this.#isBlocked()) return;
    const bytes = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held);
    this.#held = [];
    if (this.#head !== undefined) this.#takeOfHead(this.#head, bytes);
    else this.#feed(bytes);
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
    // node:http ends the connection
    const head = this.#head?.bytes();
    this.#head = undefined;
    if (head !== undefined) this.#parse(head);
  };

  readonly #take = (bytes: Buffer) => {
    if (bytes.length >= LEAST_CHARGED) this.#turns.charge(this.connection, bytes.length / READ_PER_MILLISECOND);
    if (this.#held.length > 0) this.#hold(bytes);
    else if (this.#head !== undefined) this.#takeOfHead(this.#head, bytes);
    else this.#feed(bytes);
  };

  /** Also a head comes in turns: otherwise hundreds of long ones would be read before anybody gets another turn. */
  #takeOfHead(head: GrowingBuffer, bytes: Buffer): void {
    if (!this.#isInTurn()) {
      this.#hold(bytes);
      return;
    }
    const from = Math.max(0, head.length - END.length);
    head.append(bytes);
    if (headLength(head.bytes(), from) === undefined) {
      this.#count(bytes.length);
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
      if (this.#isAtHead() ? !this.#feedHead(this.#rest) : !this.#feedBody(this.#rest)) return;
    }
  }

  /** Returns whether the connection is still fed. */
  #feedHead(bytes: Buffer): boolean {
    if (this.#isBetween && this.#hasParsed && this.#answerKnown?.(bytes)) {
      this.#rest = NOTHING;
      return true;
    }
    const end = headLength(bytes, 0);
    const length = end === undefined ? startLength(bytes) : isOneRequest(bytes, end) ? bytes.length : end;
    const goesOn = this.#parseFirst(length);
    const { current } = this.connection;
    this.#isBetween = length === bytes.length && this.connection.open === 1 && current?.complete === true && isPlain(current);
    if (this.#isBetween) {
      this.#hasParsed = true;
      this.#learn?.(bytes.subarray(0, end), current!);
    }
    if (current !== undefined) {
      this.#body = bodyLengthOf(current);
      this.#isCounted = false;
      if (length > end!) this.#body.take(bytes.subarray(end, length));
    } else if (goesOn) {
      // the start of a request, which the parser keeps
      this.#count(length);
      if (end === undefined) this.#keepHead();
    }
    return goesOn;
  }

  /** Returns whether the connection is still fed. */
  #feedBody(bytes: Buffer): boolean {
    this.#isBetween = false;
    const length = this.#body!.take(bytes);
    // the parser refuses what is behind the end
    if (!this.#body!.hasLongTrailers) return this.#parseFirst(length || bytes.length);
    this.connection.socket.destroy();
    return false;
  }

  /** Returns whether the connection is still fed. */
  #parseFirst(length: number): boolean {
    const bytes = this.#rest;
    const isAll = length === bytes.length;
    this.#rest = isAll ? NOTHING : bytes.subarray(length);
    this.#parse(isAll ? bytes : bytes.subarray(0, length));
    // node:http takes its parser back from a connection that it does not serve, such as one of CONNECT
    return !this.#isOver && !this.connection.socket.destroyed;
  }

  #keepHead(): void {
    if (this.#rest.length === 0) return;
    this.#head = new GrowingBuffer();
    this.#head.append(this.#rest);
    this.#count(this.#rest.length);
    this.#rest = NOTHING;
  }

  /** After an early answer the rest of the body may still come. */
  #isAtHead(): boolean {
    const { current, response } = this.connection;
    return current === undefined && response?.req.complete !== false;
  }

  #isInTurn(): boolean {
    this.#awaitsTurn = !this.#turns.begin(this);
    return !this.#awaitsTurn;
  }

  /** A request is being answered, or node:http waits for the client to read and must not be given more. */
  #isBlocked(): boolean {
    const { current, answering } = this.connection;
    return answering !== undefined || current?.complete === true || (this.connection.socket as PausableSocket)._paused === true;
  }

  #hold(bytes: Buffer): void {
    this.#held.push(bytes);
    this.#count(bytes.length);
    this.connection.socket.pause();
  }

  #count(bytes: number): void {
    if (!this.#isCounted) this.#onHeld(bytes);
  }
}

/** node:http sets this flag. */
type PausableSocket = Socket & { readonly _paused?: boolean };

const NOTHING = Buffer.alloc(0);

/** Whether nothing of the request stays in the parser: what some headers ask for is in effect until the next request begins. */
function isPlain({ headers }: IncomingMessage): boolean {
  return headers.upgrade === undefined && headers.expect === undefined && headers["transfer-encoding"] === undefined;
}

/** Length of a whole head, or of all bytes if the parser refuses them as they are: a head that is too long, or has a line without CR. */
function headLength(bytes: Buffer, from: number): number | undefined {
  const end = bytes.indexOf(END, from, "latin1");
  if (end !== -1) return end + END.length;
  if (bytes.length >= MOST_OF_HEAD) return bytes.length;
  let at = bytes.indexOf(LF, from);
  while (at === 0 || bytes[at - 1] === CR) at = bytes.indexOf(LF, at + 1);
  return at === -1 ? undefined : bytes.length;
}

/** Up to the first byte of a request, which empty lines may precede. */
function startLength(bytes: Buffer): number {
  let at = 0;
  while (bytes[at] === CR || bytes[at] === LF) at++;
  return Math.min(at + 1, bytes.length);
}

/**
 * Whether the bytes behind the head are exactly its body. Most requests come like that, and each call of the parser costs a microsecond.
 * False also if the header is written in an unusual way.
 */
function isOneRequest(bytes: Buffer, headEnd: number): boolean {
  const length = bytes.length - headEnd;
  if (length === 0 || length > MOST_WITH_HEAD) return length === 0;
  const at = bytes.indexOf(`ength: ${length}\r\n`, 0, "latin1");
  const from = at - LENGTH_START.length;
  return from > 0 && at < headEnd && bytes.toString("latin1", from, at).toLowerCase() === LENGTH_START;
}

const LENGTH_START = "\ncontent-l";
