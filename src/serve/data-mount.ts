/**
 * Mounts the Data API and its reference page beside the node's interface: with the same host filter, CORS for browsers, and freshness
 * headers on every response. Their code is loaded by the first request or shortly after the start, so JSON-RPC does not wait for it.
 */

import type { ServerResponse } from "node:http";
import type { DataApiOptions, Respond } from "../api/data/data-api.ts";
import { DataError, errorBody, unexpected } from "../api/data/errors.ts";
import { PageTokens } from "../api/data/page-tokens.ts";
import type { AnyDataRoute } from "../api/data/route.ts";
import { bodyLength, send } from "../http/answers.ts";
import type { Mount } from "../http/http-server.ts";
import { type DataCors, dataCors, hostFilter } from "../http/origins.ts";

interface DataMountOptions extends Omit<DataApiOptions, "routes" | "tokens"> {
  /** by default all routes */
  readonly routes?: readonly AnyDataRoute[] | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** secret that signs page tokens */
  readonly tokenSecret: Uint8Array;
  /** called for every response */
  onResponse(endpoint: string, status: number): void;
}

interface DataMount extends Mount {
  /** Loads what the first request needs. */
  warmUp(): Promise<void>;
}

export function dataMount(options: DataMountOptions): DataMount {
  const { freshness } = options;
  const isServedHost = hostFilter(options.allowedHosts);
  const cors = dataCors(options.allowedOrigins);
  const respond = responder(options, cors);
  const routes = async () => options.routes ?? (await import("../api/data/routes.ts")).dataRoutes;
  const api = lazily(async () => {
    const { createDataApi } = await import("../api/data/data-api.ts");
    return createDataApi({ ...options, routes: await routes(), tokens: new PageTokens(options.tokenSecret) }, respond);
  });
  const page = lazily(async () => {
    const { createReferencePage } = await import("../api/data/openapi/reference-page.ts");
    const { methodsHtml } = await import("../api/rpc/methods-page.ts");
    return createReferencePage(methodsHtml());
  });

  const refuse = (response: ServerResponse, error: DataError) => {
    const body = errorBody(error);
    respond(response, { status: error.status, body, operation: "none", headers: NO_HEADERS, freshness: freshness.newest() });
  };
  return {
    takes: ({ url }) => PREFIXES.some((prefix) => isBelow(url!, prefix)) && url!.split("?", 1)[0] !== NOWHERE,
    handle(request, response, mounted) {
      if (!isServedHost(request.headers.host ?? "")) {
        return refuse(response, new DataError(403, "this server does not accept that Host; use one that its operator allows"));
      }
      if (request.method === "OPTIONS") {
        options.onResponse("v1/preflight", 204);
        response.writeHead(204, [...cors.preflightHeaders(request.headers)]).end();
        return;
      }
      const application = request.url!.startsWith("/docs") ? page : api;
      if (application.value !== undefined) return application.value(request, response, mounted);
      application.get().then(
        (ready) => ready(request, response, mounted),
        (error: unknown) => {
          options.onDefect(error, "data API");
          refuse(response, unexpected());
        },
      );
    },
    refuse: (response, { message }) => refuse(response, new DataError(503, message)),
    warmUp: async () => {
      await api.get();
    },
  };
}

const PREFIXES = ["/v1", "/v2", "/docs"];
/** Neither interface has this path; the node answers a plain 404, as recorded. */
const NOWHERE = "/v1/networks";

/** `/v1` takes `/v1` and what is below it, not `/v1x`. */
export function isBelow(url: string, prefix: string): boolean {
  if (!url.startsWith(prefix)) return false;
  const next = url.charAt(prefix.length);
  return next === "" || next === "/" || next === "?";
}

interface Lazy<T> {
  /** undefined until it has been made */
  readonly value: T | undefined;
  get(): Promise<T>;
}

/** Makes the value once; after a failure the next caller tries again. */
function lazily<T>(make: () => Promise<T>): Lazy<T> {
  let value: T | undefined;
  let promise: Promise<T> | undefined;
  const made = async () => {
    try {
      value = await make();
      return value;
    } catch (error) {
      promise = undefined;
      throw error;
    }
  };
  return {
    get value() {
      return value;
    },
    get() {
      promise ??= made();
      return promise;
    },
  };
}

const JSON_TYPE = ["Content-Type", "application/json; charset=utf-8"] as const;
const NO_HEADERS: readonly string[] = [];

function responder({ onResponse, freshness }: DataMountOptions, { responseHeaders }: DataCors): Respond {
  return (response, { status, body, operation, headers, freshness: known }) => {
    onResponse(`v1/${operation}`, status);
    const fresh = known.headers.length > 0 ? known : freshness.newest();
    const length = bodyLength(body);
    const cors = responseHeaders(response.req.headers.origin);
    const all = [...JSON_TYPE, "Content-Length", length.toString(), ...cors, ...fresh.headers, ...headers];
    send(response, { status, headers: all, body, length });
  };
}
