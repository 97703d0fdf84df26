/** An EVM chain as routes see it: what is known of it besides the rows of the store. One per chain and process, made by the server. */
import type { Address } from "../../evm/block.ts";
import type { EvmChainSettings } from "../../evm/chain-settings.ts";
import type { EvmLabels } from "../../evm/labels/labels.ts";
import type { EvmRpc } from "../../evm/rpc/evm-rpc.ts";
import type { CommittedState } from "../../server/committed-states.ts";

export interface EvmChain {
  /** in keys of tables */
  readonly chain: number;
  readonly evmChainId: bigint;
  readonly settings: Omit<EvmChainSettings, "rpc">;
  /** for what is not indexed: native balances, tokens that lie. Undefined: no RPC is known here, such routes answer 503 */
  readonly rpc: EvmRpc | undefined;
  /** contract that answers many calls in one, if the chain has one */
  readonly multicall: Address | undefined;
  readonly labels: EvmLabels;
  /** Has the metadata of an NFT read again; undefined where nothing here indexes. Resolves to false within an hour of the last time. */
  readonly reindexNft: ((token: Address, tokenId: bigint) => Promise<boolean>) | undefined;
}

/** All EVM chains that a process serves. */
export interface EvmChainDirectory {
  /** Those that the state holds, also ones without a block yet, in order of their numbers: the same list as long as they are the same. */
  of(state: CommittedState): Promise<readonly EvmChain[]>;
}
