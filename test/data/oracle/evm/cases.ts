/**
 * Every query of the EVM routes that is worth asking of a chain: all addresses, blocks, transactions and contracts, each with all kinds of
 * bounds and orders. A case asks, walks all pages and compares; page sizes differ from case to case.
 */
import { DataClient, type Params, pageSizeFor } from "../client.ts";
import { type Answers, ERC_TYPES } from "./answers.ts";
import type { Held, Ledger } from "./ledger.ts";
import type { BlockRange, Lists } from "./lists.ts";
import { heldNfts, nftName } from "./nfts.ts";
import { requireNames, shearing } from "./shorn.ts";

export interface Case {
  readonly name: string;
  /** What is answered, and what should be. Rejects if the server refuses or breaks a rule of pages. */
  ask(): Promise<{ readonly answered: unknown; readonly expected: unknown }>;
}

export interface OracleCourt {
  /** of Firn */
  readonly url: string;
  readonly chainId: string;
  readonly lists: Lists;
  readonly answers: Answers;
  readonly ledger: Ledger;
  /** heights at which the node knows the state */
  readonly stateHeights: readonly number[];
}

const LISTS = { erc20: "listErc20", erc721: "listErc721", erc1155: "listErc1155" } as const;
const KINDS = ["erc20", "erc721", "erc1155"] as const;
const STRANGER = `0x${"5".repeat(40)}`;

export function* casesOf(court: OracleCourt): Generator<Case> {
  const asker = new CaseMaker(court);
  yield* asker.latest();
  for (const { height, raw } of court.lists.blocks) yield* asker.ofBlock(height, raw.hash);
  for (const { transactions } of court.lists.blocks) for (const { raw } of transactions) yield asker.ofTransaction(raw.hash);
  for (const address of addressesOf(court)) {
    yield* asker.transactionsOf(address);
    yield* asker.contractsOf(address);
    yield* asker.balancesOf(address);
  }
}

function addressesOf({ lists }: OracleCourt): Set<string> {
  const named = new Set([STRANGER]);
  for (const { transactions } of lists.blocks) {
    for (const tx of transactions) {
      for (const { from, to } of [tx, ...tx.transfers, ...tx.internals]) named.add(from).add(to);
      for (const { token } of tx.transfers) named.add(token);
      for (const { contract } of tx.deployments) named.add(contract);
    }
  }
  return named;
}

class CaseMaker {
  readonly #court: OracleCourt;
  readonly #client: DataClient;
  readonly #client2: DataClient;
  readonly #chain: string;
  readonly #shorn: (value: unknown) => unknown;
  #made = 0;

  constructor(court: OracleCourt) {
    this.#court = court;
    this.#client = new DataClient(court.url);
    this.#client2 = new DataClient(court.url, "v2");
    this.#chain = `/chains/${court.chainId}`;
    this.#shorn = shearing(new Set(heldNfts(court.lists.blocks).map(nftName)));
  }

  *latest(): Generator<Case> {
    const { lists } = this.#court;
    for (const base of [this.#chain, ""]) {
      yield this.#list(`${base}/blocks`, "blocks", {}, () => lists.latestBlocks());
      yield this.#list(`${base}/transactions`, "transactions", {}, () => lists.latestTransactions());
      yield this.#list(`${base}/transactions`, "transactions", { status: "success" }, () => lists.latestTransactions("1"));
      yield this.#list(`${base}/transactions`, "transactions", { status: "failed" }, () => lists.latestTransactions("0"));
    }
  }

  *ofBlock(height: number, hash: string): Generator<Case> {
    const { lists, answers } = this.#court;
    const block = lists.blocks.find((each) => each.height === height)!;
    for (const blockId of [height, hash]) {
      const path = `${this.#chain}/blocks/${blockId}`;
      yield this.#one(path, {}, () => answers.block(block));
      const transactions = () => block.transactions.map((tx) => answers.native(tx));
      yield this.#one(`${path}/transactions`, {}, () => ({ transactions: transactions() }));
      yield this.#list(`${path}/transactions`, "transactions", {}, transactions);
    }
  }

  ofTransaction(hash: string): Case {
    const { lists, answers } = this.#court;
    const tx = lists.blocks.flatMap(({ transactions }) => transactions).find(({ raw }) => raw.hash === hash)!;
    return this.#one(`${this.#chain}/transactions/${hash}`, {}, () => answers.whole(tx), ["networkTokenDetails"]);
  }

  *transactionsOf(address: string): Generator<Case> {
    const { lists } = this.#court;
    const base = `${this.#chain}/addresses/${address}/transactions`;
    for (const range of this.#ranges()) {
      for (const sortOrder of [undefined, "asc", "desc"]) {
        const params = { ...range, sortOrder };
        const isAscending = sortOrder === "asc";
        yield this.#list(base, "transactions", params, () => lists.addressTransactions(address, range, { isAscending }));
        const rated = () => lists.addressTransactions(address, range, { isAscending, isRated: true });
        yield this.#list(base, "transactions", { ...params, filterSpamTokens: isAscending }, rated, this.#client2);
      }
      yield this.#list(`${base}:listNative`, "transactions", range, () => lists.natives(address, range));
      yield this.#list(`${base}:listInternals`, "transactions", range, () => lists.internals(address, range));
      for (const kind of KINDS)
        yield this.#list(`${base}:${LISTS[kind]}`, "transactions", range, () => lists.transfers(kind, address, range));
      yield this.#list(`${this.#chain}/tokens/${address}/transfers`, "transfers", range, () => lists.tokenTransfers(address, range));
    }
  }

  *contractsOf(address: string): Generator<Case> {
    const { lists, answers } = this.#court;
    const path = `${this.#chain}/contracts/${address}`;
    yield this.#list(
      `${path}/deployments`,
      "contracts",
      {},
      () => lists.deployments(address),
      this.#client,
      (contract) => {
        const { address: made, deploymentDetails } = contract as Record<string, unknown>;
        return { address: made, deploymentDetails };
      },
    );
    const deployment = lists.deploymentOf(address);
    yield this.#one(`${path}/transactions:getDeployment`, {}, () => deployment && answers.whole(deployment), ["networkTokenDetails"]);
    yield this.#list(`${this.#chain}/nfts/collections/${address}/tokens`, "tokens", {}, () => lists.collection(address));
  }

  *balancesOf(address: string): Generator<Case> {
    if (BigInt(address) === 0n) return;
    const { ledger, stateHeights } = this.#court;
    const base = `${this.#chain}/addresses/${address}/balances`;
    for (const height of [undefined, ...stateHeights]) {
      const at = height ?? stateHeights.at(-1)!;
      const params = { blockNumber: height };
      yield this.#balances(`${base}:listErc20`, "erc20TokenBalances", params, () => ledger.erc20(address, at));
      yield this.#balances(`${base}:listErc1155`, "erc1155TokenBalances", params, () => ledger.erc1155(address, at));
      const wei = () => ledger.native(address, at).then(String);
      yield this.#value(`${base}:getNative`, params, wei, ({ nativeTokenBalance }) => (nativeTokenBalance as { balance: string }).balance);
    }
    const last = stateHeights.at(-1)!;
    yield this.#balances(`${base}:listErc721`, "erc721TokenBalances", {}, () => ledger.erc721(address, last));
    yield this.#balances(`${base}:listCollectibles`, "collectibleBalances", {}, async () => [
      ...(await ledger.erc721(address, last)),
      ...(await ledger.erc1155(address, last)),
    ]);
  }

  #ranges(): BlockRange[] {
    const head = this.#court.lists.blocks.length - 1;
    const [first, middle, last] = [1, 2, 3].map((quarter) => Math.floor((head * quarter) / 4)) as [number, number, number];
    return [
      {},
      { startBlock: middle },
      { endBlock: middle },
      { startBlock: first, endBlock: last },
      { startBlock: middle, endBlock: middle + 1 },
      { startBlock: last, endBlock: first },
      { startBlock: head, endBlock: head + 100 },
      { startBlock: head + 1 },
      { endBlock: 0 },
    ];
  }

  #list(
    path: string,
    member: string,
    params: Params,
    expectedOf: () => readonly unknown[],
    client = this.#client,
    seen: (item: unknown) => unknown = (item) => item,
  ): Case {
    const salt = this.#made++;
    return {
      name: `${path} ${JSON.stringify(params)}`,
      ask: async () => {
        const expected = expectedOf();
        const items = await client.walk(path, member, { ...params, pageSize: pageSizeFor(expected.length, 100, salt) });
        requireNames(items);
        return { answered: this.#shorn(items.map(seen)), expected: this.#shorn(expected) };
      },
    };
  }

  /** @param expectedOf undefined: there is no such thing, which is 404 */
  #one(path: string, params: Params, expectedOf: () => object | undefined, without: readonly string[] = []): Case {
    return {
      name: `${path} ${JSON.stringify(params)}`,
      ask: async () => {
        const expected = expectedOf();
        const { status, body } = await this.#client.ask(path, params);
        if (expected === undefined) return { answered: status, expected: 404 };
        requireNames(body);
        for (const member of without) delete body[member];
        return { answered: this.#shorn(body), expected: this.#shorn(expected) };
      },
    };
  }

  #value(path: string, params: Params, expectedOf: () => Promise<unknown>, seen: (body: Record<string, unknown>) => unknown): Case {
    return {
      name: `${path} ${JSON.stringify(params)}`,
      ask: async () => ({ answered: seen(await this.#client.get(path, params)), expected: await expectedOf() }),
    };
  }

  /** In the server's own order. */
  #balances(path: string, member: string, params: Params, expectedOf: () => Promise<Held[]>): Case {
    const salt = this.#made++;
    return {
      name: `${path} ${JSON.stringify(params)}`,
      ask: async () => {
        const expected = (await expectedOf()).map(({ token, tokenId, balance }) => `${token} ${tokenId} ${balance}`);
        const pageSize = pageSizeFor(expected.length, 500, salt);
        const items = (await this.#client.walk(path, member, { ...params, pageSize })) as Record<string, string>[];
        const answered = items.map(
          ({ address, tokenId = "0", balance, ercType }) =>
            `${address!.toLowerCase()} ${tokenId} ${ercType === ERC_TYPES.erc721 ? "1" : balance}`,
        );
        return { answered: answered.sort(), expected: expected.sort() };
      },
    };
  }
}
