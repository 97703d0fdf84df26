/**
 * What only contracts can tell of an EVM chain's tokens: their class (asked by ingest before a block is indexed), and behind ingest's back
 * their metadata, that of NFTs, and whether balances as logs have them are the contract's own. It writes the tables of
 * `index/evm/token-tables.ts` in small commits of its own; it never writes what ingest writes.
 */
import type { Logger } from "pino";
import type { Store } from "../../store/store.ts";
import type { Address } from "../block.ts";
import type { EvmChainSettings } from "../chain-settings.ts";
import type { EvmRpc } from "../rpc/evm-rpc.ts";
import type { TokenClassifier } from "./classifier.ts";

export interface TokenServiceOptions {
  readonly store: Store;
  /** in keys of tables */
  readonly chain: number;
  readonly rpc: EvmRpc;
  readonly settings: Pick<EvmChainSettings, "multicall" | "nfts">;
  readonly log: Logger;
}

export interface TokenService {
  readonly classifier: TokenClassifier;
  /** contract that answers many calls in one, if the chain has one */
  readonly multicall: Address | undefined;
  /** Blocks were committed: what they brought is asked soon. */
  committed(): void;
  /** Has an NFT's metadata read again. Resolves to false within an hour of the last time. */
  reindexNft(token: Address, tokenId: bigint): Promise<boolean>;
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

/** Finds out what the chain can do (multicall) and begins with what is due. */
export async function openTokenService(_options: TokenServiceOptions): Promise<TokenService> {
  return {
    classifier: { classify: async () => new Map() },
    multicall: undefined,
    committed: () => {},
    reindexNft: async () => false,
    stop: async () => {},
  };
}
