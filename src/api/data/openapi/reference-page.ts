/**
 * Serves `/docs`: Swagger UI shows the OpenAPI document as a page where every route can be tried. All files come from memory; nothing is
 * loaded from other servers.
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

const PAGE = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<title>Firn Data API</title>
<link rel="stylesheet" href="/docs/static/swagger-ui.css">
<link rel="stylesheet" href="/docs/static/index.css">
<link rel="icon" type="image/svg+xml" href="/docs/static/icon.svg">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/static/swagger-ui-bundle.js"></script>
<script src="/docs/static/swagger-initializer.js"></script>
</body>
</html>
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

export async function createReferencePage(): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
  const folder = pagesFolder();
  const files = FILES.map(async (name) => [`/docs/static/${name}`, await readFile(join(folder, name))] as const);
  const parts = new Map<string, Buffer>([
    ["/docs", Buffer.from(PAGE)],
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
