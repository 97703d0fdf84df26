/** A replayed node whose answers a test changes: the test gets each message with the right replies before they are sent. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { NodeError } from "./node-error.ts";
import { type Methods, methodsOf } from "./node-methods.ts";
import { RecordedState } from "./recorded-state.ts";
import { type Recording, readRecording } from "./recording.ts";
import { ServedChain } from "./served-chain.ts";

export interface SpoiledCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface Reply {
  jsonrpc: "2.0";
  id: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}

export interface Exchange {
  readonly calls: readonly SpoiledCall[];
  /** the right ones, in the order of the calls; not shared with other messages but for what is in the results */
  readonly replies: Reply[];
  readonly isBatch: boolean;
  readonly response: ServerResponse;
}

/** True: the response was written, or never will be. Else the replies are sent as they are then. */
export type Spoil = (exchange: Exchange) => boolean | Promise<boolean>;

export interface SpoiledNode {
  readonly url: string;
  readonly recording: Recording;
  /** calls so far, by method */
  readonly counts: ReadonlyMap<string, number>;
  setSpoil(spoil: Spoil): void;
  close(): Promise<void>;
}

export async function startSpoiledNode(
  folder: string,
  { head, features = {} }: { head?: number; features?: Parameters<typeof methodsOf>[3] } = {},
): Promise<SpoiledNode> {
  const recording = readRecording(folder);
  const chain = new ServedChain(recording.blocks, head ?? recording.blocks.length - 1);
  const methods: Methods = methodsOf(chain, new RecordedState(recording), recording, features);
  const counts = new Map<string, number>();
  let spoil: Spoil = () => false;
  const reply = async ({ id, method, params }: SpoiledCall): Promise<Reply> => {
    counts.set(method, (counts.get(method) ?? 0) + 1);
    try {
      if (methods[method] === undefined) throw new NodeError(-32601, `the method ${method} does not exist/is not available`);
      return { jsonrpc: "2.0", id, result: (await methods[method](params)) ?? null };
    } catch (error) {
      const { code, message } = error instanceof NodeError ? error : new NodeError(-32603, String(error));
      return { jsonrpc: "2.0", id, error: { code, message } };
    }
  };
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = JSON.parse(Buffer.concat(chunks).toString("utf8")) as SpoiledCall | SpoiledCall[];
    const calls = [message].flat();
    const exchange = { calls, replies: await Promise.all(calls.map(reply)), isBatch: Array.isArray(message), response };
    response.on("error", () => {});
    if (await spoil(exchange)) return;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(exchange.isBatch ? exchange.replies : exchange.replies[0]));
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    recording,
    counts,
    setSpoil(changed) {
      spoil = changed;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
