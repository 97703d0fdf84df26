/**
 * The EVM chains that a process serves: what the store holds about them, joined with what only this process has – connections to their
 * nodes, and the token service if it runs here.
 */
import type { Logger } from "pino";
import type { EvmChain, EvmChainDirectory } from "../../api/data/evm/evm-chain.ts";
import { type CommittedState, type HeightHeaders, MAX_EVM_CHAINS } from "../../api/state/committed-states.ts";
import { evmChainSettings, evmChains } from "../../evm/index/tables.ts";
import type { EvmLabels } from "../../evm/labels/labels.ts";
import { openLabels } from "../../evm/labels/open-labels.ts";
import { parseSettings } from "../../evm/settings-json.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import type { UpstreamRpc } from "../../sources/upstream/upstream-rpc.ts";
import type { StoreReader } from "../../store/store.ts";

/** What this process currently has for a chain. */
export interface LiveEvmChain {
  readonly rpc: UpstreamRpc;
  /** undefined if this process does not call contracts */
  readonly reindexNft?: ((token: Address, tokenId: bigint) => Promise<boolean>) | undefined;
}

export interface LiveEvmChains {
  /** undefined if this process has nothing for the chain, or does not have it yet */
  find(evmChainId: bigint): LiveEvmChain | undefined;
}

export const NO_LIVE_CHAINS: LiveEvmChains = { find: () => undefined };

export class EvmChainsOfStore implements EvmChainDirectory {
  readonly #live: LiveEvmChains;
  readonly #log: Logger;
  /** by number; replaced when the chain's settings change */
  #known = new Map<number, { readonly settings: string; readonly chain: EvmChain }>();
  #list: readonly EvmChain[] = [];
  /** heights of the state that the list was read from */
  #heights: HeightHeaders | undefined;

  constructor(live: LiveEvmChains, log: Logger) {
    this.#live = live;
    this.#log = log;
  }

  async of({ reader, heights }: CommittedState): Promise<readonly EvmChain[]> {
    if (this.#heights === heights) return this.#list;
    const list = await this.#read(reader);
    const isSame = list.length === this.#list.length && list.every((chain, index) => chain === this.#list[index]);
    if (!isSame) this.#list = list;
    this.#heights = heights;
    return this.#list;
  }

  async #read(reader: StoreReader): Promise<readonly EvmChain[]> {
    const rows = await reader.scan(evmChains, { limit: MAX_EVM_CHAINS });
    const settings = await reader.getMany(
      evmChainSettings,
      rows.map(({ key: { chain } }) => ({ chain })),
    );
    const chains = rows.flatMap(({ key: { chain }, value: { evmChainId } }, index) => {
      const text = settings[index]?.settings;
      return text === undefined ? [] : [this.#chainOf(chain, evmChainId, text)];
    });
    return Promise.all(chains);
  }

  async #chainOf(chain: number, evmChainId: bigint, text: string): Promise<EvmChain> {
    const known = this.#known.get(chain);
    if (known?.settings === text) return known.chain;
    const settings = parseSettings(text);
    const labels = await this.#labels(settings.files, evmChainId);
    const made = new ServedEvmChain({ chain, evmChainId, settings, labels }, this.#live);
    this.#known.set(chain, { settings: text, chain: made });
    return made;
  }

  /** The process that follows the chain has refused invalid files, so here they can only be missing. */
  async #labels(files: EvmChain["settings"]["files"], evmChainId: bigint): Promise<EvmLabels> {
    try {
      return await openLabels(files, evmChainId);
    } catch (error) {
      this.#log.error(
        { err: error, chain: evmChainId.toString() },
        "Could not read a chain's files of tokens, prices, names or ABIs; serving without them",
      );
      return openLabels({ tokenList: undefined, prices: undefined, names: undefined, abis: [] }, evmChainId);
    }
  }
}

class ServedEvmChain implements EvmChain {
  readonly chain: number;
  readonly evmChainId: bigint;
  readonly settings: EvmChain["settings"];
  readonly labels: EvmLabels;
  readonly #live: LiveEvmChains;

  constructor(known: Pick<EvmChain, "chain" | "evmChainId" | "settings" | "labels">, live: LiveEvmChains) {
    this.chain = known.chain;
    this.evmChainId = known.evmChainId;
    this.settings = known.settings;
    this.labels = known.labels;
    this.#live = live;
  }

  get rpc(): UpstreamRpc | undefined {
    return this.#live.find(this.evmChainId)?.rpc;
  }

  /** A multicall contract that was found is kept with the settings. */
  get multicall(): Address | undefined {
    return this.settings.multicall;
  }

  get reindexNft(): EvmChain["reindexNft"] {
    return this.#live.find(this.evmChainId)?.reindexNft;
  }
}
