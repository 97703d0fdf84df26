/** The explorer where operators put it: behind a proxy, below a path, with API keys, on another host than its API. */
import { readFileSync } from "node:fs";
import { createServer, request as forward, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { OPEN_TO_ALL } from "../../src/api/access/access.ts";
import { addKey } from "../../src/api/access/manage-keys.ts";
import type { ServeOptions } from "../../src/serve/serve-options.ts";
import { serveHere } from "../serve/serve-here.ts";
import { useBrowser } from "./browser.ts";
import { BUILT } from "./build.ts";
import { hasBrowser, skipReason } from "./chromium.ts";
import { importedWorld } from "./worlds.ts";

const { visit } = useBrowser();
let directory: string;
const ending: (() => unknown)[] = [];

beforeAll(async () => {
  if (hasBrowser) directory = await importedWorld("latest-1");
});
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

async function serve(options: Partial<ServeOptions> = {}): Promise<string> {
  const serving = await serveHere(directory, options);
  ending.push(() => serving.stop());
  return serving.url.replace(/\/$/, "");
}

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server: Server = createServer(handle).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  ending.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.skipIf(!hasBrowser)(`the explorer${skipReason}`, () => {
  test("works below a path of a reverse proxy", async () => {
    const target = new URL(await serve());
    const proxy = await listen((request, response) => {
      if (!request.url!.startsWith("/data/firn/")) return void response.writeHead(404).end();
      const { method, headers } = request;
      const passed = forward({ port: target.port, host: target.hostname, path: request.url!.slice("/data/firn".length), method, headers });
      passed.on("response", (answer) => answer.pipe(response.writeHead(answer.statusCode!, answer.headers)));
      request.pipe(passed);
    });
    const user = await visit(`${proxy}/data/firn`);
    await user.open("/");
    expect(await user.text()).toContain("P-chain");
    await user.page.locator("main a[href^='#/P/block/']").first().click();
    await expect.poll(() => user.page.url()).toMatch(/\/data\/firn\/#\/P\/block\/\d+$/);
    await user.page.goBack();
    await expect.poll(() => user.text("h1")).toBe("The network now");
    // a link that somebody was sent
    await user.page.goto("about:blank");
    await user.open("/P/block/1");
    expect(await user.text("h1")).toContain("1");
    expect(user.urls.filter((url) => url.startsWith("http") && !url.startsWith(`${proxy}/data/firn/`))).toEqual([]);
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test("asks once for the API key that a server wants, and forgets it with the tab", async () => {
    const { key: secret } = await addKey(directory, { name: "explorer", tier: "free", privileges: ["read"] });
    const url = await serve({ access: { ...OPEN_TO_ALL, keyScope: "all" } });
    const user = await visit(url, { expected: ["401"] });
    await user.page.goto(`${url}/`);
    const field = user.page.getByRole("textbox", { name: "API key" });
    await field.fill("wrong");
    await user.page.getByRole("button", { name: "Use the key" }).click();
    await user.page.getByText("It does not accept the key that you gave for this.").waitFor();
    await field.fill(secret);
    await user.page.getByRole("button", { name: "Use the key" }).click();
    await user.page.getByText("P-chain").first().waitFor();
    await user.open("/P/block/1");
    expect(await user.page.getByRole("dialog").isVisible()).toBe(false);
    expect(await user.page.evaluate(() => [localStorage.length, Object.values(sessionStorage)])).toEqual([0, [secret]]);
    // the next user of this browser is asked again
    const other = await user.page.context().newPage();
    await other.goto(`${url}/`);
    await other.getByRole("textbox", { name: "API key" }).waitFor();
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test("may be hosted elsewhere: its page names the API", async () => {
    const api = await serve();
    const host = await listen((request, response) => {
      const path = request.url === "/" ? "index.html" : request.url!.slice(1);
      const types: Record<string, string> = { ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html" };
      const file = readFileSync(join(BUILT, path));
      const body = path === "index.html" ? file.toString().replace('content="./"', `content="${api}/"`) : file;
      response.writeHead(200, { "content-type": types[extname(path)] }).end(body);
    });
    const user = await visit(host, { expected: ["asked another host: "] });
    await user.open("/");
    expect(await user.text()).toContain("P-chain");
    expect(user.urls).toContain(`${api}/v1/overview`);
    expect(user.problems).toEqual([]);
    await user.end();
  });
});
