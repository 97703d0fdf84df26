/** Asks a running devnet for what only a devnet does: the methods of `/ext/firn`. */
import { FirnError } from "../primitives/errors.ts";
import type { Config, ConfigName } from "./config.ts";

/** Keys of every command that asks a devnet. */
export const CLIENT_KEYS = ["url", "json"] as const satisfies readonly ConfigName[];

interface Reply {
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** The result of `firn.<method>`. Its shape is the method's: see src/rpc/firn. */
export async function askDevnet<T>(url: string, method: string, params: object, signal: AbortSignal): Promise<T> {
  const reply = await post(`${url}/ext/firn`, { jsonrpc: "2.0", id: 1, method: `firn.${method}`, params }, { url, signal });
  if (reply.error !== undefined) throw new FirnError("devnet-refused", reply.error.message);
  return reply.result as T;
}

async function post(endpoint: string, body: object, { url, signal }: { url: string; signal: AbortSignal }): Promise<Reply> {
  let response: Response;
  try {
    const headers = { "content-type": "application/json" };
    response = await fetch(endpoint, { method: "POST", headers, body: JSON.stringify(body), signal });
  } catch (error) {
    if (signal.aborted) throw new FirnError("interrupted", "stopped waiting; what was asked for may still happen");
    const reason = (error as Error).cause instanceof Error ? ((error as Error).cause as Error).message : (error as Error).message;
    throw new FirnError(
      "devnet-unreachable",
      `${url} does not answer (${reason}); start a network with: firn devnet, or say where it is with --url`,
    );
  }
  const text = await response.text();
  if (response.status === 404) throw notDevnet(url, "it has no /ext/firn");
  try {
    return JSON.parse(text) as Reply;
  } catch {
    throw notDevnet(url, `it answers ${response.status} ${text.slice(0, 80).trim()}`);
  }
}

function notDevnet(url: string, reason: string): FirnError {
  return new FirnError("devnet-unreachable", `what answers at ${url} is no devnet (${reason}); give the --url of one`);
}

/** For machines as it was answered, for people as `text` says it. */
export function tell<T>({ json }: Pick<Config, "json">, result: T, text: (result: T) => string): void {
  console.log(json ? JSON.stringify(result) : text(result));
}

export interface Heights {
  readonly heights: Readonly<Record<string, string>>;
}

/** "P 225, X 233, C 25" */
export function heightsText({ heights }: Heights): string {
  return Object.entries(heights)
    .map(([chain, height]) => `${chain} ${height}`)
    .join(", ");
}
