/** A node that answers as a test says, message by message. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ScriptedCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface ScriptedNode {
  readonly url: string;
  /** the calls of each message so far */
  readonly messages: readonly (readonly ScriptedCall[])[];
  /** messages under way at once, at most so far */
  readonly mostAtOnce: number;
  close(): Promise<void>;
}

/** What becomes of a message: what `answer` returns is sent as JSON; it may write the response itself and return undefined. */
export type Script = (calls: readonly ScriptedCall[], response: ServerResponse, isBatch: boolean) => unknown | Promise<unknown>;

export async function startScriptedNode(answer: Script): Promise<ScriptedNode> {
  const messages: ScriptedCall[][] = [];
  let underWay = 0;
  let mostAtOnce = 0;
  const server = createServer(async (request, response) => {
    mostAtOnce = Math.max(mostAtOnce, ++underWay);
    response.on("close", () => underWay--);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = JSON.parse(Buffer.concat(chunks).toString("utf8")) as ScriptedCall | ScriptedCall[];
    const calls = [message].flat();
    messages.push(calls);
    const body = await answer(calls, response, Array.isArray(message));
    if (body !== undefined) response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    get mostAtOnce() {
      return mostAtOnce;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Every call answered with its own parameters. */
export function echo(calls: readonly ScriptedCall[], isBatch: boolean): unknown {
  const replies = calls.map(({ id, method, params }) => ({ jsonrpc: "2.0", id, result: method === "eth_chainId" ? "0x1" : params }));
  return isBatch ? replies : replies[0];
}

export function refuseAll(
  calls: readonly ScriptedCall[],
  isBatch: boolean,
  error: { code: number; message: string; data?: unknown },
): unknown {
  const replies = calls.map(({ id, method }) => ({ jsonrpc: "2.0", id, ...(method === "eth_chainId" ? { result: "0x1" } : { error }) }));
  return isBatch ? replies : replies[0];
}
