/** What is asked of the P-, X- and C-chain about an address in bech32, and how their answers are named here. */
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { networkInPaths, type Overview } from "../../api/overview.ts";
import type { PrimaryAlias } from "../../router.ts";

type Schemas = components["schemas"];
export type AnyUtxo = Schemas["PChainUtxo"] | Schemas["Utxo"];
export type AnyTransaction = Schemas["Transaction"];
export type AnyBalances = Schemas["PChainBalance"] | Schemas["XChainBalances"] | Schemas["CChainAtomicBalances"];

const IN_PATHS = { P: "p-chain", X: "x-chain", C: "c-chain" } as const;

export async function pathOf(chain: PrimaryAlias) {
  return { network: await networkInPaths(), blockchainId: IN_PATHS[chain] };
}

export function primaryChains({ chains }: Pick<Overview, "chains">): PrimaryAlias[] {
  return chains.map(({ alias }) => alias);
}

/** Lists of chains of an address have the public IDs of the network that the path names. */
const PUBLIC_IDS: Readonly<Record<string, PrimaryAlias>> = {
  "11111111111111111111111111111111LpoYY": "P",
  "2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM": "X",
  "2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm": "X",
  "2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5": "C",
  yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp: "C",
};

export function aliasOf(blockchainId: string, { chains }: Pick<Overview, "chains">): PrimaryAlias | undefined {
  return chains.find((chain) => chain.blockchainId === blockchainId)?.alias ?? PUBLIC_IDS[blockchainId];
}

/** @param blockTimestamp Unix seconds; undefined: now */
export async function readBalances(chain: PrimaryAlias, address: string, blockTimestamp?: number): Promise<AnyBalances> {
  const query = { addresses: address, ...(blockTimestamp !== undefined && { blockTimestamp }) };
  const params = { path: await pathOf(chain), query };
  return (await answerOf(data.GET("/v1/networks/{network}/blockchains/{blockchainId}/balances", { params }))).balances;
}

export async function readTransactions(
  chain: PrimaryAlias,
  addresses: string,
  query: { pageSize: number; pageToken?: string | undefined; sortOrder?: "asc" | "desc" },
) {
  const { pageToken, ...rest } = query;
  const params = { path: await pathOf(chain), query: { addresses, ...rest, ...(pageToken !== undefined && { pageToken }) } };
  return answerOf(data.GET("/v1/networks/{network}/blockchains/{blockchainId}/transactions", { params }));
}

export interface UtxoFilter {
  readonly pageSize: number;
  readonly includeSpent?: boolean;
  readonly assetId?: string | undefined;
  readonly sortBy?: "timestamp" | "amount";
}

export async function readUtxos(chain: PrimaryAlias, address: string, { assetId, ...filter }: UtxoFilter, pageToken: string | undefined) {
  const query = { addresses: address, ...filter, ...(assetId !== undefined && { assetId }), ...(pageToken !== undefined && { pageToken }) };
  const params = { path: await pathOf(chain), query };
  return answerOf(data.GET("/v1/networks/{network}/blockchains/{blockchainId}/utxos", { params }));
}

export async function readLastActivity(chain: PrimaryAlias, address: string) {
  const params = { path: await pathOf(chain), query: { addresses: address } };
  return answerOf(data.GET("/v1/networks/{network}/blockchains/{blockchainId}/lastActivityTimestampByAddresses", { params }));
}

/** The chains of the primary network on which the address was active. */
export async function readActiveChains(address: string): Promise<readonly string[]> {
  const params = { path: { network: await networkInPaths() }, query: { addresses: address } };
  const { addresses } = await answerOf(data.GET("/v1/networks/{network}/addresses:listChainIds", { params }));
  return addresses[0]?.blockchainIds ?? [];
}
