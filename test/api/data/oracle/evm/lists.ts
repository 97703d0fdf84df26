/** The expected lists of the Data API, from a scan of every block (data-api 5.1–5.5, 6.1–6.3). */
import type { Answers, Made } from "./answers.ts";
import { heldNfts } from "./nfts.ts";
import type { TokenKind } from "./token-logs.ts";
import type { OracleBlock, OracleTransaction } from "./world.ts";

/** `startBlock` included, `endBlock` not. */
export type BlockRange = {
  readonly startBlock?: number;
  readonly endBlock?: number;
};

/** Both blocks included. */
export type LogQuery = {
  readonly address?: string;
  readonly topic0?: string;
  readonly fromBlock?: number;
  readonly toBlock?: number;
};

type Party = { readonly from: string; readonly to: string };

export class Lists {
  readonly blocks: readonly OracleBlock[];
  readonly #answers: Answers;
  /** oldest first */
  readonly #transactions: readonly OracleTransaction[];

  constructor(blocks: readonly OracleBlock[], answers: Answers) {
    this.blocks = blocks;
    this.#answers = answers;
    this.#transactions = blocks.flatMap((block) => block.transactions);
  }

  addressTransactions(address: string, range: BlockRange, { isAscending = false, isRated = false } = {}): unknown[] {
    const isOf = partyOf(address);
    const listed = this.#within(range).filter((tx) => isOf(tx) || tx.transfers.some(isOf) || tx.internals.some(isOf));
    const shown = listed.map((tx) => this.#answers.details(tx, isOf, { isRated }));
    return isAscending ? shown : shown.reverse();
  }

  natives(address: string, range: BlockRange): unknown[] {
    return this.#newestFirst(range, (tx) => (partyOf(address)(tx) ? [this.#answers.native(tx)] : []));
  }

  transfers(kind: TokenKind, address: string, range: BlockRange): unknown[] {
    const isOf = partyOf(address);
    return this.#newestFirst(range, (tx) =>
      tx.transfers.filter((transfer) => transfer.kind === kind && isOf(transfer)).map((transfer) => this.#answers.transfer(tx, transfer)),
    );
  }

  tokenTransfers(token: string, range: BlockRange): unknown[] {
    return this.#newestFirst(range, (tx) =>
      tx.transfers.filter((transfer) => transfer.token === token).map((transfer) => this.#answers.transfer(tx, transfer)),
    );
  }

  internals(address: string, range: BlockRange): unknown[] {
    return this.#newestFirst(range, (tx) => tx.internals.filter(partyOf(address)).map((internal) => this.#answers.internal(tx, internal)));
  }

  /** @param topic0 first topic */
  logs({ address, topic0, fromBlock = 0, toBlock = Number.MAX_SAFE_INTEGER }: LogQuery): unknown[] {
    return this.#newestFirst({ startBlock: fromBlock, endBlock: toBlock + 1 }, (tx) =>
      tx.receipt.logs
        .filter((log) => address === undefined || log.address.toLowerCase() === address)
        .filter(({ topics }) => topic0 === undefined || topics[0] === topic0)
        .map((log) => this.#answers.log(tx, log)),
    );
  }

  /** `1`, `0` or both */
  latestTransactions(status?: "1" | "0"): unknown[] {
    return this.#newestFirst({}, (tx) => {
      const shown = this.#answers.native(tx);
      return status === undefined || shown.txStatus === status ? [shown] : [];
    });
  }

  latestBlocks(): unknown[] {
    return this.blocks.map((block) => this.#answers.block(block)).reverse();
  }

  /** @param ercTypes of contracts that are shown with what they are; others only with where they came from */
  deployments(deployer: string, ercTypes: ReadonlyMap<string, string>): unknown[] {
    return this.#newestFirst({}, (tx) =>
      tx.deployments
        .filter(({ factory }) => tx.from === deployer || factory === deployer)
        .map((deployment) => {
          const ercType = ercTypes.get(deployment.contract);
          const { address, deploymentDetails, ...described } = this.#answers.contract(deployment.contract, ercType ?? "UNKNOWN", {
            tx,
            ...deployment,
          });
          return { ...(ercType !== undefined && described), address, deploymentDetails };
        }),
    );
  }

  /** How a contract was made, the last time. */
  deploymentOf(contract: string): Made | undefined {
    const made = this.#transactions.flatMap((tx) => tx.deployments.map((deployment) => ({ tx, ...deployment })));
    return made.findLast((deployment) => deployment.contract === contract);
  }

  /** NFTs that somebody holds, by rising ID. */
  collection(token: string): unknown[] {
    return heldNfts(this.blocks)
      .filter((nft) => nft.token === token)
      .sort((a, b) => (a.tokenId < b.tokenId ? -1 : 1))
      .map(({ kind, tokenId }) => this.#answers.nft(kind, token, tokenId));
  }

  #within({ startBlock = 0, endBlock = Number.MAX_SAFE_INTEGER }: BlockRange): OracleTransaction[] {
    return this.#transactions.filter(({ block: { height } }) => height >= startBlock && height < endBlock);
  }

  #newestFirst<T>(range: BlockRange, shownOf: (tx: OracleTransaction) => readonly T[]): T[] {
    return this.#within(range).flatMap(shownOf).reverse();
  }
}

function partyOf(address: string): (party: Party) => boolean {
  return ({ from, to }) => from === address || to === address;
}
