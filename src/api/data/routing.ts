/** Finds the route of a request, and reads its JSON body. All errors are DataErrors. */

import type { IncomingMessage } from "node:http";
import Router, { type HTTPMethod } from "find-my-way";
import { echoed } from "../../base/text/go-text.ts";
import { LimitError } from "../../base/work/work.ts";
import type { BodyLimit } from "../../http/mounted-request.ts";
import { CutOffError, type MountedRequest } from "../../http/mounted-request.ts";
import { badRequest, DataError, notFound } from "./errors.ts";
import { isHostedAlone } from "./hosted-routes.ts";
import type { Sent } from "./request-reader.ts";
import type { DataMethod } from "./route.ts";

interface FoundRoute<R> {
  readonly route: R;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Sent;
}

/** Routes by method and path, in the syntax of find-my-way. A route by GET answers HEAD, too. */
export class Routes<R> {
  readonly #router = Router({
    maxParamLength: 1024,
    ignoreTrailingSlash: true,
    onBadUrl() {
      throw badRequest("the path is not a valid URL: a % must be followed by two hex digits, and the bytes must be UTF-8");
    },
    onMaxParamLength() {
      throw notFound("a part of the path is longer than any name on this server");
    },
  });

  add(method: DataMethod, path: string, route: R): void {
    this.#router.on(method, path, () => route);
  }

  /** Throws 404, and 400 for a path that is not a URL. */
  find({ method, url }: IncomingMessage): FoundRoute<R> {
    const asked = withPlainColons(url!);
    const found = this.#router.find((method === "HEAD" ? "GET" : method) as HTTPMethod, asked);
    if (found === null) throw noRoute(method!, asked);
    const { handler, params, searchParams } = found;
    // the handlers are those of this class, and take nothing
    const route = (handler as () => R)();
    return { route, params: params as Record<string, string>, query: searchParams };
  }
}

function noRoute(method: string, url: string): DataError {
  const path = url.split("?", 1)[0]!;
  const why = isHostedAlone(path)
    ? `the hosted service has the route ${echoed(path)}; Firn does not`
    : `there is no route ${method} ${echoed(path)}`;
  return notFound(`${why}; /docs lists all routes`);
}

/** Decodes `%3A` to the colon of a verb; the router would compare it undecoded. */
function withPlainColons(url: string): string {
  if (!url.includes("%3")) return url;
  const end = url.indexOf("?");
  const path = end === -1 ? url : url.slice(0, end);
  return path.replace(/%3A/gi, ":") + url.slice(path.length);
}

/** Returns undefined if there is no body, and members called `__proto__` or `constructor` as any others: readers ask for members by name. */
export async function readJsonBody(
  { headers }: IncomingMessage,
  { readBody }: MountedRequest,
  limit: BodyLimit = "dataBodyBytes",
): Promise<unknown> {
  const { "content-type": type } = headers;
  if (type === undefined && headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0) return undefined;
  if (type === undefined || type.split(";", 1)[0]!.trim().toLowerCase() !== "application/json") {
    throw badRequest("the body must be JSON; send it with Content-Type: application/json");
  }
  const bytes = await readBody(limit).catch((error: unknown) => {
    if (error instanceof CutOffError) throw badRequest(error.message);
    if (!(error instanceof LimitError)) throw error;
    throw error.facts.limit === limit ? badRequest(error.message) : new DataError(503, error.message);
  });
  if (bytes.length === 0) throw badRequest("the body is empty; it must be a JSON object");
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw badRequest("the body is not valid JSON");
  }
}
