/**
 * Page tokens are opaque, self-contained and authenticated. A token is valid for the list it came from (the route and its path). It carries
 * the filters of the first request, so a list cannot be continued with other filters. It never expires: a position is a key of the table
 * from which the list is read, and stays valid while the chain grows.
 *
 * It is base64url of 16 bytes of HMAC-SHA-256 (over the list's name and the content) followed by the content; at most 512 characters.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { FirnError } from "../../base/errors/errors.ts";
import type { Position } from "./context.ts";
import { badRequest } from "./errors.ts";
import { decodeToken, encodeToken, type Filter, FilterDigest } from "./page-token-codec.ts";

/** Clients refuse longer tokens. */
const MAX_CHARACTERS = 512;
const MAX_BYTES = (MAX_CHARACTERS * 3) / 4;
const MAC_BYTES = 16;
const TOKEN = /^[A-Za-z0-9_-]+$/;
/** values in a list, whose length is one byte */
const MAX_LIST = 255;

export class PageTokens {
  readonly #secret: KeyObject;

  constructor(secret: Uint8Array) {
    this.#secret = createSecretKey(secret);
  }

  /** @param list the operation and its path parameters */
  seal(list: string, position: Position, filters: ReadonlyMap<string, Filter>): string {
    const carried = new Map<string, Filter | FilterDigest>(filters);
    for (const [name, filter] of filters) if (isTooLong(filter)) carried.set(name, FilterDigest.of(filter));
    let content = encodeToken({ position, filters: carried });
    while (content.length + MAC_BYTES > MAX_BYTES) {
      const longest = longestFilter(carried);
      if (longest === undefined) throw new FirnError("page-token", `the position of ${list} does not fit a page token`);
      carried.set(longest, FilterDigest.of(filters.get(longest)!));
      content = encodeToken({ position, filters: carried });
    }
    return Buffer.concat([this.#mac(list, content), content]).toString("base64url");
  }

  /** Returns the position, and the filters to continue with. `sent` are the filters of this request. Throws 400. */
  open(list: string, token: string, sent: ReadonlyMap<string, Filter>): { position: Position; filters: ReadonlyMap<string, Filter> } {
    const opened = this.#content(list, token);
    const filters = new Map<string, Filter>();
    for (const [name, filter] of opened.filters) {
      filters.set(name, filter instanceof FilterDigest ? repeated(name, filter, sent.get(name)) : filter);
    }
    return { position: opened.position, filters };
  }

  #content(list: string, token: string) {
    const bytes = TOKEN.test(token) && token.length <= MAX_CHARACTERS ? Buffer.from(token, "base64url") : Buffer.alloc(0);
    const content = bytes.subarray(MAC_BYTES);
    // The unused bits of the last character must be 0, so that each token has one text.
    const isWhole = content.length > 0 && bytes.toString("base64url") === token;
    const isAuthentic = isWhole && timingSafeEqual(bytes.subarray(0, MAC_BYTES), this.#mac(list, content));
    const opened = isAuthentic ? decodeToken(content) : undefined;
    if (opened !== undefined) return opened;
    throw badRequest(
      "pageToken is not from this list; send the nextPageToken of the previous page, unchanged and with the same path, or leave it out",
    );
  }

  #mac(list: string, content: Buffer): Buffer {
    return createHmac("sha256", this.#secret).update(`${list}\0`).update(content).digest().subarray(0, MAC_BYTES);
  }
}

/** Whether a filter is too long for a token. A body may hold 256 KiB of addresses, more than a token's length field can count. */
function isTooLong(filter: Filter): boolean {
  return filter.length > (typeof filter === "string" ? MAX_BYTES : MAX_LIST);
}

function longestFilter(filters: ReadonlyMap<string, Filter | FilterDigest>): string | undefined {
  let longest: string | undefined;
  let most = 16;
  for (const [name, filter] of filters) {
    if (filter instanceof FilterDigest) continue;
    const length = typeof filter === "string" ? filter.length : filter.join(",").length;
    if (length > most) [longest, most] = [name, length];
  }
  return longest;
}

function repeated(name: string, digest: FilterDigest, sent: Filter | undefined): Filter {
  if (sent === undefined) throw badRequest(`${name} must be sent again with this pageToken: the list is too long for the token`);
  if (FilterDigest.of(sent).hex === digest.hex) return sent;
  throw badRequest(`${name} must be the same as in the request that returned this pageToken`);
}
