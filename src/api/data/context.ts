/** What a handler of the Data API may use besides its request. */

import type { RequestWork } from "../../base/work/work.ts";
import type { BuildFolder } from "../../evm/builds/build-folder.ts";
import type { Pictures } from "../../evm/nft/pictures.ts";
import type { PrimaryChain } from "../../index/primary/primary-chain.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { StoreReader } from "../../store/store.ts";
import type { Caller } from "../access/access.ts";
import type { HealthReports } from "../state/health-report.ts";
import type { KeptAnswers } from "../state/kept-answers.ts";
import type { Uptimes } from "../state/node-facts.ts";
import type { EvmChain } from "./evm/evm-chain.ts";
import type { WarpSigner } from "./signatures/warp-signer.ts";
import type { WebhookAccess } from "./webhooks/webhook-desk.ts";

/** The end of a page, where the next one continues: columns of the last row's key, by name, without the scan's prefix. */
export type Position = Readonly<Record<string, string | number | bigint>>;

/** Settings of the operator that change answers. */
export interface DataSettings {
  /** `dataPageUtxos`: a page of transactions ends once they have consumed and emitted this many UTXOs */
  readonly pageUtxos: number;
  /** `dataRealTypeNames`: show the real names of transaction types that the official SDKs do not know, instead of UNKNOWN */
  readonly hasRealTypeNames: boolean;
  /** build files that anybody sends and that are kept: with `acceptBuilds` those whose sources the code proves, on a devnet all */
  readonly acceptedBuilds: "none" | "proven" | "all";
  /** URL of the aggregator that is asked for signatures under warp messages; undefined: none is */
  readonly signatureAggregator: string | undefined;
  /** where webhooks may post messages to: nowhere, only to public addresses, or also to private ones */
  readonly webhookTargets: (typeof WEBHOOK_TARGETS)[number];
}

export const WEBHOOK_TARGETS = ["none", "public", "all"] as const;

export const defaultDataSettings: DataSettings = {
  pageUtxos: 2000,
  hasRealTypeNames: false,
  acceptedBuilds: "none",
  signatureAggregator: undefined,
  webhookTargets: "public",
};

/** The context of every route. The chains that a route declares add to it. */
export interface DataContext {
  readonly settings: DataSettings;
  /** reads one committed state for the whole request, counts rows, and yields between reads */
  readonly reader: StoreReader;
  /** for loops without reads that may take longer than a millisecond */
  readonly work: RequestWork;
  readonly network: NetworkInstance;
  /** `chainInfo.network`: "mainnet", or "fuji" on every other network */
  readonly label: "mainnet" | "fuji";
  /** whether the chain is indexed, and no further behind its source than the operator allows */
  isAvailable(chain: EvmChain): boolean;
  /** Unix seconds: now, or the time that the operator set. An answer that was made with it is kept for as long as that second lasts. */
  readClock(): bigint;
  /** see CommittedState */
  readonly generation: number | undefined;
  /** P-chain height of the state */
  readonly platformHeight: bigint;
  /** height of a chain in the state; undefined: the store does not hold it */
  heightOf(chain: PrimaryChain): bigint | undefined;
  /** by how many seconds the clock of a devnet's state is ahead of the machine's; undefined: this is no devnet */
  readonly clockOffset: Promise<bigint> | undefined;
  /** what this server keeps of its answers */
  readonly kept: KeptAnswers;
  /** pictures of NFTs */
  readonly pictures: Pictures;
  /** undefined: the server has no folder for build files */
  readonly builds: BuildFolder | undefined;
  /** undefined: nobody signs warp messages for this server */
  readonly warpSigner: WarpSigner | undefined;
  /** undefined: this process keeps no webhooks, and knows none that does */
  readonly webhooks: WebhookAccess | undefined;
  /** for routes with `caller` */
  readonly caller: Caller;
  /** The results of the health checks. An answer that was made with them is not kept. */
  readHealth(): HealthReports;
  /** undefined: uptimes are not measured here */
  readonly uptimes: Uptimes | undefined;
  /** where the page starts, from the request's token; undefined on the first page */
  readonly after: Position | undefined;
  /** returns `{ nextPageToken }` for the page after `position`, or `{}` if there is none; spread it into the answer */
  nextPage(position: Position | undefined): { nextPageToken?: string };
  /** A value that is kept until a committed height changes. */
  cached<T>(name: string, make: () => Promise<T>): Promise<T>;
}

/** The context of routes that name `chains`. */
export interface ChainContext extends DataContext {
  /** the chain of `{blockchainId}` in the path */
  readonly chain: PrimaryChain;
}

/** The context of routes with `evm: "chain"`. */
export interface EvmChainContext extends DataContext {
  /** the chain of `{chainId}` in the path */
  readonly evmChain: EvmChain;
}

/** The context of routes with `evm: "all"`. */
export interface EvmChainsContext extends DataContext {
  /** the EVM chains of this server, in order of their EVM chain IDs */
  readonly evmChains: readonly EvmChain[];
}
