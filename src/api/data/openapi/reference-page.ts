/**
 * Serves `/docs`: Swagger UI shows the OpenAPI document as a page where every route can be tried; `/docs/methods` lists the JSON-RPC. Both are as
 * dark as the browser wants. All files come from memory; nothing is loaded from other servers.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { echoed } from "../../../base/text/go-text.ts";
import { DataError, errorBody } from "../errors.ts";

/**
 * Browsers load nothing from other servers. Pages over plain HTTP are not upgraded to HTTPS, since a data node often has no certificate.
 */
const CONTENT_POLICY =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; frame-ancestors 'self'";

/** files of the package, which contains Swagger UI as built */
const FILES = ["swagger-ui.css", "index.css", "swagger-ui-bundle.js"];

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json; charset=utf-8",
};

/** @param main HTML */
function page(title: string, main: string): Buffer {
  return Buffer.from(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/docs/static/swagger-ui.css">
<link rel="stylesheet" href="/docs/static/index.css">
<link rel="stylesheet" href="/docs/static/docs.css">
<link rel="icon" type="image/svg+xml" href="/docs/static/icon.svg">
</head>
<body>
<nav aria-label="Reference"><strong>Firn</strong> <a href="/docs">Data API</a> <a href="/docs/methods">JSON-RPC</a> <a href="/">Explorer</a></nav>
${main}
</body>
</html>
`);
}

const DATA_API = `<div id="swagger-ui"></div>
<script src="/docs/static/swagger-ui-bundle.js"></script>
<script src="/docs/static/swagger-initializer.js"></script>`;

/** Swagger UI has light colours only: where the browser wants dark ones, they are turned around, and code, which is dark already, again. */
const STYLES = `:root { color-scheme: light dark; }
body { background: Canvas; color: CanvasText; font: 16px/1.5 system-ui, sans-serif; }
nav { display: flex; flex-wrap: wrap; gap: 1rem; padding: 0.75rem 1.25rem; border-bottom: 1px solid #8886; }
nav a, main a { color: LinkText; }
main { max-width: 90rem; margin: 0 auto; padding: 0 1.25rem 2rem; overflow-x: auto; }
main table { width: 100%; border-collapse: collapse; }
main :is(th, td) { padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid #8884; text-align: left; vertical-align: top; }
main td:last-child { text-align: right; }
main td:first-child { white-space: nowrap; }
@media (prefers-color-scheme: dark) {
  .swagger-ui { filter: invert(0.9) hue-rotate(180deg); }
  .swagger-ui .highlight-code { filter: invert(1) hue-rotate(180deg); }
}
`;

/** Shows grains of firn, which is old snow. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#1d4e6b"/>
<g fill="#eaf6fb"><circle cx="16" cy="9" r="4"/><circle cx="11" cy="16" r="4"/><circle cx="21" cy="16" r="4"/><circle cx="6.5" cy="23" r="4"/><circle cx="16" cy="23" r="4"/><circle cx="25.5" cy="23" r="4"/></g>
</svg>
`;

/** The base layout has no top bar, which would show the makers' logo. */
const INITIALIZER = `SwaggerUIBundle({
  url: "/v1/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null,
  docExpansion: "list",
  displayOperationId: true,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
});
`;

/** Beside the bundled program; otherwise in the package that they are from. */
function pagesFolder(): string {
  const beside = join(import.meta.dirname, "swagger-ui");
  if (existsSync(beside)) return beside;
  return join(dirname(createRequire(import.meta.url).resolve("@fastify/swagger-ui/package.json")), "static");
}

/** @param methods HTML of the JSON-RPC methods */
export async function createReferencePage(methods: string): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
  const folder = pagesFolder();
  const files = FILES.map(async (name) => [`/docs/static/${name}`, await readFile(join(folder, name))] as const);
  const parts = new Map<string, Buffer>([
    ["/docs", page("Firn Data API", DATA_API)],
    ["/docs/methods", page("Firn JSON-RPC", `<main>${methods}</main>`)],
    ["/docs/static/docs.css", Buffer.from(STYLES)],
    ["/docs/static/icon.svg", Buffer.from(ICON)],
    ["/docs/static/swagger-initializer.js", Buffer.from(INITIALIZER)],
    ...(await Promise.all(files)),
  ]);
  return ({ method, url }, response) => {
    const path = url!.split("?", 1)[0]!.replace(/\/$/, "");
    const part = method === "GET" || method === "HEAD" ? parts.get(path) : undefined;
    const body =
      part ?? Buffer.from(errorBody(new DataError(404, `there is nothing at ${method} ${echoed(path)}; the reference is at /docs`)));
    response.writeHead(part === undefined ? 404 : 200, {
      "Content-Type": TYPES[part === undefined ? ".json" : extname(path) || ".html"],
      "Content-Length": body.length,
      "Content-Security-Policy": CONTENT_POLICY,
    });
    response.end(body);
  };
}
