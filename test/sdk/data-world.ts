/** What can be requested from a served store, found over plain HTTP, so that no request is written by hand. */
import { askPlainly } from "./data-clients.ts";

export const CHAINS = ["p-chain", "x-chain", "c-chain"] as const;
export type Chain = (typeof CHAINS)[number];

interface ListedTx {
  readonly txHash: string;
  readonly txType: string;
}

export interface ChainWorld {
  readonly chain: Chain;
  readonly txs: readonly ListedTx[];
  readonly blocks: readonly Block[];
  /** how many there are, spent ones too */
  readonly utxos: number;
  /** owners of outputs */
  readonly addresses: readonly string[];
}

interface Block {
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly blockTimestamp: number;
  readonly proposerDetails?: { readonly proposerNodeId?: string };
}

export interface World {
  readonly chains: Readonly<Record<Chain, ChainWorld>>;
  readonly addresses: readonly string[];
  /** named in C-chain transactions */
  readonly evmAddresses: readonly string[];
  readonly vertices: readonly { readonly vertexHash: string; readonly vertexHeight: number }[];
  readonly assets: readonly string[];
  readonly nodes: readonly string[];
  readonly subnets: readonly string[];
  readonly blockchains: readonly string[];
  readonly l1Validators: readonly { readonly validationId: string; readonly nodeId: string; readonly subnetId: string }[];
}

/** All items of a list, in pages as large as can be. */
export async function walk<T>(first: URL, list: string): Promise<T[]> {
  const items: T[] = [];
  const url = new URL(first);
  for (;;) {
    const page = (await askPlainly(url)) as Readonly<Record<string, T[]>> & { readonly nextPageToken?: string };
    items.push(...page[list]!);
    if (page.nextPageToken === undefined) return items;
    url.searchParams.set("pageToken", page.nextPageToken);
  }
}

export async function readWorld(serverUrl: string): Promise<World> {
  const list = <T>(path: string, name: string, query = "") =>
    walk<T>(new URL(`${serverUrl}/v1/networks/fuji${path}?pageSize=100${query}`), name);
  const chains = Object.fromEntries(
    await Promise.all(
      CHAINS.map(async (chain) => {
        const path = `/blockchains/${chain}`;
        const txs = await list<ListedTx>(`${path}/transactions`, "transactions");
        const utxos = await list<object>(`${path}/utxos`, "utxos", "&includeSpent=true");
        const blocks = await list<Block>(`${path}/blocks`, "blocks");
        return [
          chain,
          {
            chain,
            txs: txs.map((tx) => typed(tx)),
            blocks,
            utxos: utxos.length,
            addresses: [...textsIn(utxos, /^[a-z]+1[02-9ac-hj-np-z]{38}$/)],
          },
        ];
      }),
    ),
  ) as Record<Chain, ChainWorld>;
  const stakers = await list<{ nodeId: string }>("/validators", "validators");
  return {
    chains,
    addresses: [...new Set(CHAINS.flatMap((chain) => chains[chain].addresses))],
    evmAddresses: [...textsIn(await list("/blockchains/c-chain/transactions", "transactions"), /^0x[0-9a-fA-F]{40}$/)],
    vertices: await list("/blockchains/x-chain/vertices", "vertices"),
    assets: chains["x-chain"].txs.filter(({ txType }) => txType === "CreateAssetTx").map(({ txHash }) => txHash),
    nodes: [...new Set(stakers.map(({ nodeId }) => nodeId))],
    subnets: (await list<{ subnetId: string }>("/subnets", "subnets")).map(({ subnetId }) => subnetId),
    blockchains: (await list<{ blockchainId: string }>("/blockchains", "blockchains")).map(({ blockchainId }) => blockchainId),
    l1Validators: await list("/l1Validators", "validators", "&includeInactiveL1Validators=true"),
  };
}

/** Transactions are large, and there are many. */
function typed({ txHash, txType }: ListedTx): ListedTx {
  return { txHash, txType };
}

function textsIn(value: unknown, pattern: RegExp, found = new Set<string>()): Set<string> {
  if (typeof value === "string" && pattern.test(value)) found.add(value);
  else if (value !== null && typeof value === "object") for (const member of Object.values(value)) textsIn(member, pattern, found);
  return found;
}

/** At most so many, spread over the whole list, with its first and last. */
export function spread<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, index) => items[Math.round((index * (items.length - 1)) / (most - 1))]!);
}
