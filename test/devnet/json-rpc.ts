/** One JSON-RPC request over HTTP. */
export interface Request {
  readonly path: string;
  readonly method: string;
  readonly params: unknown;
}

export interface Reply {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

export async function call(url: string, { path, method, params }: Request): Promise<Reply> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url + path, { method: "POST", headers: { "content-type": "application/json" }, body });
  return (await response.json()) as Reply;
}

/** The result; an error is thrown. */
export async function ask<T>(url: string, request: Request): Promise<T> {
  const { result, error } = await call(url, request);
  if (error !== undefined) throw new Error(`${request.method}: ${error.message}`);
  return result as T;
}
