/**
 * The Data API and its reference page beside the node's interface: the same host filter, CORS for browsers, freshness on every response.
 * What answers is loaded when it is first asked for, or shortly after the start: JSON-RPC does not wait for it.
 */
import type { ServerResponse } from "node:http";
import type { DataAnswer, DataApiOptions, Respond } from "../data/data-api.ts";
import { DataError, errorBody, unexpected } from "../data/errors.ts";
import { PageTokens } from "../data/page-tokens.ts";
import type { AnyDataRoute } from "../data/route.ts";
import { type DataCors, dataCors } from "./data-cors.ts";
import { endOfTurn } from "./end-of-turn.ts";
import { hostFilter } from "./host-filter.ts";
import type { Mount } from "./http-server.ts";

export interface DataMountOptions extends Omit<DataApiOptions, "routes" | "tokens"> {
  /** by default all that there are */
  readonly routes?: readonly AnyDataRoute[] | undefined;
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
  const { freshness } = options;
  const isServedHost = hostFilter(options.allowedHosts);
  const cors = dataCors(options.allowedOrigins);
  const respond = responder(options, cors);
  const routes = async () => options.routes ?? (await import("../data/routes.ts")).dataRoutes;
  const api = lazily(async () => {
    const { createDataApi } = await import("../data/data-api.ts");
    return createDataApi({ ...options, routes: await routes(), tokens: new PageTokens(options.tokenSecret) }, respond);
  });
  const page = lazily(async () => {
    const { createReferencePage } = await import("../data/openapi/reference-page.ts");
    const { openApiDocument } = await import("../data/openapi/document.ts");
    const { labelOf } = await import("../data/network-labels.ts");
    return createReferencePage(openApiDocument(await routes(), labelOf(options.network)));
  });

  const refuse = (response: ServerResponse, error: DataError) => {
    const body = errorBody(error);
    respond(response, { status: error.status, body, operation: "none", headers: NO_HEADERS, freshness: freshness.newest() });
  };
  return {
    prefixes: ["/v1", "/v2", "/docs"],
    // nothing is there in either interface: the node's plain 404, as recorded
    exceptions: ["/v1/networks"],
    handle(request, response) {
      if (!isServedHost(request.headers.host ?? "")) {
        return refuse(response, new DataError(403, "this server is not served under that Host; use one that its operator allows"));
      }
      if (request.method === "OPTIONS") {
        options.onResponse("v1/preflight", 204);
        response.writeHead(204, [...cors.preflightHeaders(request.headers)]).end();
        return;
      }
      const application = request.url!.startsWith("/docs") ? page : api;
      if (application.value !== undefined) return application.value(request, response);
      application.get().then(
        (ready) => ready(request, response),
        (error: unknown) => {
          options.onDefect(error, "data API");
          refuse(response, unexpected());
        },
      );
    },
    warmUp: async () => {
      await api.get();
    },
  };
}

interface Lazy<T> {
  /** undefined until it is made */
  readonly value: T | undefined;
  get(): Promise<T>;
}

/** Made once; a failure is tried again by the next caller. */
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
  const write = endOfTurn<DataAnswer>((response, { status, body, headers, freshness: known }) => {
    const fresh = known.headers.length > 0 ? known : freshness.newest();
    const length = Buffer.byteLength(body).toString();
    const cors = responseHeaders(response.req.headers.origin);
    response.writeHead(status, [...JSON_TYPE, "Content-Length", length, ...cors, ...fresh.headers, ...headers]);
    response.end(body);
  });
  return (response, answer) => {
    onResponse(`v1/${answer.operation}`, answer.status);
    write(response, answer);
  };
}
