/** What can be requested about a served EVM chain, found over plain HTTP, so that no request is written by hand. */

import { delay } from "../patience.ts";
import { askPlainly } from "./data-clients.ts";
import { walk } from "./data-world.ts";

type Json = Readonly<Record<string, unknown>>;

interface ListedTx {
  readonly txHash: string;
  readonly txStatus: string;
  readonly from: { readonly address: string };
  readonly to: { readonly address: string };
  readonly method: { readonly callType: string };
}

export interface EvmWorld {
  readonly chainId: string;
  readonly platformChainId: string;
  readonly txs: readonly ListedTx[];
  readonly blocks: readonly { readonly blockNumber: string; readonly blockHash: string }[];
  /** that have to do with anything */
  readonly addresses: readonly string[];
  /** that have something in every list of an address, where there are such; else those with most */
  readonly busy: readonly string[];
  readonly contracts: readonly (Json & {
    readonly address: string;
    readonly ercType: string;
    readonly deploymentDetails?: { deployerAddress: string };
  })[];
  readonly nfts: readonly { readonly address: string; readonly tokenId: string; readonly ercType: string; readonly metadata: Json }[];
}

const MOST_POLLS = 120;

/** Once contracts have been asked what they are, so that answers stay the same. */
export async function readEvmWorld(serverUrl: string): Promise<EvmWorld> {
  const [chain] = ((await askPlainly(`${serverUrl}/v1/chains`)) as { chains: { chainId: string; platformChainId: string }[] }).chains;
  const { chainId, platformChainId } = chain!;
  const base = `${serverUrl}/v1/chains/${chainId}`;
  const list = <T>(path: string, name: string) => walk<T>(new URL(`${base}${path}?pageSize=100`), name);
  const txs = await list<ListedTx>("/transactions", "transactions");
  const mentions = new Map<string, number>();
  const tokens = new Set<string>();
  for (const { txHash } of txs) {
    const whole = await askPlainly(`${base}/transactions/${txHash}`);
    for (const address of addressesIn(whole)) mentions.set(address, (mentions.get(address) ?? 0) + 1);
    for (const token of tokensIn(whole)) tokens.add(token);
  }
  const created = txs.filter(({ method }) => method.callType === "CONTRACT_CREATION").map(({ to }) => to.address);
  const places = [...new Set([...tokens, ...created])];
  const known = async () => ({
    contracts: (await Promise.all(places.map((address) => askPlainly(`${base}/addresses/${address}`)))) as EvmWorld["contracts"],
    nfts: (
      await Promise.all([...tokens].map((token) => list<EvmWorld["nfts"][number]>(`/nfts/collections/${token}/tokens`, "tokens")))
    ).flat(),
  });
  return {
    chainId,
    platformChainId,
    txs,
    blocks: await list("/blocks", "blocks"),
    addresses: [...mentions.keys()],
    busy: [...mentions]
      .sort(([, a], [, b]) => b - a)
      .map(([address]) => address)
      .slice(0, 12),
    ...(await unchanging(known)),
  };
}

/** As it is once it was the same three times in turn. */
async function unchanging<T>(read: () => Promise<T>): Promise<T> {
  let [last, times] = ["", 0];
  for (let polls = 0; polls < MOST_POLLS; polls++) {
    const value = await read();
    const text = JSON.stringify(value);
    times = text === last ? times + 1 : 0;
    if (times === 3) return value;
    last = text;
    await delay(500);
  }
  throw new Error("what contracts say of themselves changes all the time");
}

function* addressesIn(value: unknown): Generator<string> {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value)) yield value;
  else if (value !== null && typeof value === "object") for (const member of Object.values(value)) yield* addressesIn(member);
}

function* tokensIn(value: unknown): Generator<string> {
  if (value === null || typeof value !== "object") return;
  if ("ercType" in value && "address" in value) yield value.address as string;
  for (const member of Object.values(value)) yield* tokensIn(member);
}
