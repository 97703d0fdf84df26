/** Answers against the schemas that the OpenAPI document has for them. */
import Schema from "typebox/schema";
import { openApiSteps } from "../../../src/api/data/openapi/document.ts";
import { dataRoutes } from "../../../src/api/data/routes.ts";
import { runInTurns, UNLIMITED_WORK } from "../../../src/base/work/work.ts";

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: { readonly "application/json": { readonly schema: object } } }>>;
}

const { paths, components } = runInTurns(UNLIMITED_WORK, openApiSteps(dataRoutes, { label: "fuji", keyUse: "none" })) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
};

const routes = Object.entries(paths).map(([path, methods]) => {
  const [operation] = Object.values(methods);
  const { schema } = (operation!.responses["200"] ?? operation!.responses["201"])!.content!["application/json"];
  const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/:]+")}$`);
  let validator: ReturnType<typeof Schema.Compile> | undefined;
  return {
    pattern,
    length: path.replace(/\{\w+\}/g, "").length,
    validator: () => (validator ??= Schema.Compile({ components, ...schema })),
  };
});

/** What the document does not say of an answer to a request that was served; of routes that fit, the most literal one is taken. */
export function undocumented(path: string, answer: unknown): unknown[] {
  const [route] = routes.filter(({ pattern }) => pattern.test(decodeURIComponent(path))).sort((a, b) => b.length - a.length);
  if (route === undefined) return [`the document has no path ${path}`];
  const validator = route.validator();
  return validator.Check(answer) ? [] : validator.Errors(answer)[1];
}
