/**
 * The requests measured on the synthetic network: every route of the Data API, and the filters and orders that change how a list is read.
 */
import { encodeBech32 } from "../src/base/bytes/address.ts";
import { formatId, formatNodeId } from "../src/base/bytes/cb58.ts";
import { ask, type ListRequest, withParameters } from "./data-pages.ts";
import type { LoadRequest } from "./load.ts";
import { EXCHANGE } from "./synthetic/asset-history.ts";
import { addressOf, GENESIS_TIME, networkFile, nodeOf, syntheticNetwork } from "./synthetic/network.ts";

/** A list whose first, middle and last pages are measured. */
export interface ListCase extends ListRequest {
  readonly name: string;
}

/** Requests that are sent in turn: for single items, or for lists of many addresses and nodes. */
export interface PointCase {
  readonly name: string;
  readonly requests: readonly LoadRequest[];
}

const PAGE = 100;
const DISTINCT = 200;

const NETWORK = "/v1/networks/fuji";
const P = `${NETWORK}/blockchains/p-chain`;
const X = `${NETWORK}/blockchains/x-chain`;

function text(address: string): string {
  return encodeBech32(networkFile.hrp, address);
}

function holder(index: number): string {
  return text(addressOf("holder", index));
}

const exchange = text(EXCHANGE);
const AVAX = formatId(syntheticNetwork().avaxAssetId);
const PRIMARY_NETWORK = "11111111111111111111111111111111LpoYY";

export function listCases(): ListCase[] {
  const list = (name: string, path: string, parameters: Record<string, string | number> = {}, largestPage = PAGE): ListCase => ({
    name,
    path: withParameters(path, parameters),
    largestPage,
  });
  const utxos = (name: string, parameters: Record<string, string | number>) =>
    list(`UTXOs of the largest holder, ${name}`, `${X}/utxos`, { addresses: exchange, ...parameters });
  const validators = (name: string, parameters: Record<string, string | number>) =>
    list(`validators, ${name}`, `${NETWORK}/validators`, parameters);
  return [
    utxos("by time", {}),
    utxos("by time, at least 500,000", { minUtxoAmount: 500_000 }),
    utxos("by amount", { sortBy: "amount" }),
    utxos("by amount, at least 500,000, spent ones too", { sortBy: "amount", minUtxoAmount: 500_000, includeSpent: "true" }),
    utxos("by time, spent ones too", { includeSpent: "true" }),
    {
      name: "UTXOs of the largest holder and 100 others, POST",
      path: `${X}/utxos`,
      body: JSON.stringify({ addresses: [exchange, ...Array.from({ length: 100 }, (_, i) => holder(i))].join() }),
      largestPage: 1024,
    },
    list("UTXOs of the whole X-chain", `${X}/utxos`),
    list("UTXOs of the whole P-chain, by amount, spent ones too", `${P}/utxos`, { sortBy: "amount", includeSpent: "true" }),
    list("transactions of the P-chain", `${P}/transactions`),
    list("transactions of the X-chain", `${X}/transactions`),
    list("transactions of the largest holder", `${X}/transactions`, { addresses: exchange }),
    list("transactions of the largest holder, one type", `${X}/transactions`, { addresses: exchange, txTypes: "BaseTx" }),
    list("listStaking", `${P}/transactions:listStaking`),
    list("transactions of AVAX", `${X}/assets/${AVAX}/transactions`),
    list("blocks of the P-chain", `${P}/blocks`),
    list("blocks of the X-chain", `${X}/blocks`),
    validators("all", {}),
    validators("active", { validationStatus: "active" }),
    validators("active, by capacity", { validationStatus: "active", sortBy: "delegationCapacity" }),
    validators("completed", { validationStatus: "completed" }),
    validators("completed, by fee, bounds of the fee", {
      ...{ validationStatus: "completed", subnetId: PRIMARY_NETWORK, sortBy: "delegationFee" },
      ...{ minFeePercentage: 3, maxFeePercentage: 9 },
    }),
    validators("all, substring", { nodeIds: "7,q" }),
    validators("completed, substring", { validationStatus: "completed", nodeIds: "7,q" }),
    list("delegators", `${NETWORK}/delegators`),
    list("delegators of one node", `${NETWORK}/delegators`, { nodeIds: formatNodeId(nodeOf(3)) }),
    list("pending rewards of one node", `${NETWORK}/rewards:listPending`, { nodeIds: formatNodeId(nodeOf(3)) }),
    list("paid rewards of 64 addresses", `${NETWORK}/rewards`, { addresses: Array.from({ length: 64 }, (_, i) => holder(i)).join() }),
    list("subnets", `${NETWORK}/subnets`),
    list("blockchains", `${NETWORK}/blockchains`),
    list("L1 validators", `${NETWORK}/l1Validators`),
  ];
}

/** Takes the IDs from the server's lists. */
export async function pointCases(origin: string): Promise<PointCase[]> {
  const items = async (path: string, member: string, name: string): Promise<string[]> => {
    const { json } = await ask(origin, { path: withParameters(path, { pageSize: PAGE }) });
    return (json[member] as Record<string, unknown>[]).map((item) => `${item[name]}`);
  };
  const many = (path: (index: number) => string): LoadRequest[] => Array.from({ length: DISTINCT }, (_, i) => ({ path: path(i) }));
  const each = (values: readonly string[], path: (value: string) => string): LoadRequest[] =>
    values.map((value) => ({ path: path(value) }));
  const point = (name: string, requests: readonly LoadRequest[]): PointCase => ({ name, requests });
  const past = (i: number) => Number(GENESIS_TIME) + 60 + 7 * i;
  return [
    point(
      "balances, largest holder, now",
      many((i) => `${X}/balances?addresses=${exchange}&n=${i}`),
    ),
    point(
      "balances, largest holder, then",
      many((i) => `${X}/balances?addresses=${exchange}&blockTimestamp=${past(i)}`),
    ),
    point(
      "balances, X, an address",
      many((i) => `${X}/balances?addresses=${holder(i)}`),
    ),
    point(
      "balances, P, an address",
      many((i) => `${P}/balances?addresses=${holder(i)}`),
    ),
    point(
      "balances, P, an address, then",
      many((i) => `${P}/balances?addresses=${holder(i)}&blockTimestamp=${past(i)}`),
    ),
    point(
      "balances, the whole X-chain",
      many((i) => `${X}/balances?n=${i}`),
    ),
    point(
      "balances, the whole P-chain, then",
      many((i) => `${P}/balances?blockTimestamp=${past(i)}`),
    ),
    point(
      "UTXOs, X, an address",
      many((i) => `${X}/utxos?addresses=${holder(i)}`),
    ),
    point(
      "UTXOs, P, an address",
      many((i) => `${P}/utxos?addresses=${holder(i)}`),
    ),
    point(
      "transactions, X, an address",
      many((i) => `${X}/transactions?addresses=${holder(i)}`),
    ),
    point(
      "transactions, P, an address",
      many((i) => `${P}/transactions?addresses=${holder(i)}`),
    ),
    point(
      "listStaking, an address",
      many((i) => `${P}/transactions:listStaking?addresses=${holder(i)}`),
    ),
    point(
      "transaction, P",
      each(await items(`${P}/transactions`, "transactions", "txHash"), (id) => `${P}/transactions/${id}`),
    ),
    point(
      "transaction, X",
      each(await items(`${X}/transactions`, "transactions", "txHash"), (id) => `${X}/transactions/${id}`),
    ),
    point("asset", [{ path: `${X}/assets/${AVAX}` }]),
    point(
      "block by height, X",
      many((i) => `${X}/blocks/${1 + i}`),
    ),
    point(
      "block by ID, P",
      each(await items(`${P}/blocks`, "blocks", "blockHash"), (id) => `${P}/blocks/${id}`),
    ),
    point(
      "validations of a node",
      many((i) => `${NETWORK}/validators/${formatNodeId(nodeOf(i))}`),
    ),
    point(
      "validators, a substring",
      many((i) => `${NETWORK}/validators?nodeIds=${formatNodeId(nodeOf(i)).slice(10, 13)}`),
    ),
    point(
      "delegators, an address",
      many((i) => `${NETWORK}/delegators?rewardAddresses=${holder(i)}`),
    ),
    point(
      "pending rewards, an address",
      many((i) => `${NETWORK}/rewards:listPending?addresses=${holder(i)}`),
    ),
    point(
      "paid rewards, an address",
      many((i) => `${NETWORK}/rewards?addresses=${holder(i)}`),
    ),
    point(
      "subnet",
      each(await items(`${NETWORK}/subnets`, "subnets", "subnetId"), (id) => `${NETWORK}/subnets/${id}`),
    ),
    point(
      "blockchain",
      each(await items(`${NETWORK}/blockchains`, "blockchains", "blockchainId"), (id) => `${NETWORK}/blockchains/${id}`),
    ),
    point(
      "last activity, an address",
      many((i) => `${X}/lastActivityTimestampByAddresses?addresses=${holder(i)}`),
    ),
    point(
      "chains of an address",
      many((i) => `${NETWORK}/addresses:listChainIds?addresses=${holder(i)}`),
    ),
    point("last activity, 100 addresses, POST", [
      {
        path: `${X}/lastActivityTimestampByAddresses`,
        body: JSON.stringify({ addresses: Array.from({ length: 100 }, (_, i) => holder(i)).join() }),
      },
    ]),
    point("network details", [{ path: NETWORK }]),
    point("supply", [{ path: "/v1/avax/supply" }]),
    point("live-check", [{ path: "/v1/live-check" }]),
  ];
}
