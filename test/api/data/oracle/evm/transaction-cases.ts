/** Cases about chains, blocks and transactions. */
import type { Case, CaseMaker } from "./case-maker.ts";
import type { BlockRange } from "./lists.ts";

const LISTS = { erc20: "listErc20", erc721: "listErc721", erc1155: "listErc1155" } as const;
const KINDS = ["erc20", "erc721", "erc1155"] as const;

export function* chainCases(maker: CaseMaker): Generator<Case> {
  const { lists, chain, isAlone } = maker.court;
  const isTestnet = chain.isTestnet === true;
  const shown = (network: string | undefined) => network === undefined || isTestnet === (network !== "mainnet");
  yield maker.one(maker.path(""), {}, () => chain);
  for (const network of isAlone ? [undefined, "mainnet", "fuji", "testnet"] : []) {
    const ifShown = <T>(list: readonly T[]) => (shown(network) ? list : []);
    yield maker.one("/chains", { network }, () => ({ chains: ifShown([chain]) }));
    yield maker.one("/chains", { network, feature: "teleporter" }, () => ({ chains: ifShown([chain]) }));
    yield maker.one("/chains", { network, feature: "webhooks" }, () => ({ chains: [] }));
    yield maker.list("/blocks", "blocks", { network }, () => ifShown(lists.latestBlocks()));
    yield maker.list("/chains/allBlocks", "blocks", { network }, () => ifShown(lists.latestBlocks()));
    for (const [status, flag] of [[], ["success", "1"], ["failed", "0"]] as const) {
      const transactions = () => ifShown(lists.latestTransactions(flag));
      yield maker.list("/transactions", "transactions", { network, status }, transactions);
      yield maker.list("/chains/allTransactions", "transactions", { network, status }, transactions);
      if (network === undefined) yield maker.list(maker.path("/transactions"), "transactions", { status }, transactions);
    }
  }
  yield maker.list(maker.path("/blocks"), "blocks", {}, () => lists.latestBlocks());
}

export function* blockCases(maker: CaseMaker): Generator<Case> {
  const { lists, answers } = maker.court;
  for (const block of lists.blocks) {
    const transactions = () => block.transactions.map((tx) => answers.native(tx));
    for (const blockId of [block.height, block.raw.hash]) {
      yield maker.one(maker.path(`/blocks/${blockId}`), {}, () => answers.block(block));
      const path = maker.path(`/blocks/${blockId}/transactions`);
      yield maker.one(path, {}, () => ({ transactions: transactions() }));
      yield maker.list(path, "transactions", {}, transactions);
    }
    for (const tx of block.transactions) yield maker.one(maker.path(`/transactions/${tx.raw.hash}`), {}, () => wholeOf(maker, tx));
  }
  for (const missing of [`/blocks/${lists.blocks.length}`, `/blocks/0x${"7".repeat(64)}`, `/transactions/0x${"7".repeat(64)}`]) {
    yield maker.one(maker.path(missing), {}, () => undefined);
  }
}

export function wholeOf({ court: { answers, chain } }: CaseMaker, tx: Parameters<typeof answers.whole>[0]) {
  return { ...answers.whole(tx), networkTokenDetails: { networkToken: chain.networkToken } };
}

export function* transactionCases(maker: CaseMaker, address: string): Generator<Case> {
  const { lists, chain, isAlone } = maker.court;
  const takesPart = () => lists.addressTransactions(address, {}).length > 0;
  for (const path of isAlone ? [`/address/${address}/chains`, `/chains/address/${address}`] : []) {
    yield maker.one(path, {}, () => ({ indexedChains: takesPart() ? [chain] : [], unindexedChains: [] }));
  }
  for (const range of rangesOf(lists.blocks.length - 1)) {
    const base = maker.path(`/addresses/${address}/transactions`);
    for (const sortOrder of [undefined, "asc", "desc"]) {
      const params = { ...range, sortOrder };
      const isAscending = sortOrder === "asc";
      yield maker.list(base, "transactions", params, () => lists.addressTransactions(address, range, { isAscending }));
      const rated = () => lists.addressTransactions(address, range, { isAscending, isRated: true });
      yield maker.list(base, "transactions", { ...params, filterSpamTokens: isAscending }, rated, { version: "v2" });
    }
    yield maker.list(`${base}:listNative`, "transactions", range, () => lists.natives(address, range));
    yield maker.list(`${base}:listInternals`, "transactions", range, () => lists.internals(address, range));
    for (const kind of KINDS) {
      yield maker.list(`${base}:${LISTS[kind]}`, "transactions", range, () => lists.transfers(kind, address, range));
    }
    yield maker.list(maker.path(`/tokens/${address}/transfers`), "transfers", range, () => lists.tokenTransfers(address, range));
  }
}

function rangesOf(head: number): BlockRange[] {
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
