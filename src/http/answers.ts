/**
 * Sends responses. Short ones are written together at the end of an event-loop turn, which wakes the client's process once for all of them;
 * wake-ups cost as much as the responses. Long ones are written piece by piece, no faster than the client reads, so a client that does not
 * read costs one piece of work per response. The time spent is charged to the client that asked.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpResponse } from "./exchange.ts";
import type { Outgoing } from "./raw-response.ts";
import type { ConnectionTurns, RequestTurns, TurnTaker } from "./request-turns.ts";
import type { Turns } from "./turns.ts";

// Closes connections so that the client can read the last response: closing a socket with unread bytes would discard it.

/** Time that clients have to read the last response of a connection and to close it. */
const LINGER_MS = 1000;

/** Ends writing, discards what still arrives, and closes. */
export function endGently(socket: Socket): void {
  socket.end();
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("end", () => socket.destroySoon());
  socket.once("close", () => clearTimeout(timer));
}

/** Discards the rest of an incomplete request, and calls `goOn` when it is complete or after a timeout. */
function afterRequest(request: IncomingMessage, goOn: () => void): void {
  let isOver = false;
  const once = () => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    goOn();
  };
  const timer = setTimeout(once, LINGER_MS);
  request.once("end", once);
  request.once("close", once);
  request.resume();
}

// Writes the node's answers as Go's server does: long bodies in chunks, short ones with a Content-Length.

/** Go's server sends longer bodies in chunks. In bytes. */
const LONGEST_UNCHUNKED = 2048;

export function respond(response: ServerResponse, made: HttpResponse): void {
  send(response, answerOf(made));
}

export function answerOf({ status, headers, body, closes }: HttpResponse): Answer {
  const length = bodyLength(body);
  const all = length <= LONGEST_UNCHUNKED ? headers.concat("Content-Length", length.toString()) : headers.slice();
  if (closes) all.push("Connection", "close");
  return { status, headers: all, body, length, isLast: closes === true };
}

export function bodyLength(body: HttpResponse["body"]): number {
  if (body === undefined) return 0;
  if (typeof body === "string") return Buffer.byteLength(body);
  return body.reduce((sum, part) => sum + part.length, 0);
}

export interface Answer {
  readonly status: number;
  /** names and values, alternating; without a Content-Length the body is sent in chunks */
  readonly headers: string[];
  readonly body: HttpResponse["body"];
  /** length of the body in bytes */
  readonly length: number;
  /** the connection closes after this response */
  readonly isLast?: boolean;
}

/** Responses up to this many bytes are written together with others of the same event-loop turn. */
export const LONGEST_TOGETHER = 16 << 10;
/** Writing this many bytes costs less than a tenth of a turn. */
const PIECE = 256 << 10;
/** More parts than this are copied into one, which costs less. */
const MOST_PARTS = 8;

const answersKey = Symbol("answers");
type AnsweredResponse = ServerResponse & { [answersKey]?: { answers: Answers; work: RequestTurns } };

export class Answers {
  readonly turns: Turns;
  /** Called with the number of bytes of a response that the client has not yet read. */
  readonly onUntaken: (socket: Socket, bytes: number) => void;
  #together: [ConnectionTurns, () => void][] = [];
  #bytesTogether = 0;

  constructor(turns: Turns, onUntaken: (socket: Socket, bytes: number) => void) {
    this.turns = turns;
    this.onUntaken = onUntaken;
  }

  /** Announces that `send` will answer this response. */
  expect(response: ServerResponse, work: RequestTurns): void {
    (response as AnsweredResponse)[answersKey] = { answers: this, work };
  }

  send(response: ServerResponse, answer: Answer, connection: ConnectionTurns): void {
    if (answer.length > LONGEST_TOGETHER) this.sendLong(response, answer, connection);
    else this.together(connection, answer.length, () => this.#write(response, answer));
  }

  /** @param onWritten called when all of it was handed to the socket */
  sendLong(response: Outgoing, answer: Answer, connection: ConnectionTurns, onWritten = () => {}): void {
    new LongAnswer(this, response, answer, { connection, onWritten }).begin();
  }

  /** Has bytes written together with others of this event-loop turn, or at once if they are as many as a piece. */
  together(connection: ConnectionTurns, bytes: number, write: () => void): void {
    this.#bytesTogether += bytes;
    if (this.#together.push([connection, write]) === 1) setImmediate(this.#writeTogether);
    if (this.#bytesTogether >= PIECE) this.#writeTogether();
  }

  #write(response: ServerResponse, answer: Answer): void {
    try {
      writeWhole(response, answer);
    } catch {
      // a response that cannot be written must not fail the others of the same turn
      response.destroy();
    }
  }

  readonly #writeTogether = () => {
    const together = this.#together;
    this.#together = [];
    this.#bytesTogether = 0;
    let before = this.turns.now();
    for (const [connection, write] of together) {
      write();
      const after = this.turns.now();
      this.turns.charge(connection, after - before);
      before = after;
    }
  };
}

/** Sends the answer to a response announced with `expect`. */
export function send(response: ServerResponse, answer: Answer): void {
  const { answers, work } = (response as AnsweredResponse)[answersKey]!;
  try {
    answers.send(response, answer, work.connection);
  } catch {
    response.destroy();
  }
}

function writeWhole(response: ServerResponse, answer: Answer): void {
  const { status, headers, body, isLast } = answer;
  response.writeHead(status, headers);
  if (isLast && !response.req.complete) {
    // The client reads the response while the rest of its request is discarded
    if (body !== undefined) response.write(typeof body === "string" ? body : Buffer.concat(body));
    afterRequest(response.req, () => response.end());
  } else if (typeof body === "object") {
    const bytes = Buffer.concat(body);
    // node:http sends headers and text in one packet, but headers and bytes in two
    if (bytes.length <= LONGEST_TEXT) response.end(bytes.toString("latin1"), "latin1");
    else response.end(bytes);
  } else {
    response.end(body);
  }
}

/** Bodies up to this many bytes are converted to text. */
const LONGEST_TEXT = 2048;

interface LongAnswerParts {
  readonly connection: ConnectionTurns;
  onWritten(): void;
}

class LongAnswer implements TurnTaker {
  readonly connection: ConnectionTurns;
  start = 0;
  readonly #answers: Answers;
  readonly #response: Outgoing;
  readonly #onWritten: () => void;
  #parts: readonly Uint8Array[];
  /** bytes of the first part that were already written */
  #offset = 0;
  #left: number;

  constructor(answers: Answers, response: Outgoing, answer: Answer, { connection, onWritten }: LongAnswerParts) {
    const { status, headers, body, length } = answer;
    this.connection = connection;
    this.#answers = answers;
    this.#response = response;
    this.#onWritten = onWritten;
    this.#parts = typeof body === "object" ? body : [Buffer.from(body!)];
    this.#left = length;
    response.writeHead(status, headers);
  }

  begin(): void {
    if (this.#answers.turns.begin(this)) this.goOn();
  }

  /** Never refuses: the request's work is done, and the limits govern how long the client may take to read. */
  problem(): undefined {}

  /** Writes while the client keeps reading and the turn lasts. */
  goOn(): void {
    const response = this.#response;
    do {
      const { socket } = response;
      if (socket === null || socket.destroyed) return;
      this.#writePiece();
      if (this.#left === 0) {
        this.#onWritten();
        return;
      }
      if (socket.writableLength > 0) {
        response.once("drain", () => this.begin());
        this.#answers.onUntaken(socket, this.#left + socket.writableLength);
        return;
      }
    } while (this.#answers.turns.begin(this));
  }

  #writePiece(): void {
    const response = this.#response;
    const socket = response.socket!;
    const piece = this.#take();
    // without this, node:http would hold the piece until the end of the turn
    socket.cork();
    for (const part of piece.length > MOST_PARTS ? [Buffer.concat(piece)] : piece) response.write(part);
    if (this.#left === 0) response.end();
    socket.uncork();
  }

  #take(): readonly Uint8Array[] {
    const taken: Uint8Array[] = [];
    let at = 0;
    let length = 0;
    while (length < PIECE && at < this.#parts.length) {
      const rest = this.#parts[at]!.subarray(this.#offset, this.#offset + PIECE - length);
      taken.push(rest);
      length += rest.length;
      this.#offset += rest.length;
      if (this.#offset < this.#parts[at]!.length) break;
      this.#offset = 0;
      at++;
    }
    this.#parts = this.#parts.slice(at);
    this.#left -= length;
    return taken;
  }
}
