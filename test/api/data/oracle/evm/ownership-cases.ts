/** Cases about contracts, NFTs and what addresses own. */
import type { Case, CaseMaker } from "./case-maker.ts";
import type { Held } from "./ledger.ts";
import { heldNfts } from "./nfts.ts";
import { wholeOf } from "./transaction-cases.ts";

const MOST_BALANCES = 500;
const MOST_NAMED = 100;

/** The server's own order is another one. */
const order = (item: unknown) => {
  const { address, tokenId } = item as Record<string, string>;
  return `${address} ${tokenId}`;
};

export function* contractCases(maker: CaseMaker, address: string): Generator<Case> {
  const { lists, answers, ercTypes } = maker.court;
  yield maker.list(maker.path(`/contracts/${address}/deployments`), "contracts", {}, () => lists.deployments(address, ercTypes), {
    // of contracts that nobody says the kind of, only where they came from
    seen: ({ deploymentDetails, ...contract }) => {
      const isKnown = ercTypes.has((contract.address as string).toLowerCase());
      return { ...(isKnown ? contract : { address: contract.address }), deploymentDetails };
    },
  });
  const deployment = lists.deploymentOf(address);
  const path = maker.path(`/contracts/${address}/transactions:getDeployment`);
  yield maker.one(path, {}, () => deployment && wholeOf(maker, deployment.tx));
  const ercType = ercTypes.get(address);
  if (ercType !== undefined) yield maker.one(maker.path(`/addresses/${address}`), {}, () => answers.contract(address, ercType, deployment));
}

export function* nftCases(maker: CaseMaker, address: string): Generator<Case> {
  const { lists, answers, ledger, stateHeights, ercTypes } = maker.court;
  const isCollection = ercTypes.get(address) !== "UNKNOWN";
  const path = maker.path(`/nfts/collections/${address}/tokens`);
  yield maker.list(path, "tokens", {}, () => (isCollection ? lists.collection(address) : []));
  for (const { kind, token, tokenId } of heldNfts(lists.blocks)) {
    if (token === address) yield maker.one(`${path}/${tokenId}`, {}, () => (isCollection ? answers.nft(kind, token, tokenId) : undefined));
  }
  yield maker.one(`${path}/${2n ** 255n - 19n}`, {}, () => undefined);
  if (BigInt(address) === 0n) return;
  const base = maker.path(`/addresses/${address}/balances`);
  const last = stateHeights.at(-1)!;
  const shown = (held: readonly Held[]) => held.map((each) => answers.nftBalance(each));
  const owned = () => ledger.erc721(address, last).then(shown);
  const collectibles = async () => [...(await owned()), ...shown(await ledger.erc1155(address, last))];
  const reading = { most: MOST_BALANCES, order };
  yield maker.list(`${base}:listErc721`, "erc721TokenBalances", {}, owned, reading);
  yield maker.list(`${base}:listCollectibles`, "collectibleBalances", {}, collectibles, reading);
  for (const [contractAddress, type] of ercTypes) {
    if (type !== "ERC-721" && type !== "ERC-1155") continue;
    const ofContract = () => collectibles().then((list) => list.filter((each) => each.address.toLowerCase() === contractAddress));
    yield maker.list(`${base}:listCollectibles`, "collectibleBalances", { contractAddress }, ofContract, reading);
  }
}

export function* balanceCases(maker: CaseMaker, address: string): Generator<Case> {
  if (BigInt(address) === 0n) return;
  const { answers, ledger, stateHeights, chain, ercTypes } = maker.court;
  const base = maker.path(`/addresses/${address}/balances`);
  for (const height of [undefined, ...stateHeights]) {
    const at = height ?? stateHeights.at(-1)!;
    const params = { blockNumber: height };
    const native = async () => {
      const { description: _, ...token } = chain.networkToken as Record<string, unknown>;
      return { ...token, chainId: chain.chainId, balance: `${await ledger.native(address, at)}` };
    };
    yield maker.one(`${base}:getNative`, params, async () => ({ nativeTokenBalance: await native() }));
    const seen = ({ nativeTokenBalance }: Record<string, unknown>) => nativeTokenBalance;
    const shownIn = ["listErc20", "listErc1155", ...(height === undefined ? ["listErc721"] : [])];
    for (const list of shownIn) yield maker.one(`${base}:${list}`, { ...params, pageSize: 1 }, native, { seen });
    const reading = { most: MOST_BALANCES, order };
    const erc20 = async () => (await ledger.erc20(address, at)).map((held) => answers.erc20Balance(held));
    yield maker.list(`${base}:listErc20`, "erc20TokenBalances", { ...params, filterSpamTokens: height === undefined }, erc20, reading);
    const named = [...ercTypes.keys()].filter((_, i) => i % 2 === 0).slice(0, MOST_NAMED);
    const ofNamed = () => erc20().then((list) => list.filter((each) => named.includes(each.address.toLowerCase())));
    yield maker.list(`${base}:listErc20`, "erc20TokenBalances", { ...params, contractAddresses: named.join(", ") }, ofNamed, reading);
    const erc1155 = async () => (await ledger.erc1155(address, at)).map((held) => answers.nftBalance(held));
    yield maker.list(`${base}:listErc1155`, "erc1155TokenBalances", params, erc1155, reading);
  }
}
