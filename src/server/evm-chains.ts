/**
 * The EVM chains that a process serves: what the store holds of them, joined with what this process knows besides – connections to their
 * nodes, and the token service where one runs here.
 */
import type { Logger } from "pino";
import type { EvmChain, EvmChainDirectory } from "../data/evm/evm-chain.ts";
import type { Address } from "../evm/block.ts";
import type { EvmLabels } from "../evm/labels/labels.ts";
import { openLabels } from "../evm/labels/open-labels.ts";
import type { EvmRpc } from "../evm/rpc/evm-rpc.ts";
import { parseSettings } from "../evm/settings-json.ts";
import { evmChainSettings, evmChains } from "../index/evm/tables.ts";
import type { StoreReader } from "../store/store.ts";
import { type CommittedState, type HeightHeaders, MAX_EVM_CHAINS } from "./committed-states.ts";

/** What is known of a chain in this process, at the moment. */
export interface LiveEvmChain {
  readonly rpc: EvmRpc;
  /** undefined: nothing here asks contracts */
  readonly reindexNft?: ((token: Address, tokenId: bigint) => Promise<boolean>) | undefined;
}

export interface LiveEvmChains {
  /** undefined: nothing is known of it here, perhaps not yet */
  find(evmChainId: bigint): LiveEvmChain | undefined;
}

export const NO_LIVE_CHAINS: LiveEvmChains = { find: () => undefined };

export class EvmChainsOfStore implements EvmChainDirectory {
  readonly #live: LiveEvmChains;
  readonly #log: Logger;
  /** by number; made anew when its settings change */
  #known = new Map<number, { readonly settings: string; readonly chain: EvmChain }>();
  #list: readonly EvmChain[] = [];
  /** of the state that the list was read from */
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

  /** Whoever follows the chain has refused files that are wrong; here they may only be gone. */
  async #labels(files: EvmChain["settings"]["files"], evmChainId: bigint): Promise<EvmLabels> {
    try {
      return await openLabels(files, evmChainId);
    } catch (error) {
      this.#log.error(
        { err: error, chain: evmChainId.toString() },
        "Could not read a chain's files of tokens, prices or ABIs; serving without them",
      );
      return openLabels({ tokenList: undefined, prices: undefined, abis: [] }, evmChainId);
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

  get rpc(): EvmRpc | undefined {
    return this.#live.find(this.evmChainId)?.rpc;
  }

  /** What was found is kept with the settings. */
  get multicall(): Address | undefined {
    return this.settings.multicall;
  }

  get reindexNft(): EvmChain["reindexNft"] {
    return this.#live.find(this.evmChainId)?.reindexNft;
  }
}
