/**
 * Connections of a process that serves EVM chains and does not follow them. Which URL is of which chain only the nodes know: they are asked at
 * the start, again and again until they answer. Until then the chain is served from the store alone.
 */
import type { Logger } from "pino";
import type { OpenEvmRpc } from "../evm/rpc/evm-rpc.ts";
import { openEvmRpc } from "../evm/rpc/open-evm-rpc.ts";
import { evmChainIdOf } from "../ingest/evm/chain-facts.ts";
import { pause } from "../ingest/evm/pause.ts";
import type { LiveEvmChain, LiveEvmChains } from "./evm-chains.ts";

const RETRY_MS = 5000;

export class EvmConnections implements LiveEvmChains {
  readonly #rpcs: readonly OpenEvmRpc[];
  readonly #known = new Map<bigint, LiveEvmChain>();
  readonly #log: Logger;
  readonly #stopping = new AbortController();

  /** @param chains URLs of each chain's nodes */
  constructor(chains: readonly (readonly string[])[], log: Logger) {
    this.#log = log;
    this.#rpcs = chains.map((urls) => openEvmRpc({ urls, log }));
    for (const rpc of this.#rpcs) void this.#identify(rpc);
  }

  find(evmChainId: bigint): LiveEvmChain | undefined {
    return this.#known.get(evmChainId);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#rpcs.map((rpc) => rpc.close()));
  }

  async #identify(rpc: OpenEvmRpc): Promise<void> {
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
