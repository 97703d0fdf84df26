/** Reads a request's body, within the endpoint's limit and the process's memory limit. */
import type { IncomingMessage } from "node:http";
import { GrowingBuffer } from "../base/collections/growing-buffer.ts";
import type { LimitName, Limits } from "../base/limits.ts";
import { LimitError, type Work } from "../base/work/work.ts";
import type { Connections } from "./connections.ts";
import { type BodyLimit, CutOffError } from "./mounted-request.ts";

export interface BodyReaderOptions {
  readonly limits: Limits;
  readonly connections: Connections;
  onRefusal(limit: LimitName): void;
}

/**
 * Reads the body and waits for the turn in which it is used. Rejects with a LimitError, which the client is told, or with a CutOffError,
 * which it cannot be told.
 */
export type ReadBody = (request: IncomingMessage, limit: BodyLimit, work: Work) => Promise<Buffer>;

const NOTHING = Buffer.alloc(0);

/** Shorter bodies are not counted: connections are, and most bodies fit into one packet. */
const LEAST_COUNTED = 16 << 10;

export function bodyReader({ limits, connections, onRefusal }: BodyReaderOptions): ReadBody {
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
