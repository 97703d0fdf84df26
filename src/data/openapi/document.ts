/** The OpenAPI 3.1 document: made from the definitions of the routes, so that it cannot say anything else than they do. */
import { readFileSync } from "node:fs";
import type { TObject } from "typebox";
import type { PrimaryChain } from "../../index/primary/primary-chain.ts";
import { chainNameOf } from "../chain-info.ts";
import { type DataStatus, REASONS } from "../errors.ts";
import { type JsonSchema, jsonSchema } from "../json-schema.ts";
import { publicChainId } from "../network-labels.ts";
import type { AnyDataRoute } from "../route.ts";

type Json = { readonly [name: string]: unknown };

export function openApiText(routes: readonly AnyDataRoute[]): string {
  return JSON.stringify(openApiDocument(routes));
}

export function openApiDocument(routes: readonly AnyDataRoute[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = `/v1${route.path}`;
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Firn Data API",
      version: packageVersion(),
      summary: "Indexed data of Avalanche's primary network.",
      description: DESCRIPTION,
    },
    servers: [{ url: "/" }],
    security: [{}, { dataApiKey: [] }, { glacierApiKey: [] }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        dataApiKey: { type: "apiKey", in: "header", name: "x-data-api-key", description: "A key of this server's operator." },
        glacierApiKey: {
          type: "apiKey",
          in: "header",
          name: "x-glacier-api-key",
          description: "The same key under the name that the SDKs send.",
        },
      },
      headers: HEADERS,
      responses: Object.fromEntries(STATUSES.map((status) => [responseName(status), errorResponse(status)])),
      schemas: { Error: ERROR_SCHEMA },
    },
  };
}

const DESCRIPTION =
  `Answers come from one committed state: every figure of a response is of the heights in its \`Firn-Height-*\` headers, and
agrees with the node's JSON-RPC at these heights. Lists come in pages: \`nextPageToken\` of one page is \`pageToken\` of the next, and is
absent on the last one. Amounts are decimal strings in the smallest unit, times are Unix seconds.`.replaceAll("\n", " ");

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as { version: string };
  return version;
}

const WHEN: Readonly<Record<DataStatus, string>> = {
  400: "A parameter is malformed, out of range or not taken here.",
  401: "A key is needed, or the one that was sent is unknown.",
  403: "The key is revoked or lacks the privilege.",
  404: "There is no such route, network, block, transaction, asset, subnet or blockchain here.",
  429: "The limit is used up; Retry-After says for how long.",
  500: "The server failed.",
  502: "A server behind this one gave a wrong answer.",
  503: "Not indexed yet, or older than this server's operator allows.",
};
const STATUSES = Object.keys(WHEN).map(Number) as DataStatus[];

const ERROR_SCHEMA = {
  type: "object",
  properties: {
    message: { type: "string", description: "What was wrong, and what would be right." },
    statusCode: { type: "integer", enum: STATUSES },
    error: { type: "string", enum: Object.values(REASONS) },
  },
  required: ["message", "statusCode", "error"],
};

const integerHeader = (description: string) => ({ description, schema: { type: "integer" } });
const HEADERS = {
  "Firn-Height-P": integerHeader("P-chain height that the answer is of. X and C likewise; a chain that is not indexed has no header."),
  "Firn-Seconds-Behind-P": integerHeader("Seconds that the P-chain's index is behind its source. X and C likewise."),
  "RateLimit-Limit": integerHeader("Compute units per window; sent where limits apply."),
  "RateLimit-Remaining": integerHeader("Compute units left in the window; sent where limits apply."),
  "RateLimit-Reset": integerHeader("Seconds until the window ends; sent where limits apply."),
  "Retry-After": integerHeader("Seconds to wait; sent with 429."),
};
const SUCCESS_HEADERS = headerRefs("Firn-Height-P", "Firn-Seconds-Behind-P", "RateLimit-Limit", "RateLimit-Remaining");

function headerRefs(...names: (keyof typeof HEADERS)[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function responseName(status: DataStatus): string {
  return REASONS[status].replaceAll(" ", "");
}

function errorResponse(status: DataStatus): Json {
  return {
    description: WHEN[status],
    ...(status === 429 && { headers: headerRefs("RateLimit-Reset", "Retry-After") }),
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
}

function operation(route: AnyDataRoute): Json {
  const { operationId, tag, summary, description, cost, computeUnits, body } = route;
  return {
    operationId,
    tags: [tag],
    summary,
    description: [description, `Cost: ${cost}`].filter((text) => text !== undefined).join("\n\n"),
    "x-compute-units": computeUnits,
    parameters: [...pathParameters(route), ...queryParameters(route)],
    ...(body !== undefined && { requestBody: { required: true, content: { "application/json": { schema: jsonSchema(body) } } } }),
    responses: {
      200: {
        description: "The answer.",
        headers: SUCCESS_HEADERS,
        content: { "application/json": { schema: jsonSchema(route.response) } },
      },
      ...Object.fromEntries(STATUSES.map((status) => [status, { $ref: `#/components/responses/${responseName(status)}` }])),
    },
  };
}

function pathParameters({ path, params, chains }: AnyDataRoute): Json[] {
  const schemas = params === undefined ? {} : (jsonSchema(params as TObject).properties ?? {});
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    if (name === "network") return parameter("path", "network", NETWORK, true);
    if (name === "blockchainId" && chains !== undefined) return parameter("path", "blockchainId", blockchainId(chains), true);
    const schema = schemas[name!];
    if (schema === undefined) throw new Error(`the route ${path} has no schema for {${name}}`);
    return parameter("path", name!, schema, true);
  });
}

const NETWORK: JsonSchema = {
  type: "string",
  enum: ["mainnet", "fuji", "testnet"],
  description:
    "`fuji` and `testnet` are the same. A server of another network answers under these two and under its own label. A known label that is not served is 404.",
};

function blockchainId(chains: readonly PrimaryChain[]): JsonSchema {
  const values = chains.flatMap((chain) => [chainNameOf(chain), publicChainId(chain, "mainnet"), publicChainId(chain, "fuji")]);
  return {
    type: "string",
    enum: [...new Set(values)],
    description: "Alias or blockchain ID. Networks with chains of their own also take their IDs.",
  };
}

function queryParameters({ query }: AnyDataRoute): Json[] {
  const { properties = {}, required = [] } = jsonSchema(query as TObject);
  return Object.entries(properties).map(([name, schema]) =>
    parameter("query", name, schema, required.includes(name) && schema.default === undefined),
  );
}

function parameter(where: "path" | "query", name: string, { description, ...schema }: JsonSchema, required: boolean): Json {
  return { name, in: where, required, ...(description !== undefined && { description }), schema };
}
