/**
 * The bytes of a request as a name of its answer. A call whose JSON begins as most clients write it has its ID left out of the name, since
 * clients count their calls.
 */

export interface Asked {
  /** `NAME`, and all bytes as latin1, with the number of digits in place of `id`: the body must be as long as its head says */
  readonly key: string;
  /** the digits of the ID; empty if the name includes it */
  readonly id: string;
}

/** Nothing else that is kept with a state has a name that begins like this. */
const NAME = "request ";
/** Longer requests are not named. In bytes. */
const MOST = 2048;
const CALL = '{"jsonrpc":"2.0","id":';
/** Longer numbers are not read. */
const MOST_DIGITS = 15;
/** Where the ID is, in characters of the body. */
export const ID_START = CALL.length;

/** undefined: these bytes are surely not one request that an answer may be kept for */
export function askedOf(bytes: Buffer): Asked | undefined {
  if (bytes.length > MOST) return undefined;
  const text = bytes.toString("latin1");
  const body = text.indexOf("\r\n\r\n") + 4;
  if (!text.startsWith(CALL, body)) return { key: NAME + text, id: "" };
  const from = body + CALL.length;
  let to = from;
  while (to - from <= MOST_DIGITS && isDigit(text.charCodeAt(to))) to++;
  const length = to - from;
  // a number may have no leading zero
  if (length === 0 || length > MOST_DIGITS || (length > 1 && text.charCodeAt(from) === ZERO)) return undefined;
  return { key: `${NAME}${text.slice(0, from)}${length}${text.slice(to)}`, id: text.slice(from, to) };
}

const ZERO = 0x30;

function isDigit(c: number): boolean {
  return c >= ZERO && c <= 0x39;
}
