/** A request as the HTTP server passes it to the Data API, which reads its body within a limit and processes it in turns. */

import { FirnError } from "../base/errors/errors.ts";
import type { LimitName } from "../base/limits.ts";
import type { Work } from "../base/work/work.ts";

/** The limits on a request's body. */
export type BodyLimit = Extract<LimitName, "bodyBytes" | "dataBodyBytes" | "buildBodyBytes" | "evmBodyBytes">;

/** What is known about a request besides node:http's objects. */
export interface MountedRequest {
  /** the request's turns, which must be used; the first one has begun */
  readonly work: Work;
  /** Rejects with a LimitError, which the client must be told, or with a CutOffError. */
  readBody(limit: BodyLimit): Promise<Buffer>;
}

/** The client disconnected, or sent more than is read, before its body was complete. */
export class CutOffError extends FirnError {
  constructor(reason: string) {
    super("cut-off", `the body of a request ended early: ${reason}`);
  }
}
