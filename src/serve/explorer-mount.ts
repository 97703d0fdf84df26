/**
 * Serves the explorer, a web application that `npm run build` puts into `dist/explorer`: its page at `/`, to browsers only, and its files
 * below `/explorer`. Clients that do not ask for HTML get the node's answer at `/`. The page names its files relative to itself, so it works
 * below any path of a reverse proxy. Its files need no key: it asks the Data API and the JSON-RPC as any other client does.
 */

import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { send } from "../http/answers.ts";
import type { Mount } from "../http/http-server.ts";
import { hostFilter } from "../http/origins.ts";
import { isBelow } from "./data-mount.ts";

interface ExplorerMountOptions {
  readonly allowedHosts: readonly string[];
  /** called for every response */
  onResponse(status: number): void;
}

interface File {
  readonly type: string;
  readonly body: Buffer;
  /** the body with `Content-Encoding: gzip`; browsers accept no other compression over plain HTTP */
  readonly gzipped: Buffer;
  readonly headers: readonly string[];
}

/** The folder is the same from `src/serve` and from `dist/serve`. */
const FOLDER = fileURLToPath(new URL("../../dist/explorer/", import.meta.url));
const PAGE = "index.html";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * Browsers load nothing from other servers, run no script of a page, and show the explorer in no frame, where another page could make its
 * user click.
 */
const SECURITY = [
  "Content-Security-Policy",
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ...["X-Content-Type-Options", "nosniff"],
  ...["Referrer-Policy", "no-referrer"],
];
/** The names of other files contain a hash of their content. */
const CACHING: Readonly<Record<string, readonly string[]>> = {
  true: ["Cache-Control", "no-cache"],
  false: ["Cache-Control", "public, max-age=31536000, immutable"],
};

export function explorerMount({ allowedHosts, onResponse }: ExplorerMountOptions): Mount {
  const isServedHost = hostFilter(allowedHosts);
  let files: Promise<ReadonlyMap<string, File>> | undefined;

  const text = (response: ServerResponse, status: number, message: string) => {
    onResponse(status);
    const body = `${message}\n`;
    const headers = ["Content-Type", "text/plain; charset=utf-8", "Content-Length", `${Buffer.byteLength(body)}`, ...SECURITY];
    send(response, { status, headers, body, length: Buffer.byteLength(body) });
  };
  const serve = (request: IncomingMessage, response: ServerResponse, found: ReadonlyMap<string, File>) => {
    const file = found.get(request.url!.split("?", 1)[0]!);
    if (file === undefined) return text(response, 404, "404 page not found");
    onResponse(200);
    const isZipped = /\bgzip\b/.test(`${request.headers["accept-encoding"] ?? ""}`);
    const body = isZipped ? file.gzipped : file.body;
    const headers = ["Content-Type", file.type, "Content-Length", `${body.length}`, "Vary", "Accept, Accept-Encoding", ...file.headers];
    if (isZipped) headers.push("Content-Encoding", "gzip");
    send(response, { status: 200, headers, body: [body], length: body.length });
  };
  return {
    takes: (request) => isBelow(request.url!, "/explorer") || isPage(request),
    handle(request, response) {
      if (!isServedHost(request.headers.host ?? "")) return text(response, 403, "invalid host specified");
      if (request.method !== "GET" && request.method !== "HEAD")
        return text(response, 405, "the explorer's files can only be read: send GET");
      files ??= readFiles();
      files.then(
        (found) => serve(request, response, found),
        () => {
          files = undefined;
          text(response, 503, "the explorer is not built; npm run build does that");
        },
      );
    },
    refuse: (response, { message }) => text(response, 503, message),
  };
}

/** Whether a browser asks for the page. Other clients accept any type, but do not name HTML. */
function isPage({ url, method, headers }: IncomingMessage): boolean {
  if (url !== "/" && !url!.startsWith("/?")) return false;
  return (method === "GET" || method === "HEAD") && `${headers.accept ?? ""}`.includes("text/html");
}

/** Every file by its path. They are few and small: some hundred kilobytes together. */
async function readFiles(): Promise<ReadonlyMap<string, File>> {
  const names = await readdir(FOLDER, { recursive: true });
  const files = names.filter((name) => extname(name) in TYPES).map(async (name) => [pathOf(name), await readOne(name)] as const);
  const found = new Map(await Promise.all(files));
  if (!found.has("/")) throw new Error(`${FOLDER} has no ${PAGE}`);
  return found;
}

function pathOf(name: string): string {
  return name === PAGE ? "/" : `/${name.replaceAll("\\", "/")}`;
}

async function readOne(name: string): Promise<File> {
  const body = await readFile(`${FOLDER}${name}`);
  const headers = [...SECURITY, ...CACHING[`${name === PAGE}`]!];
  return { type: TYPES[extname(name)]!, body, gzipped: await promisify(gzip)(body, { level: 9 }), headers };
}
