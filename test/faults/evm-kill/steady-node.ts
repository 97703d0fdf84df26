/**
 * A replayed node whose chain can be changed, while its contracts answer at every height as at the end of the recording: only a few states
 * were recorded, and a contract's class must not depend on when it is read.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type ReplayOptions, type ReplayRpc, startReplayRpc } from "../../evm/replay-rpc/replay-rpc.ts";

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** where the parameter is that names the block */
const STATE_METHODS: ReadonlyMap<string, number> = new Map([
  ["eth_call", 1],
  ["eth_getBalance", 1],
  ["eth_getCode", 1],
]);

export interface SteadyNode {
  readonly url: string;
  readonly chain: ReplayRpc;
  close(): Promise<void>;
}

export async function startSteadyNode(options: ReplayOptions): Promise<SteadyNode> {
  const chain = await startReplayRpc(options);
  const states = await startReplayRpc({ recording: options.recording });
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    try {
      const sent: Call | Call[] = JSON.parse(body);
      const calls = Array.isArray(sent) ? sent : [sent];
      const ofStates = calls.filter(({ method }) => STATE_METHODS.has(method)).map(atTheEnd);
      const others = calls.filter(({ method }) => !STATE_METHODS.has(method));
      const answers = (await Promise.all([ask(states.url, ofStates), ask(chain.url, others)])).flat();
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(Array.isArray(sent) ? answers : answers[0]));
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    chain,
    async close() {
      server.close();
      server.closeAllConnections();
      await Promise.all([chain.close(), states.close()]);
    },
  };
}

function atTheEnd(call: Call): Call {
  const params = [...call.params];
  params[STATE_METHODS.get(call.method)!] = "latest";
  return { ...call, params };
}

async function ask(url: string, calls: readonly Call[]): Promise<readonly unknown[]> {
  if (calls.length === 0) return [];
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(calls) });
  return (await response.json()) as unknown[];
}
