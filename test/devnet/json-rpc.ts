/** One JSON-RPC request over HTTP. */
export interface Reply {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

export async function call(url: string, { path, method, params }: { path: string; method: string; params: unknown }): Promise<Reply> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url + path, { method: "POST", headers: { "content-type": "application/json" }, body });
  return (await response.json()) as Reply;
}
