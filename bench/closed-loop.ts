/** A client that needs no other program: a fixed number of requests on kept connections, one at a time on each. */
import { once } from "node:events";
import { connect } from "node:net";
import type { LoadRequest } from "./load.ts";

const CONNECTIONS = 32;
const HEAD_END = "\r\n\r\n";
const LAST_CHUNK = "0\r\n\r\n";
/** URLs that were made unique in this process */
let uniques = 0;

/** @param isEachNew makes every URL unique with a parameter that servers ignore */
export async function askAll(origin: string, request: LoadRequest, count: number, isEachNew: boolean): Promise<void> {
  const { hostname, port } = new URL(origin);
  let asked = 0;
  const ask = async () => {
    const socket = connect(Number(port), hostname).setNoDelay();
    await once(socket, "connect");
    const answer = new AnswerEnd();
    await new Promise<void>((resolve, reject) => {
      const next = () => {
        if (asked++ < count) socket.write(textOf(request, isEachNew ? `${++uniques}` : undefined), "latin1");
        else resolve();
      };
      socket.on("data", (bytes: Buffer) => {
        try {
          if (answer.take(bytes)) next();
        } catch (error) {
          reject(error);
        }
      });
      socket.once("close", () => reject(new Error(`${request.path}: the server closed the connection`)));
      next();
    }).finally(() => socket.destroy());
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
}

function textOf({ path, body }: LoadRequest, unique: string | undefined): string {
  const target = unique === undefined ? path : `${path}${path.includes("?") ? "&" : "?"}n=${unique}`;
  const head = `${body === undefined ? "GET" : "POST"} ${target} HTTP/1.1\r\nHost: localhost\r\n`;
  return body === undefined ? `${head}\r\n` : `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Finds where an answer ends, whether it has a Content-Length or comes in chunks. */
class AnswerEnd {
  #left: number | undefined;
  #isChunked = false;

  /** Returns whether the answer is complete. */
  take(bytes: Buffer): boolean {
    if (this.#left === undefined && !this.#isChunked) return this.#begin(bytes);
    if (this.#isChunked) return this.#endsChunks(bytes);
    this.#left! -= bytes.length;
    return this.#isDone();
  }

  #begin(bytes: Buffer): boolean {
    const end = bytes.indexOf(HEAD_END);
    const head = bytes.toString("latin1", 0, end);
    if (end === -1 || !head.startsWith("HTTP/1.1 200")) throw new Error(`unexpected answer: ${bytes.toString("latin1", 0, 200)}`);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    this.#isChunked = length === undefined;
    if (this.#isChunked) return this.#endsChunks(bytes);
    this.#left = Number(length) - (bytes.length - end - HEAD_END.length);
    return this.#isDone();
  }

  /** Text of JSON has no line breaks, so these bytes are the last chunk. */
  #endsChunks(bytes: Buffer): boolean {
    this.#isChunked = bytes.toString("latin1", bytes.length - LAST_CHUNK.length) !== LAST_CHUNK;
    return !this.#isChunked;
  }

  #isDone(): boolean {
    if (this.#left! > 0) return false;
    this.#left = undefined;
    return true;
  }
}
