/**
 * Node connections of a process that serves EVM chains but does not follow them. Only a node knows which chain a URL belongs to, so each is
 * asked at the start until it answers. Until then the chain is served from the store alone.
 */
import type { Logger } from "pino";
import { pause } from "../../base/work/pause.ts";
import { evmChainIdentity } from "../../evm/chain-identity.ts";
import { evmChainIdOf } from "../../evm/ingest/chain-facts.ts";
import { openUpstreamRpc, type UpstreamLimits } from "../../sources/upstream/open-upstream-rpc.ts";
import type { OpenUpstreamRpc } from "../../sources/upstream/upstream-rpc.ts";
import type { LiveEvmChain, LiveEvmChains } from "./evm-chains.ts";

interface EvmConnectionsOptions {
  /** URLs of each chain's nodes */
  readonly evmRpcs: readonly (readonly string[])[];
  readonly limits: UpstreamLimits;
  readonly log: Logger;
}

const RETRY_MS = 5000;

export class EvmConnections implements LiveEvmChains {
  readonly #rpcs: readonly OpenUpstreamRpc[];
  readonly #known = new Map<bigint, LiveEvmChain>();
  readonly #log: Logger;
  readonly #stopping = new AbortController();

  constructor({ evmRpcs, limits, log }: EvmConnectionsOptions) {
    this.#log = log;
    this.#rpcs = evmRpcs.map((urls) => openUpstreamRpc({ urls, identity: evmChainIdentity, limits, log }));
    for (const rpc of this.#rpcs) void this.#identify(rpc);
  }

  find(evmChainId: bigint): LiveEvmChain | undefined {
    return this.#known.get(evmChainId);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#rpcs.map((rpc) => rpc.close()));
  }

  async #identify(rpc: OpenUpstreamRpc): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        this.#known.set(await evmChainIdOf(rpc, signal), { rpc });
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#log.warn({ err: error }, "Could not ask a node which chain it is of; trying again");
        await pause(RETRY_MS, signal);
      }
    }
  }
}
