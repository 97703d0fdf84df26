import { pino } from "pino";
import { afterEach } from "vitest";
import { evmChainIdentity } from "../../../src/evm/chain-identity.ts";
import { openUpstreamRpc, type UpstreamRpcSettings } from "../../../src/sources/upstream/open-upstream-rpc.ts";
import type { RpcCall, Upstreams } from "../../../src/sources/upstream/upstream-rpc.ts";
import { type Script, type ScriptedNode, startScriptedNode } from "./scripted-node.ts";

const log = pino({ level: "silent" });

/** Scripted nodes, and what is opened over them: closed after each test of the file that calls this. @param common settings of all */
export function scriptedUpstreams(common: Partial<UpstreamRpcSettings> = {}) {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  return {
    closing,
    async node(script: Script): Promise<ScriptedNode> {
      const started = await startScriptedNode(script);
      closing.push(() => started.close());
      return started;
    },
    open(nodes: readonly { readonly url: string }[], settings: Partial<UpstreamRpcSettings> = {}): Upstreams {
      const rpc = openUpstreamRpc({ urls: nodes.map(({ url }) => url), identity: evmChainIdentity, log, ...common, ...settings });
      closing.unshift(() => rpc.close());
      return rpc;
    },
  };
}

export function calls(count: number): RpcCall[] {
  return Array.from({ length: count }, (_, i) => ({ method: "echo", params: [i] }));
}
