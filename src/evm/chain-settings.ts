/** The settings of an EVM chain: an entry of `chains` in the configuration file, completed by what the chain says about itself. */
import type { Id } from "../base/bytes/id.ts";

export interface EvmChainSettings {
  /** HTTP or WebSocket URLs of nodes, best first */
  readonly rpc: readonly string[];
  readonly name: string;
  readonly description: string;
  /** the Data API accepts this ID too; undefined: the chain is not on a P-chain */
  readonly blockchainId: Id | undefined;
  readonly subnetId: Id | undefined;
  readonly vmId: Id | undefined;
  readonly isTestnet: boolean;
  readonly nativeToken: NativeToken;
  /** The URL that clients see instead of `rpc`, which may hold a secret. By default the first HTTP URL without credentials and query. */
  readonly publicRpcUrl: string;
  readonly publicWsUrl: string | undefined;
  readonly explorerUrl: string | undefined;
  readonly logoUri: string | undefined;
  readonly isPrivate: boolean;
  /** first height to index */
  readonly startBlock: bigint;
  /** number of newest blocks that a reorganisation may replace; 0: blocks are final */
  readonly maxReorgDepth: number;
  /** undefined: the contract at the usual address, if there is one */
  readonly multicall: string | undefined;
  /** false: call traces are not requested */
  readonly traces: boolean;
  /** false: metrics are not kept */
  readonly metrics: boolean;
  /** contracts whose interchain messages are indexed, as hex without `0x`; undefined: all with a messenger's events, as on a devnet */
  readonly messengers: readonly string[] | undefined;
  readonly files: {
    /** JSON of a token list (tokenlists.org): names, symbols, logos */
    readonly tokenList: string | undefined;
    readonly prices: string | undefined;
    /** JSON of names by address: accounts and contracts that the operator knows */
    readonly names: string | undefined;
    /** ABI files for method names */
    readonly abis: readonly string[];
  };
  readonly nfts: NftFetchSettings;
}

export interface NativeToken {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly logoUri: string | undefined;
  readonly description: string | undefined;
}

export interface NftFetchSettings {
  /** whether to fetch token URIs from the network; data: URIs are always read */
  readonly fetches: boolean;
  /** prefix for CIDs such as `https://gateway.example/ipfs/`; undefined: ipfs:// URIs are not fetched */
  readonly ipfsGateway: string | undefined;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}
