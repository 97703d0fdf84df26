/** A state that cannot be read at the moment: what clients are told, who do not learn where the database is. */
import type { ErrorCode } from "../base/errors/error-codes.ts";
import { causeOf, FirnError } from "../base/errors/errors.ts";

interface Outage {
  /** a sentence for clients */
  readonly message: string;
  /** whether the server's log has it already, since others find out, too */
  readonly isKnown: boolean;
}

const SLOW = "the database took too long to read this; ask for less at a time, such as a smaller page, or try again later";
const AWAY = "the database of this server does not answer at the moment; try again later";
const CANCELLED = "the database of this server cancelled this read; try again";
const SENTENCES: { readonly [code in ErrorCode]?: string } = {
  "store-slow": SLOW,
  "store-cancelled": CANCELLED,
  "store-unreachable": AWAY,
  "store-login": AWAY,
  "store-missing": AWAY,
  "store-rights": AWAY,
  "store-schema": AWAY,
  "store-server": AWAY,
};

/** undefined: the error is another */
export function outageOf(error: unknown): Outage | undefined {
  const cause = causeOf(error, FirnError);
  if (cause?.category === "height-not-reached") return { message: cause.message, isKnown: true };
  const message = cause && SENTENCES[cause.category];
  return message === undefined ? undefined : { message, isKnown: cause!.category === "store-unreachable" };
}
