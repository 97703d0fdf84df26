/** What a handler of the Data API may use besides its request. */
import type { PrimaryChain } from "../index/primary/primary-chain.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { HealthReports } from "../rpc/health/report.ts";
import type { Uptimes } from "../rpc/info/node-facts.ts";
import type { StoreReader } from "../store/store.ts";
import type { EvmChain } from "./evm/evm-chain.ts";

/** Columns behind the prefix of the last row of a page, by name: where the next page goes on. */
export type Position = Readonly<Record<string, string | number | bigint>>;

/** What the operator configured for answers. */
export interface DataSettings {
  /** `dataPageUtxos`: a page of transactions ends with the one that reaches this number of consumed and emitted UTXOs */
  readonly pageUtxos: number;
  /** `dataRealTypeNames`: types of transactions that the official SDKs do not know are not called UNKNOWN */
  readonly hasRealTypeNames: boolean;
}

export const defaultDataSettings: DataSettings = { pageUtxos: 2000, hasRealTypeNames: false };

export interface DataContext {
  readonly settings: DataSettings;
  /** one committed state for the whole request */
  readonly reader: StoreReader;
  readonly network: NetworkInstance;
  /** what `chainInfo.network` says: "mainnet" or, for Fuji and every other network, "fuji" */
  readonly label: "mainnet" | "fuji";
  /** of `{blockchainId}` in the path; only for routes that name `chains` */
  readonly chain: PrimaryChain;
  /** of `{chainId}` in the path; only for routes with `evm: "chain"` */
  readonly evmChain: EvmChain;
  /** that this server knows, in order of their EVM chain IDs; only for routes with `evm: "all"` */
  readonly evmChains: readonly EvmChain[];
  /** whether the chain is indexed, and not further behind its source than the operator allows */
  isAvailable(chain: EvmChain): boolean;
  /** Unix seconds: now, or what the operator fixed */
  readonly clock: bigint;
  /** see CommittedState */
  readonly generation: number | undefined;
  /** P-chain height of the state */
  readonly platformHeight: bigint;
  readonly health: HealthReports;
  /** undefined: nothing here measures them */
  readonly uptimes: Uptimes | undefined;
  /** where the page starts, from the request's token; undefined on the first page */
  readonly after: Position | undefined;
  /** `{ nextPageToken }` for the page behind `position`; `{}` if there is none: spread it into the answer */
  nextPage(position: Position | undefined): { nextPageToken?: string };
  /** A value kept until the committed heights move. */
  cached<T>(name: string, make: () => Promise<T>): Promise<T>;
}
