/**
 * The Data API and its reference page beside the node's interface: the same host filter, CORS for browsers, freshness on every response.
 * What answers is loaded when it is first asked for, or shortly after the start: JSON-RPC does not wait for it.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { DataAnswer, DataApi, DataApiOptions } from "../data/data-api.ts";
import { DataError, errorBody, unexpected } from "../data/errors.ts";
import { originTest } from "./cors.ts";
import { FreshnessReader } from "./freshness.ts";
import { hostFilter } from "./host-filter.ts";
import type { Mount } from "./http-server.ts";

export interface DataMountOptions extends Omit<DataApiOptions, "routes" | "tokens" | "freshness"> {
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** what page tokens are signed with */
  readonly tokenSecret: Uint8Array;
  /** told of every response */
  onResponse(endpoint: string, status: number): void;
}

export interface DataMount extends Mount {
  /** Loads what the first request needs. */
  warmUp(): Promise<void>;
}

export function dataMount(options: DataMountOptions): DataMount {
  const isServedHost = hostFilter(options.allowedHosts);
  const freshness = new FreshnessReader();
  const respond = responder(options, freshness);
  const loaded = lazily(async () => {
    const [{ createDataApi }, { dataRoutes }, { PageTokens }] = await Promise.all([
      import("../data/data-api.ts"),
      import("../data/routes.ts"),
      import("../data/page-tokens.ts"),
    ]);
    return createDataApi({ ...options, routes: dataRoutes, tokens: new PageTokens(options.tokenSecret), freshness }, respond);
  });
  const page = lazily(async () => {
    const [{ createReferencePage }, { openApiDocument }, { dataRoutes }] = await Promise.all([
      import("../data/openapi/reference-page.ts"),
      import("../data/openapi/document.ts"),
      import("../data/routes.ts"),
    ]);
    return createReferencePage(openApiDocument(dataRoutes));
  });

  const refuse = (request: IncomingMessage, response: ServerResponse, error: DataError) => {
    const body = errorBody(error);
    respond(request, response, { status: error.status, body, operation: "none", headers: NO_HEADERS, freshness: freshness.newest() });
  };
  /** Before anything is loaded: `application` answers the rest. */
  const handle = (request: IncomingMessage, response: ServerResponse, application: DataApi | undefined, load: () => Promise<DataApi>) => {
    if (!isServedHost(request.headers.host ?? "")) {
      return refuse(request, response, new DataError(403, "this server is not served under that Host; use one that its operator allows"));
    }
    if (request.method === "OPTIONS") return answerPreflight(request, response, options);
    if (application !== undefined) return application(request, response);
    load().then(
      (ready) => ready(request, response),
      (error: unknown) => {
        options.onDefect(error, "data API");
        refuse(request, response, unexpected());
      },
    );
  };
  return {
    prefixes: ["/v1", "/docs"],
    handle(request, response) {
      const application = request.url!.startsWith("/v1") ? loaded : page;
      handle(request, response, application.value(), application.get);
    },
    warmUp: async () => {
      await loaded.get();
    },
  };
}

/** Made once; a failure is tried again by the next caller. */
function lazily<T>(make: () => Promise<T>): { get(): Promise<T>; value(): T | undefined } {
  let value: T | undefined;
  let promise: Promise<T> | undefined;
  return {
    value: () => value,
    get() {
      promise ??= make().then(
        (made) => {
          value = made;
          return made;
        },
        (error: unknown) => {
          promise = undefined;
          throw error;
        },
      );
      return promise;
    },
  };
}

/** What browsers' scripts may read besides the body. */
const EXPOSED = [
  ...["P", "X", "C"].flatMap((alias) => [`Firn-Height-${alias}`, `Firn-Seconds-Behind-${alias}`]),
  "RateLimit-Policy",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "Retry-After",
].join(", ");
const PREFLIGHT_SECONDS = "7200";
const NO_HEADERS: readonly string[] = [];

type CorsHeaders = (origin: string | undefined) => readonly string[];

function corsHeaders(allowedOrigins: readonly string[]): CorsHeaders {
  const exposed = ["Access-Control-Expose-Headers", EXPOSED];
  if (allowedOrigins.includes("*")) {
    const all = ["Access-Control-Allow-Origin", "*", ...exposed];
    return (origin) => (origin === undefined ? NO_HEADERS : all);
  }
  const isAllowed = originTest(allowedOrigins);
  const varies = ["Vary", "Origin"];
  return (origin) => (origin === undefined || !isAllowed(origin) ? varies : [...varies, "Access-Control-Allow-Origin", origin, ...exposed]);
}

/**
 * Any header may be sent: the API knows no cookies, so a page of another origin can do no more with it than a script elsewhere. Browsers ask
 * for those of the SDKs (both key headers, X-App-Component) and for what clients add (Cache-Control, Pragma, Expires).
 */
function answerPreflight({ headers }: IncomingMessage, response: ServerResponse, { allowedOrigins, onResponse }: DataMountOptions): void {
  const { origin, "access-control-request-headers": wanted } = headers;
  const answer = ["Allow", "GET, HEAD, POST, OPTIONS"];
  if (origin !== undefined && originTest(allowedOrigins)(origin)) {
    answer.push(...corsHeaders(allowedOrigins)(origin));
    answer.push("Access-Control-Allow-Methods", "GET, HEAD, POST", "Access-Control-Max-Age", PREFLIGHT_SECONDS);
    if (wanted !== undefined) answer.push("Access-Control-Allow-Headers", wanted, "Vary", "Access-Control-Request-Headers");
  }
  onResponse("v1/preflight", 204);
  response.writeHead(204, answer).end();
}

function responder({ allowedOrigins, onResponse }: DataMountOptions, freshness: FreshnessReader) {
  const corsOf = corsHeaders(allowedOrigins);
  return (request: IncomingMessage, response: ServerResponse, answer: DataAnswer): void => {
    onResponse(`v1/${answer.operation}`, answer.status);
    const known = answer.freshness.headers.length > 0 ? answer.freshness : freshness.newest();
    const { body } = answer;
    response.writeHead(answer.status, [
      "Content-Type",
      "application/json; charset=utf-8",
      "Content-Length",
      Buffer.byteLength(body).toString(),
      ...corsOf(request.headers.origin),
      ...known.headers,
      ...answer.headers,
    ]);
    response.end(body);
  };
}
