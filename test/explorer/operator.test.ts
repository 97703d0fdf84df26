/** The operator's screen, on servers of every kind. */
import { afterEach, describe, expect, test } from "vitest";
import { OPEN_TO_ALL } from "../../src/api/access/access.ts";
import { addKey } from "../../src/api/access/manage-keys.ts";
import { startDevnet } from "../../src/serve/local-network/start.ts";
import { serveHere } from "../serve/serve-here.ts";
import { useBrowser } from "./browser.ts";
import { hasBrowser, skipReason } from "./chromium.ts";
import { ask, importedWorld, recordedWorld } from "./worlds.ts";

const { visit } = useBrowser();
const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

interface Report {
  readonly checks: Readonly<Record<string, { readonly error?: string }>>;
}

describe.skipIf(!hasBrowser)(`the operator's screen${skipReason}`, () => {
  test("of a devnet has all checks, each chain's height, and rates of requests", async () => {
    const network = await startDevnet();
    ending.push(() => network.stop());
    const url = new URL(network.urls.P).origin;
    await network.fund("P-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2", 1n);
    const user = await visit(url);
    ending.push(() => user.end());
    await user.open("/operator");
    const { checks } = await ask<Report>({ url }, "/ext/health");
    const names = await user.page.locator('section.table[aria-label="Checks"] tbody tr td:first-child').allTextContents();
    expect(names.sort()).toEqual(Object.keys(checks).sort());
    expect(await user.text()).toContain(`All ${names.length} checks pass.`);
    const chains = user.page.locator('section.table[aria-label="Chains of this server"] tbody tr');
    const heights = await chains.evaluateAll((rows) => rows.map((row) => [...row.children].slice(0, 3).map((cell) => cell.textContent)));
    expect(heights).toEqual([
      ["P", "no problem", "1"],
      ["X", "no problem", "0"],
      ["C", "no problem", "0"],
      ["43112", "no problem", "0"],
    ]);
    const answers = user.page.locator('section.table[aria-label="Answers by endpoint"] tbody tr', { hasText: "metrics" });
    await expect.poll(() => answers.locator("td").nth(1).textContent()).toMatch(/^\d+\.\d$/);
    expect(await user.barriers()).toEqual([]);
    expect(user.problems).toEqual([]);
  });

  test("of a public server says that it tells the names of its checks only, without an error in the console", async () => {
    const world = await recordedWorld("latest-1", { isPublic: true });
    ending.push(() => world.stop());
    const user = await visit(world.url);
    ending.push(() => user.end());
    await user.open("/operator");
    const { details } = await ask<{ details: Readonly<Record<string, unknown>> }>(world, "/v1/health-check");
    const text = await user.text();
    expect(text).toContain("This server is public: it tells the names of its checks, not what they found.");
    for (const name of Object.keys(details)) expect(text).toContain(name);
    expect(user.urls.filter((url) => url.includes("/ext/health"))).toEqual([]);
    expect(user.problems).toEqual([]);
  });

  test("shows what each key has spent, by its ID", async () => {
    const directory = await importedWorld("latest-1");
    const { key, added } = await addKey(directory, { name: "a customer", tier: "free", privileges: ["read"] });
    const access = { ...OPEN_TO_ALL, rateLimits: { free: { perMinute: 100_000 } } };
    const serving = await serveHere(directory, { access });
    ending.push(() => serving.stop());
    const url = serving.url.replace(/\/$/, "");
    const { status } = await fetch(`${url}/v1/networks/fuji/validators`, { headers: { "x-data-api-key": key } });
    expect(status).toBe(200);
    const user = await visit(url);
    ending.push(() => user.end());
    await user.open("/operator");
    const keys = user.page.locator('section.table[aria-label="Keys in use today, in compute units"] tbody tr');
    expect(await keys.locator("td:first-child, td:last-child").allTextContents()).toEqual([added.id, "20"]);
    expect(await user.text()).not.toContain("a customer");
    expect(user.problems).toEqual([]);
  });

  test("says in the server's words what fails, and that a proxy keeps the metrics to itself", async () => {
    const world = await recordedWorld("latest-1");
    ending.push(() => world.stop());
    const user = await visit(world.url, { expected: ["403"] });
    ending.push(() => user.end());
    const report = {
      checks: { index: { error: "P is 90 s behind", timestamp: "2026-11-23T10:00:00Z", contiguousFailures: 3 } },
      healthy: false,
    };
    await user.page.route("**/ext/health", (route) => route.fulfill({ json: { jsonrpc: "2.0", id: 1, result: report } }));
    await user.page.route("**/ext/metrics", (route) => route.fulfill({ status: 403, body: "closed by the operator\n" }));
    await user.open("/operator");
    const text = await user.text();
    for (const part of ["1 of 1 checks fails.", "P is 90 s behind 3 times", "closed by the operator"]) expect(text).toContain(part);
    expect(user.problems).toEqual([]);
  });
});
