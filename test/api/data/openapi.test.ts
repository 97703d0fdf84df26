import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { REASONS } from "../../../src/api/data/errors.ts";
import { openApiSteps } from "../../../src/api/data/openapi/document.ts";
import { PageTokens } from "../../../src/api/data/page-tokens.ts";
import { RegisteredRoute } from "../../../src/api/data/registered-route.ts";
import { responseWriter } from "../../../src/api/data/response-writer.ts";
import { type AnyDataRoute, fullPath } from "../../../src/api/data/route.ts";
import { dataRoutes } from "../../../src/api/data/routes.ts";
import { runInTurns, UNLIMITED_WORK } from "../../../src/base/work/work.ts";
import { echoRoutes } from "./echo-routes.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: { readonly default?: unknown; readonly minimum?: number; readonly maximum?: number };
}
interface Operation {
  readonly operationId: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly $ref: string }>>;
  readonly "x-compute-units": number;
  readonly security?: readonly object[];
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}
interface Response {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
  readonly links?: Readonly<Record<string, { readonly parameters: Readonly<Record<string, string>> }>>;
}

const openApiDocument = (...of: Parameters<typeof openApiSteps>) => runInTurns(UNLIMITED_WORK, openApiSteps(...of));

const document = openApiDocument(dataRoutes, { label: "fuji", keyUse: "none" }) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
};
const operationOf = (route: AnyDataRoute) => document.paths[fullPath(route)]![route.method.toLowerCase()]!;

test("The document is OpenAPI 3.1", async () => {
  for (const [routes, keyUse] of [
    [dataRoutes, "optional"],
    [echoRoutes, "none"],
  ] as const) {
    const made = openApiDocument(routes, { label: "mainnet", keyUse }) as Record<string, unknown>;
    const { valid, errors } = await new Validator().validate(made);
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  }
});

test("It has every route, and no two operations or paths of one name", () => {
  const names = dataRoutes.map(({ operationId }) => operationId);
  expect(new Set(names).size).toBe(names.length);
  expect(Object.values(document.paths).flatMap((methods) => Object.keys(methods))).toHaveLength(dataRoutes.length);
  expect(names.filter((name) => !/^[a-z][A-Za-z0-9]+$/.test(name))).toEqual([]);
});

test("Every error has an example of the form that answers have, and the headers of all responses", () => {
  const common = [
    "Firn-Height-P",
    "Firn-Seconds-Behind-P",
    "Firn-Height-X",
    "Firn-Seconds-Behind-X",
    "Firn-Height-C",
    "Firn-Seconds-Behind-C",
  ];
  const limits = ["RateLimit-Policy", "RateLimit-Limit", "RateLimit-Remaining"];
  for (const { headers, content } of Object.values(document.components.responses)) {
    const example = content["application/json"]!.example as { statusCode: keyof typeof REASONS };
    expect(example).toEqual({ message: expect.any(String), statusCode: expect.any(Number), error: REASONS[example.statusCode] });
    const refusal = example.statusCode === 429 ? ["RateLimit-Reset", "Retry-After"] : [];
    expect(Object.keys(headers)).toEqual([...common, ...limits, ...refusal]);
    for (const name of Object.keys(headers)) expect(document.components.headers).toHaveProperty(name);
  }
});

test("It asks for a key where the server does, and nowhere else", () => {
  const keys = [{ dataApiKey: [] }, { glacierApiKey: [] }];
  for (const [keyUse, asked] of [
    ["none", undefined],
    ["optional", [{}, ...keys]],
    ["required", keys],
  ] as const) {
    const { paths, components, ...others } = openApiDocument(dataRoutes, { label: "fuji", keyUse }) as typeof document;
    expect(others).not.toHaveProperty("security");
    expect("securitySchemes" in components).toBe(keyUse !== "none");
    for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
      // what costs nothing is open to everybody
      expect(operation.security, operation.operationId).toEqual(operation["x-compute-units"] === 0 ? undefined : asked);
    }
  }
});

/** Paths to what an answer can hold and no sentence is about. */
function undescribed(schema: Schema, path: string): string[] {
  if (schema.$ref !== undefined) return undescribed(document.components.schemas[schema.$ref.split("/").pop()!]!, path);
  const { type, description, properties = {}, items, anyOf = [] } = schema;
  return [
    ...(["string", "integer", "number", "boolean"].includes(type ?? "") &&
    description === undefined &&
    !("const" in schema || "enum" in schema)
      ? [path]
      : []),
    ...Object.entries(properties).flatMap(([name, member]) => undescribed(member, `${path}.${name}`)),
    // a list of texts is described as a list
    ...(items === undefined || items.type === "string" ? [] : undescribed(items, `${path}[]`)),
    ...anyOf.flatMap((choice) => undescribed(choice, path)),
  ];
}

describe.each(dataRoutes.map((route): [string, AnyDataRoute] => [route.operationId, route]))("%s", (_, route) => {
  const { parameters, responses, description, ...operation } = operationOf(route);

  test("describes every parameter, with its default, and says what it costs", () => {
    for (const parameter of parameters) expect(parameter.description, parameter.name).toBeTypeOf("string");
    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name)).toEqual(names);
    for (const { name, required, schema } of parameters) expect(required && schema.default !== undefined, name).toBe(false);
    expect(description).toContain(`Cost: ${route.cost}`);
    expect(operation["x-compute-units"]).toBe(route.computeUnits);
  });

  test("describes every figure of its answers, and asks for the network that is served", () => {
    const { headers, content } = responses[route.status ?? 200] as unknown as Response;
    expect(undescribed(content["application/json"]!.schema, "answer")).toEqual([]);
    expect(Object.keys(headers)).toEqual(Object.keys(document.components.responses.BadRequest!.headers));
    expect(
      parameters.filter((parameter) => parameter.in === "path" && parameter.name === "network").every(({ example }) => example === "fuji"),
    ).toBe(true);
  });

  test("limits the size of its pages and links to the next one, if it has any", () => {
    const pageSize = parameters.find(({ name }) => name === "pageSize");
    expect(pageSize === undefined).toBe(!parameters.some(({ name }) => name === "pageToken"));
    const links = (responses[route.status ?? 200] as unknown as Response).links;
    expect(links?.nextPage?.parameters["query.pageToken"]).toBe(pageSize && "$response.body#/nextPageToken");
    if (pageSize !== undefined)
      expect(pageSize.schema).toEqual({
        type: "integer",
        minimum: expect.any(Number),
        maximum: expect.any(Number),
        default: expect.any(Number),
      });
  });

  test("lists the eight errors", () => {
    expect(Object.keys(responses)).toEqual([`${route.status ?? 200}`, ...Object.keys(REASONS)]);
  });

  test("can be read and written: its schemas have nothing that the framework does not know", () => {
    const registered = new RegisteredRoute(route, new PageTokens(Buffer.alloc(32)));
    expect(registered.routerPath).not.toMatch(/[{}]/);
    expect(() => responseWriter(route.response)).not.toThrow();
  });
});
