/** Asks Firn's public interfaces, and nobody else: the Data API with the types of its OpenAPI document, and the JSON-RPC. */
import createClient from "openapi-fetch";
import { apiKey, wantApiKey } from "./api-key.ts";
import type { paths } from "./data-api.d.ts";
import { ApiError } from "./errors.ts";
import { withExactIntegers } from "./exact-json.ts";
import { heardFrom } from "./freshness.ts";

/** Where the API is: beside this page, unless the page names another place. It ends with a slash. */
export const API_BASE = new URL(
  document.querySelector<HTMLMetaElement>('meta[name="firn-api"]')?.content ?? "./",
  // the hash is the explorer's own path
  document.baseURI.split("#", 1)[0],
).href;

/**
 * The Data API. `answerOf(data.GET("/v1/…", { params }))` is the answer, or throws an `ApiError`. An integer that no number can hold is a text:
 * give it to `BigInt`.
 */
export const data = createClient<paths>({ baseUrl: API_BASE.replace(/\/$/, ""), fetch: askExactly });

/** Sends a request with the user's key. */
async function ask(request: Request): Promise<Response> {
  const key = apiKey();
  if (key !== undefined) request.headers.set("x-data-api-key", key);
  let response: Response;
  try {
    response = await fetch(request);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "Firn does not answer. It may have stopped, or the network between is down.");
  }
  // 403: the key was revoked, or may not do this
  if (response.status === 401 || (response.status === 403 && key !== undefined)) wantApiKey();
  heardFrom(response.headers);
  return response;
}

async function askExactly(request: Request): Promise<Response> {
  const response = await ask(request);
  const { status, headers } = response;
  return new Response(withExactIntegers(await response.text()), { status, headers });
}

interface Answered<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** The answer of the Data API. Throws an `ApiError` with its sentence. */
export async function answerOf<T>(asking: Promise<Answered<T>>): Promise<T> {
  const { data: answer, error, response } = await asking;
  if (answer !== undefined) return answer;
  const message = (error as { message?: string | string[] } | undefined)?.message;
  throw new ApiError(response.status, [message ?? `Firn answered with status ${response.status}.`].flat().join(" "));
}

let lastId = 0;

/**
 * Calls a JSON-RPC method and returns its result; an integer that no number can hold is a text. Throws an `ApiError` with the node's sentence.
 * @param path below `/ext`, such as `bc/P`
 */
export async function rpc<T>(path: string, method: string, params: object = {}): Promise<T> {
  return (JSON.parse(withExactIntegers(await rpcText(path, method, params))) as { result: T }).result;
}

/** The whole answer of a JSON-RPC method as the server wrote it. Throws an `ApiError` unless it has a result. */
export async function rpcText(path: string, method: string, params: object = {}): Promise<string> {
  lastId++;
  const body = JSON.stringify({ jsonrpc: "2.0", id: lastId, method, params });
  const response = await ask(
    new Request(`${API_BASE}ext/${path}`, { method: "POST", headers: { "content-type": "application/json" }, body }),
  );
  const text = await response.text();
  let answer: { result?: unknown; error?: { message: string } } = {};
  try {
    answer = JSON.parse(text);
  } catch {
    throw new ApiError(response.status, text.trim() || `Firn answered with status ${response.status}.`);
  }
  if (answer.error !== undefined) throw new ApiError(response.ok ? 400 : response.status, answer.error.message);
  if (answer.result === undefined) throw new ApiError(response.status, `${method} had no result.`);
  return text;
}

/** The text of a path that is not JSON-RPC, such as `metrics`. */
export async function readText(path: string): Promise<string> {
  const response = await ask(new Request(`${API_BASE}ext/${path}`));
  const text = await response.text();
  if (!response.ok && response.status !== 503) throw new ApiError(response.status, text.trim());
  return text;
}
