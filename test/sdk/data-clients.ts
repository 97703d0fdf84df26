/**
 * The official clients of the Data API from the registry, behind one interface: a call requests every page, and returns what the server
 * sent beside what the client made of it. The server's response is read at the global `fetch`, which every client uses.
 */
import * as avacloud from "@avalabs/avacloud-sdk";
import * as glacier from "@avalabs/glacier-sdk";
import { Avalanche } from "@avalanche-sdk/chainkit";
import type { Method } from "./data-methods.ts";

export type Params = Readonly<Record<string, unknown>>;

export interface Page {
  readonly url: URL;
  readonly headers: Headers;
  /** that the client sent */
  readonly body: string | undefined;
  /** the JSON that was sent */
  readonly sent: unknown;
  readonly parsed: unknown;
}

export const CLIENT_NAMES = ["chainkit", "avacloud", "glacier"] as const;
export type ClientName = (typeof CLIENT_NAMES)[number];

export interface Client {
  readonly name: ClientName;
  /** its object that all methods hang on */
  readonly root: object;
  has(method: Method): boolean;
  /** The first pages, by default all; one, if the method knows no pages. Throws what the client throws. */
  pages(method: Method, params: Params, most?: number): Promise<Page[]>;
}

export interface ClientOptions {
  readonly serverUrl: string;
  readonly network?: "mainnet" | "fuji" | "testnet" | undefined;
  readonly apiKey?: string;
}

/** More pages than any list here has: avacloud ends only where no token is. */
const MOST_PAGES = 3000;

type Wire = Omit<Page, "parsed">;

/** Connections that end after each request bring the next one to another process of the server. */
export const wire = { closesConnections: false };

const plainFetch = globalThis.fetch;
const passed: Wire[] = [];
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const { url, method, headers } = request;
  if (wire.closesConnections) headers.set("connection", "close");
  const body = method === "POST" ? await request.clone().text() : undefined;
  const response = await plainFetch(request);
  passed.push({ url: new URL(url), headers, body, sent: await response.clone().json() });
  return response;
};

/** The one exchange since the last one was taken. */
function passedOne(): Wire {
  const [only, ...others] = passed.splice(0);
  if (only === undefined || others.length > 0)
    throw new Error(`the client sent ${others.length + Number(only !== undefined)} requests for a page`);
  return only;
}

export function memberAt(root: object, path: string): { owner: object; name: string; value: unknown } {
  const names = path.split(".");
  const name = names.pop()!;
  let owner = root;
  for (const each of names) owner = Reflect.get(owner, each) as object;
  return { owner, name, value: Reflect.get(owner, name) };
}

/** undefined where the answer is nothing */
function callAt(root: object, path: string, ...parameters: unknown[]): Promise<object | undefined> {
  const { owner, value } = memberAt(root, path);
  if (typeof value !== "function") throw new Error(`the client has no ${path}`);
  return value.apply(owner, parameters);
}

export function clientNamed(name: ClientName, options: ClientOptions): Client {
  return name === "glacier" ? glacierClient(options) : generatedClient(name, options);
}

/** Chainkit and avacloud come from one generator. They take the server's address with every call, and would repeat what failed. */
function generatedClient(name: "chainkit" | "avacloud", { serverUrl, network = "fuji", apiKey }: ClientOptions): Client {
  const settings = { network, ...(apiKey !== undefined && { apiKey }) };
  const root =
    name === "chainkit"
      ? new Avalanche({ ...settings, enableTelemetry: false })
      : new avacloud.AvaCloudSDK({ serverURL: serverUrl, ...settings });
  const options = { serverURL: serverUrl, retries: { strategy: "none" } };
  return {
    name,
    root,
    has: ({ chainkitOnly }) => name === "chainkit" || chainkitOnly !== true,
    async pages({ path, bare }, params, most = MOST_PAGES) {
      passed.length = 0;
      const answer = await callAt(root, path, ...(bare ? [options] : [params, options]));
      if (answer === undefined || !(Symbol.asyncIterator in answer)) return [{ ...passedOne(), parsed: answer }];
      const pages: Page[] = [];
      for await (const { result } of answer as AsyncIterable<{ result: unknown }>) {
        pages.push({ ...passedOne(), parsed: result });
        if (pages.length > MOST_PAGES) throw new Error(`${path} has no last page`);
        if (pages.length === most) break;
      }
      return pages;
    },
  };
}

/** An OpenAPI client without checks; who uses it walks pages by hand. */
function glacierClient({ serverUrl, network = "fuji", apiKey }: ClientOptions): Client {
  const root = new glacier.Glacier({ BASE: serverUrl, ...(apiKey !== undefined && { HEADERS: { "x-glacier-api-key": apiKey } }) });
  return {
    name: "glacier",
    root,
    has: (method) => method.glacier !== undefined,
    async pages(method, params, most = MOST_PAGES) {
      passed.length = 0;
      const pages: Page[] = [];
      let pageToken = params.pageToken as string | undefined;
      do {
        const parsed = await callAt(root, method.glacier!, { network, ...params, pageToken });
        pages.push({ ...passedOne(), parsed });
        pageToken = parsed !== undefined && "nextPageToken" in parsed ? (parsed.nextPageToken as string) : undefined;
      } while (pageToken !== undefined && pages.length < most);
      if (pageToken !== undefined && most === MOST_PAGES) throw new Error(`${method.glacier} has no last page`);
      return pages;
    },
  };
}

/** Asks past all clients. */
export async function askPlainly(url: URL | string): Promise<unknown> {
  const response = await plainFetch(url);
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
