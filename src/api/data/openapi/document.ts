/** Makes the OpenAPI 3.1 document from the definitions of the routes, so the two cannot differ. */

import { isDeepStrictEqual } from "node:util";
import type { TObject } from "typebox";
import { packageJson } from "../../../base/package-json.ts";
import type { PrimaryChain } from "../../../index/primary/primary-chain.ts";
import type { KeyUse } from "../../access/access.ts";
import { type JsonSchema, jsonSchema, mapNested } from "../json-schema.ts";
import { chainNameOf, type NetworkLabel, publicChainId } from "../network-labels.ts";
import { type AnyDataRoute, fullPath } from "../route.ts";
import { COMMON_HEADERS, COMPONENTS, ERROR_SCHEMA, errorRef, type Json, SECURITY_SCHEMES, STATUSES, security } from "./components.ts";
import { withDescriptions } from "./fields.ts";

/** Collects schemas with a name as the document's components, each once, and replaces them by references. */
export class NamedSchemas {
  readonly #components = new Map<string, JsonSchema>();

  /** Sorted by name. */
  get components(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /**
   * Replaces named schemas within the schema, or the schema itself, by references. A description stays in place, since it is about that
   * use.
   */
  referring(schema: JsonSchema): JsonSchema {
    const { $id, ...rest } = mapNested(schema, (nested) => this.referring(nested));
    if ($id === undefined) return rest;
    const { description, ...component } = rest;
    const known = this.#components.get($id);
    if (known !== undefined && !isDeepStrictEqual(known, component)) throw new Error(`two different schemas have the name ${$id}`);
    this.#components.set($id, component);
    return { $ref: `#/components/schemas/${$id}`, ...(description !== undefined && { description }) };
  }
}

export interface DocumentOptions {
  /** the network name that clients of this server use, so requests made from the document work here */
  readonly label: NetworkLabel;
  readonly keyUse: KeyUse;
}

/** Yields after each route. */
export function* openApiSteps(routes: readonly AnyDataRoute[], options: DocumentOptions): Generator<void, Json> {
  const paths: Record<string, Record<string, Json>> = {};
  const schemas = new NamedSchemas();
  for (const route of routes) {
    const path = fullPath(route);
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operation(route, options, schemas);
    yield;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Firn Data API",
      version: packageJson().version,
      summary: "Indexed data of Avalanche's primary network and of EVM chains.",
      description: DESCRIPTION,
    },
    servers: [{ url: "/" }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      ...COMPONENTS,
      ...(options.keyUse !== "none" && { securitySchemes: SECURITY_SCHEMES }),
      schemas: { Error: ERROR_SCHEMA, ...schemas.components },
    },
  };
}

const DESCRIPTION =
  `Answers come from one committed state: every figure of a response belongs to the heights in its \`Firn-Height-*\` headers, and
agrees with the node's JSON-RPC at these heights (for an EVM chain, the header is \`Firn-Height-\` and its chain ID). Lists come in pages: \`nextPageToken\` of one page is \`pageToken\` of the next, and is
absent on the last one. Amounts are decimal strings in the smallest unit, times are Unix seconds.`.replaceAll("\n", " ");

function operation(route: AnyDataRoute, { label, keyUse }: DocumentOptions, schemas: NamedSchemas): Json {
  const { operationId, tag, summary, description, cost, computeUnits, body } = route;
  return {
    operationId,
    tags: [tag],
    summary,
    description: [description, `Cost: ${cost}`].filter((text) => text !== undefined).join("\n\n"),
    "x-compute-units": computeUnits,
    ...security(keyUse, computeUnits),
    parameters: [...pathParameters(route, label), ...queryParameters(route)],
    ...(body !== undefined && {
      requestBody: { required: true, content: { "application/json": { schema: schemas.referring(jsonSchema(body)) } } },
    }),
    responses: {
      [route.status ?? 200]: {
        description: "The answer.",
        headers: COMMON_HEADERS,
        content: { "application/json": { schema: schemas.referring(answerSchema(route)) } },
        ...nextPageLink(route),
      },
      ...Object.fromEntries(STATUSES.map((status) => [status, errorRef(status)])),
    },
  };
}

/** The schema of a route's answer. An answer without a name gets that of its operation: `ListErc20BalancesResponse`. */
function answerSchema({ operationId, response }: AnyDataRoute): JsonSchema {
  const schema = withDescriptions(jsonSchema(response));
  const isNamed = schema.$id !== undefined || schema.type !== "object";
  return isNamed ? schema : { ...schema, $id: `${operationId[0]!.toUpperCase()}${operationId.slice(1)}Response` };
}

/** The link to the next page: the same request with the token of its answer. */
function nextPageLink({ operationId, path, query, body }: AnyDataRoute): Json {
  const { properties = {}, required = [] } = jsonSchema(query as TObject);
  if (properties.pageToken === undefined) return {};
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [`path.${name}`, `$request.path.${name}`]);
  const inQuery = required
    .filter((name) => properties[name]?.default === undefined)
    .map((name) => [`query.${name}`, `$request.query.${name}`]);
  const nextPage = {
    operationId,
    description: "The next page. Present while the answer has a `nextPageToken`.",
    parameters: Object.fromEntries([...inPath, ...inQuery, ["query.pageToken", "$response.body#/nextPageToken"]]),
    ...(body !== undefined && { requestBody: "$request.body" }),
  };
  return { links: { nextPage } };
}

function pathParameters({ path, params, chains, evm }: AnyDataRoute, label: NetworkLabel): Json[] {
  const schemas = params === undefined ? {} : (jsonSchema(params as TObject).properties ?? {});
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    if (name === "network") return { ...parameter("path", "network", NETWORK, true), example: label };
    if (name === "blockchainId" && chains !== undefined) return parameter("path", "blockchainId", blockchainId(chains), true);
    if (name === "chainId" && evm === "chain") return { ...parameter("path", "chainId", EVM_CHAIN_ID, true), example: "43114" };
    const schema = schemas[name!];
    if (schema === undefined) throw new Error(`the route ${path} has no schema for {${name}}`);
    return parameter("path", name!, schema, true);
  });
}

const NETWORK: JsonSchema = {
  ...knownOrAnyText(["mainnet", "fuji", "testnet"]),
  description:
    "`fuji` and `testnet` are the same. A server of another network answers under these two, under its own name and its ID. A known label that is not served is 404.",
};

/** Names that clients know, or any other text: networks of one's own have their own names and IDs. Generators of clients show the known ones. */
function knownOrAnyText(known: readonly string[]): JsonSchema {
  return { anyOf: [{ type: "string", enum: known }, { type: "string" }] };
}

const EVM_CHAIN_ID: JsonSchema = {
  type: "string",
  description: "EVM chain ID as a decimal number, or blockchain ID (cb58). A chain that is not served here is 404.",
};

function blockchainId(chains: readonly PrimaryChain[]): JsonSchema {
  const values = chains.flatMap((chain) => [chainNameOf(chain), publicChainId(chain, "mainnet"), publicChainId(chain, "fuji")]);
  return {
    ...knownOrAnyText([...new Set(values)]),
    description: "Alias or blockchain ID. A network of your own also accepts the IDs of its own chains.",
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
