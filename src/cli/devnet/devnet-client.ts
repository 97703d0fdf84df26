/** Calls the methods of `/ext/firn` on a running devnet. */
import { FirnError } from "../../base/errors/errors.ts";
import type { Config, ConfigName } from "../config.ts";
import { print } from "../print.ts";

/** Configuration keys of all commands that call a devnet. */
export const CLIENT_KEYS = ["url", "apiKey", "json"] as const satisfies readonly ConfigName[];

/** The devnet's URL, and the API key that it may require. */
type DevnetAddress = Pick<Config, "url" | "apiKey">;

/** Statuses for a missing key, or one without the privilege. */
const REFUSED: ReadonlySet<number> = new Set([401, 403]);

interface Reply {
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** The result of `firn.<method>`. src/api/rpc/firn defines its shape. */
export async function askDevnet<T>(devnet: DevnetAddress, method: string, params: object, signal: AbortSignal): Promise<T> {
  const reply = await post(devnet, { jsonrpc: "2.0", id: 1, method: `firn.${method}`, params }, signal);
  if (reply.error !== undefined) throw new FirnError("devnet-refused", reply.error.message);
  return reply.result as T;
}

async function post({ url, apiKey }: DevnetAddress, body: object, signal: AbortSignal): Promise<Reply> {
  let response: Response;
  try {
    const headers = { "content-type": "application/json", ...(apiKey !== undefined && { "x-data-api-key": apiKey }) };
    response = await fetch(`${url}/ext/firn`, { method: "POST", headers, body: JSON.stringify(body), signal });
  } catch (error) {
    if (signal.aborted) throw new FirnError("interrupted", "stopped waiting; the devnet may still complete the command");
    const reason = (error as Error).cause instanceof Error ? ((error as Error).cause as Error).message : (error as Error).message;
    throw new FirnError(
      "devnet-unreachable",
      `${url} does not answer (${reason}); start a network with: firn devnet, or name its URL with --url`,
    );
  }
  const text = await response.text();
  if (REFUSED.has(response.status))
    throw new FirnError("devnet-refused", `${text.trim()} (use --api-key with a key that has the privilege write)`);
  if (response.status === 404) throw notDevnet(url, "it has no /ext/firn");
  try {
    return JSON.parse(text) as Reply;
  } catch {
    throw notDevnet(url, `it answers ${response.status} ${text.slice(0, 80).trim()}`);
  }
}

function notDevnet(url: string, reason: string): FirnError {
  return new FirnError("devnet-unreachable", `${url} is not a devnet (${reason}); name the URL of one with --url`);
}

/** Prints the result as JSON for programs, or as `text` formats it for people. */
export function tell<T>({ json }: Pick<Config, "json">, result: T, text: (result: T) => string): void {
  print(json ? JSON.stringify(result) : text(result));
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
