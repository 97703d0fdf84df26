/** What the operator says of an EVM chain, completed by what the chain says itself. One entry of `chains` in the configuration file. */
import type { Id } from "../primitives/id.ts";

export interface EvmChainSettings {
  /** HTTP or WebSocket URLs of nodes, best first */
  readonly rpc: readonly string[];
  readonly name: string;
  readonly description: string;
  /** known to the Data API under this ID too; undefined: no blockchain of a P-chain */
  readonly blockchainId: Id | undefined;
  readonly subnetId: Id | undefined;
  readonly vmId: Id | undefined;
  readonly isTestnet: boolean;
  readonly nativeToken: NativeToken;
  /** shown to clients in place of `rpc`, which may hold a secret; by default the first HTTP URL without credentials and query */
  readonly publicRpcUrl: string;
  readonly publicWsUrl: string | undefined;
  readonly explorerUrl: string | undefined;
  readonly logoUri: string | undefined;
  readonly isPrivate: boolean;
  /** first height to index */
  readonly startBlock: bigint;
  /** blocks that a reorganisation may replace; 0: blocks are final */
  readonly maxReorgDepth: number;
  /** undefined: whatever is found at the usual address */
  readonly multicall: string | undefined;
  /** false: call traces are not asked for */
  readonly traces: boolean;
  readonly files: {
    /** JSON of a token list (tokenlists.org): names, symbols, logos */
    readonly tokenList: string | undefined;
    readonly prices: string | undefined;
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
  /** fetch what token URIs point to on the network; data: URIs are read in any case */
  readonly fetches: boolean;
  /** `https://gateway.example/ipfs/`, in front of a CID; undefined: ipfs:// is not fetched */
  readonly ipfsGateway: string | undefined;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}
