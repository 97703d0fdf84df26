import { afterAll, beforeAll, expect, test } from "vitest";
import { openAccess } from "../../../src/api/access/access.ts";
import { services } from "../../../src/api/rpc/registry.ts";
import { type DataNode, startDataNode } from "./data-node.ts";

let node: DataNode;
beforeAll(async () => {
  node = await startDataNode();
});
afterAll(() => node.remove());

async function load(path: string): Promise<{ type: string; text: string; policy: string }> {
  const response = await fetch(new URL(path, `http://127.0.0.1:${node.port}/docs/`));
  expect(response.status, path).toBe(200);
  const header = (name: string) => response.headers.get(name) ?? "";
  return { type: header("content-type"), policy: header("content-security-policy"), text: await response.text() };
}

test("The reference page loads, with all its parts, from this server alone", async () => {
  const page = await load("/docs");
  expect(page.type).toMatch(/^text\/html/);
  // what its browser may load: nothing from elsewhere, and nothing that would turn http into https
  expect(page.policy).toContain("default-src 'self'");
  expect(page.policy).not.toMatch(/https?:|\*|upgrade-insecure-requests|swagger\.io/);
  const parts = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part]) => part!);
  expect(parts.length).toBeGreaterThan(3);
  expect(page.text).toContain("<title>Firn Data API</title>");
  for (const part of parts) {
    // the explorer is at the root, if there is one
    if (part === "/") continue;
    expect(part).toMatch(/^\/docs(?:\/|$)/);
    await load(part);
  }
});

test("It leads to the JSON-RPC methods, which are those that are served", async () => {
  const { type, text } = await load("/docs/methods");
  expect(type).toMatch(/^text\/html/);
  const listed = new Set([...text.matchAll(/<td><code>([^<]*)<\/code><\/td>/g)].map(([, name]) => name));
  for (const service of Object.values(services)) for (const name of service.names()) expect(listed).toContain(name);
  expect(text).not.toContain("<script");
});

test("It has no part that takes work to make, and says so where nothing is", async () => {
  for (const path of ["/docs/json", "/docs/yaml", "/docs/static/../json"]) {
    const response = await fetch(`http://127.0.0.1:${node.port}${path}`);
    expect([response.status, JSON.parse(await response.text()).error], path).toEqual([404, "Not Found"]);
  }
  const posted = await fetch(`http://127.0.0.1:${node.port}/docs`, { method: "POST" });
  expect(posted.status).toBe(404);
  await posted.text();
});

test("It shows this server's document", async () => {
  const initializer = await load("/docs/static/swagger-initializer.js");
  expect(initializer.text).toContain("/v1/openapi.json");
  const document = JSON.parse((await load("/v1/openapi.json")).text);
  expect(document.info.title).toBe("Firn Data API");
  expect(document.paths["/v1/networks/{network}/blockchains/{blockchainId}/echoes:list"].get.operationId).toBe("listEchoes");
});

test("It shows no other project's logo: it has Firn's own icon, and no top bar, which is where Swagger UI has its own", async () => {
  const page = await load("/docs");
  const icons = [...page.text.matchAll(/<link rel="icon"[^>]*href="([^"]+)"/g)].map(([, icon]) => icon!);
  expect(icons).toEqual(["/docs/static/icon.svg"]);
  expect(await load(icons[0]!)).toMatchObject({ type: "image/svg+xml", text: expect.stringContaining("<svg") });
  expect(page.text).not.toContain("standalone-preset");
  const initializer = await load("/docs/static/swagger-initializer.js");
  expect(initializer.text).toContain('layout: "BaseLayout"');
  for (const logo of ["favicon-32x32.png", "logo.svg"]) {
    expect((await fetch(`http://127.0.0.1:${node.port}/docs/static/${logo}`)).status, logo).toBe(404);
  }
});

test("It has a padlock where a key is asked for, and none on a server without keys", async () => {
  const locked = ({ paths }: { readonly paths: object }) =>
    Object.values(paths).flatMap((methods: object) => Object.values(methods).map((operation: object) => "security" in operation));
  const open = JSON.parse((await load("/v1/openapi.json")).text);
  expect(open.components.securitySchemes).toBeUndefined();
  expect(locked(open)).not.toContain(true);
  const asking = await startDataNode({ access: { ...openAccess, keyUse: "required" } });
  try {
    const response = await fetch(`http://127.0.0.1:${asking.port}/v1/openapi.json`);
    expect(locked((await response.json()) as typeof open)).toContain(true);
  } finally {
    await asking.remove();
  }
});
