/**
 * What only contracts can tell of an EVM chain's tokens: their class (asked by ingest before a block is indexed), and behind ingest's back
 * their metadata, that of NFTs, and whether balances as logs have them are the contract's own. It writes the tables of
 * `index/evm/token-tables.ts` in small commits of its own; it never writes what ingest writes.
 */
import type { Logger } from "pino";
import { FirnError } from "../../primitives/errors.ts";
import type { Store } from "../../store/store.ts";
import type { Address } from "../block.ts";
import type { EvmChainSettings } from "../chain-settings.ts";
import { openNftFetcher } from "../nft/fetcher.ts";
import type { EvmRpc } from "../rpc/evm-rpc.ts";
import { BalanceWork } from "./balance-work.ts";
import { ContractClassifier, type TokenClassifier } from "./classifier.ts";
import { ContractReader, takesGas } from "./contract-reader.ts";
import { MetadataWork } from "./metadata-work.ts";
import { USUAL_MULTICALL } from "./multicall.ts";
import { NftWork, URI_GAS } from "./nft-work.ts";
import { TokenCommits } from "./token-commits.ts";
import type { WorkParts } from "./token-work.ts";
import { WorkLoop } from "./work-loop.ts";

export interface TokenServiceOptions {
  readonly store: Store;
  /** in keys of tables */
  readonly chain: number;
  readonly rpc: EvmRpc;
  readonly settings: Pick<EvmChainSettings, "multicall" | "nfts">;
  readonly log: Logger;
  /** Unix seconds; by default the machine's */
  readonly clock?: () => bigint;
  /** how late it is noticed at most what is due by the clock; by default seconds */
  readonly idleMs?: number;
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

/** Finds out whether the chain has a multicall contract and begins with what is due. Rejects if no upstream answers. */
export async function openTokenService(options: TokenServiceOptions): Promise<TokenService> {
  const { store, chain, rpc, settings, log, clock = machineClock, idleMs } = options;
  const multicall = await findMulticall(rpc, settings.multicall);
  const reader = new ContractReader(rpc, multicall, { boundsGas: await takesGas(rpc, URI_GAS) });
  const parts: WorkParts = { store, chain, rpc, reader, log, clock, commits: new TokenCommits(store, chain) };
  const nfts = new NftWork(parts, openNftFetcher(settings.nfts), settings.nfts);
  // servers of metadata take their time, names and verdicts do not wait for them
  const loops = [[new MetadataWork(parts), new BalanceWork(parts)], [nfts]].map((works) => new WorkLoop(works, log, idleMs));
  const wake = () => {
    for (const loop of loops) loop.wake();
  };
  return {
    classifier: new ContractClassifier(reader),
    multicall,
    committed: wake,
    async reindexNft(token, tokenId) {
      const isTaken = await nfts.reindex(token, tokenId);
      if (isTaken) wake();
      return isTaken;
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

function machineClock(): bigint {
  return BigInt(Math.floor(Date.now() / 1000));
}

/** @param configured by the operator, with or without `0x` */
async function findMulticall(rpc: EvmRpc, configured: string | undefined): Promise<Address | undefined> {
  const address = configured?.replace(/^0x/, "").toLowerCase() ?? USUAL_MULTICALL;
  const code = await rpc.request("eth_getCode", [`0x${address}`, "latest"]);
  if (typeof code === "string" && /^0x[0-9a-f]{2}/i.test(code)) return address;
  if (configured === undefined) return undefined;
  throw new FirnError(
    "no-multicall",
    `multicall is 0x${address}, where the chain has no contract; use the address of a Multicall3, or leave it out`,
    {
      multicall: address,
    },
  );
}
