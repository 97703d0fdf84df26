/** An EVM chain for routes: what the process knows about it besides the rows of the store. The server makes one per chain and process. */

import type { EvmChainSettings } from "../../../evm/chain-settings.ts";
import type { EvmLabels } from "../../../evm/labels/labels.ts";
import type { Address } from "../../../sources/evm/parser/block.ts";
import type { UpstreamRpc } from "../../../sources/upstream/upstream-rpc.ts";
import type { CommittedState } from "../../state/committed-states.ts";

export interface EvmChain {
  /** the chain's number in keys of tables */
  readonly chain: number;
  readonly evmChainId: bigint;
  readonly settings: Omit<EvmChainSettings, "rpc">;
  /**
   * for data that is not indexed: native balances, balances of tokens whose transfers do not determine them. Undefined: no RPC is
   * configured, so such routes answer 503.
   */
  readonly rpc: UpstreamRpc | undefined;
  /** the Multicall3 contract, if the chain has one */
  readonly multicall: Address | undefined;
  readonly labels: EvmLabels;
  /**
   * Requests that the metadata of an NFT be read again. Undefined if this process does not index. Resolves to false within an hour of the
   * last request.
   */
  readonly reindexNft: ((token: Address, tokenId: bigint) => Promise<boolean>) | undefined;
}

/** All EVM chains that a process serves. */
export interface EvmChainDirectory {
  /** The chains of the state in order of their numbers, also those without a block yet. Returns the same array while they are the same. */
  of(state: CommittedState): Promise<readonly EvmChain[]>;
}
