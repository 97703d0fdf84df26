/** Which schemas the OpenAPI document names, and how: generators make types of these. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Type from "typebox";
import { expect, test } from "vitest";
import { type JsonSchema, jsonSchema } from "../../../src/api/data/json-schema.ts";
import { namedObject } from "../../../src/api/data/named-object.ts";
import { NamedSchemas, openApiSteps } from "../../../src/api/data/openapi/document.ts";
import { dataRoutes } from "../../../src/api/data/routes.ts";
import { runInTurns, UNLIMITED_WORK } from "../../../src/base/work/work.ts";
import { undocumented } from "./documented-answers.ts";

const document = runInTurns(UNLIMITED_WORK, openApiSteps(dataRoutes, { label: "fuji", keyUse: "none" })) as {
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
};
const { schemas } = document.components;

/** Every object in a JSON value, with its path. */
function* objectsIn(value: unknown, path = ""): Generator<{ readonly path: string; readonly object: JsonSchema }> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield { path, object: value as JsonSchema };
  for (const [name, member] of Object.entries(value)) yield* objectsIn(member, `${path}/${name.replaceAll("/", "~1")}`);
}
const all = [...objectsIn(document)];

test("Every reference leads somewhere, and every named schema is referred to", () => {
  const targets = new Set(all.map(({ object }) => object.$ref).filter((ref) => typeof ref === "string"));
  const places = new Set(all.map(({ path }) => `#${path}`));
  expect([...targets].filter((target) => !places.has(target as string))).toEqual([]);
  expect(Object.keys(schemas).filter((name) => !targets.has(`#/components/schemas/${name}`))).toEqual([]);
});

test("Every object of three or more members has a name", () => {
  const unnamed = all.filter(
    ({ path, object: { type, properties } }) =>
      type === "object" && Object.keys(properties ?? {}).length > 2 && !/^\/components\/schemas\/\w+$/.test(path),
  );
  expect(unnamed.map(({ path }) => path)).toEqual([]);
});

test("No schema has two names, and two different schemas cannot have one", () => {
  const texts = Object.values(schemas).map((schema) => JSON.stringify(schema));
  expect(new Set(texts).size).toBe(texts.length);
  const named = new NamedSchemas();
  const refer = (members: Parameters<typeof namedObject>[1]) => named.referring(jsonSchema(namedObject("Grain", members)));
  expect(refer({ size: Type.Integer() })).toEqual({ $ref: "#/components/schemas/Grain" });
  expect(refer({ size: Type.Integer() })).toEqual({ $ref: "#/components/schemas/Grain" });
  expect(() => refer({ size: Type.String() })).toThrow("two different schemas have the name Grain");
});

test("An answer that is not as its named schemas say is found out, and the path to it told", () => {
  const block = { chainId: "1", blockNumber: "5" };
  expect(undocumented("/v1/chains/43114/blocks", { blocks: [] })).toEqual([]);
  expect(undocumented("/v1/chains/43114/blocks", { blocks: [block] })).toEqual([
    expect.objectContaining({ keyword: "required", instancePath: "/blocks/0" }),
  ]);
});

/** Names that the official SDKs do not have, and why Firn has them. */
const OWN: Readonly<Record<string, string>> = {
  AtomicTransactionSummary: "the SDKs do not read it",
  BlockchainDetails: "the SDKs' Blockchain of one blockchain: with its genesis",
  ChainToken: "the SDKs do not know the route",
  ContractBuild: "the SDKs do not know the route",
  ContractSource: "the SDKs do not know the route",
  ContractSourceFile: "the SDKs do not know the route",
  CreateWebhookMetadata: "the SDKs' of the three kinds in one",
  CreateWebhookRequest: "the SDKs' of the three kinds in one",
  Error: "the SDKs have a name for each status, and one form for all",
  EventLog: "the SDKs have no logs",
  GetTransactionCallsResponse: "the SDKs have no calls",
  IcmIndexedFrom: "the hosted service does not say it",
  IcmMessage: "the SDKs have a name for each status, in two sets",
  ListChainTokensResponse: "the SDKs do not know the route",
  ListLatestPrimaryNetworkTransactionsResponse: "the SDKs' three pages in one",
  ListLogsResponse: "the SDKs have no logs",
  ListTokenHoldersResponse: "the SDKs do not know the route",
  ListTransactionLogsResponse: "the SDKs have no logs",
  ListTransactionsV2Response: "the SDKs do not know the route",
  ListWebhookDeliveriesResponse: "the SDKs do not know the route",
  NftHoldersResponse: "of avacloud-sdk",
  NftPicture: "the SDKs do not know the route",
  ...Object.fromEntries(
    ["", "Block", "Chain", "EvmBlock", "EvmChain", "EvmTransaction", "Transaction"].map((part) => [
      `Overview${part}`,
      "the SDKs do not know the route",
    ]),
  ),
  PrimaryNetworkMetricsApiResponse: "the SDKs' MetricsApiResponse without where counting began",
  RatedErc20Token: "of the same route",
  RatedErc20TransferDetails: "of the same route",
  RatedTransactionDetails: "of the same route",
  ReindexNftResponse: "the SDKs read nothing there",
  SearchResponse: "the SDKs do not know the route",
  SearchResult: "of the same route",
  SharedAssetBalance: "the SDKs' one of the X-chain and one of the C-chain are the same",
  TeleporterChainMetricsApiResponse: "of avacloud-sdk",
  TeleporterMetricsValue: "of avacloud-sdk",
  TokenHolder: "of the list of holders",
  Transaction: "a choice that the SDKs leave without a name; theirs of this name is of web hooks",
  TransactionCall: "the SDKs have no calls",
  WebhookDelivery: "the SDKs do not know the route",
  XChainTransaction: "a choice that the SDKs leave without a name",
};

test("Names are those of the official SDKs, where these have one", () => {
  const root = fileURLToPath(new URL("../../../node_modules/", import.meta.url));
  const chainkit = readdirSync(`${root}@avalanche-sdk/chainkit/dist/esm/models/components`)
    .filter((name) => name.endsWith(".d.ts"))
    .map((name) => readFileSync(`${root}@avalanche-sdk/chainkit/dist/esm/models/components/${name}`, "utf8"))
    .flatMap((text) => [...text.matchAll(/^export (?:type|declare const) (\w+)\b/gm)].map(([, name]) => name!.toLowerCase()));
  const glacier = readdirSync(`${root}@avalabs/glacier-sdk/esm/generated/models`).map((name) => name.replace(/\..*/, "").toLowerCase());
  const theirs = new Set([...chainkit, ...glacier]);
  const own = Object.keys(schemas).filter((name) => !theirs.has(name.toLowerCase()) || name === "Transaction");
  expect(own.sort()).toEqual(Object.keys(OWN));
});
