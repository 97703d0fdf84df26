import { afterAll, beforeAll, expect, test } from "vitest";
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
  for (const part of parts) {
    expect(part).toMatch(/^(\/docs\/|\.\/)/);
    await load(part);
  }
});

test("It shows this server's document", async () => {
  const initializer = await load("/docs/static/swagger-initializer.js");
  expect(initializer.text).toContain("/v1/openapi.json");
  const document = JSON.parse((await load("/v1/openapi.json")).text);
  expect(document.paths["/v1/networks/{network}/blockchains/{blockchainId}/echoes:list"].get.operationId).toBe("listEchoes");
});
