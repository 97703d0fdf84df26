/** Checks that the tests beside this one cover everything that the clients offer or distinguish. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as models from "@avalanche-sdk/chainkit/models/components";
import { expect, test } from "vitest";
import { isHostedAlone } from "../../src/api/data/hosted-routes.ts";
import { fullPath } from "../../src/api/data/route.ts";
import { dataRoutes } from "../../src/api/data/routes.ts";
import { CLIENT_NAMES, type Client, clientNamed, memberAt } from "./data-clients.ts";
import { NOWHERE, VARIANTS } from "./data-coverage.ts";
import { METHOD_NAMES, methodNamed } from "./data-methods.ts";
import { EVM_METHOD_NAMES } from "./evm-methods.ts";

const PRIMARY_PARTS = ["transactions", "rewards", "utxos", "balances", "blocks", "vertices"];
const PRIMARY = ["data.primaryNetwork", ...PRIMARY_PARTS.map((part) => `data.primaryNetwork.${part}`)];
const EVM = [
  ...["chains", "balances", "contracts", "transactions"].map((part) => `data.evm.address.${part}`),
  ...["transactions", "blocks", "contracts", "chains"].map((part) => `data.evm.${part}`),
  "data.nfts",
];

/** Where each client keeps what it offers for the primary network and for EVM chains. */
const PLACES = {
  chainkit: [...PRIMARY, ...EVM],
  avacloud: [...PRIMARY, ...EVM],
  glacier: [
    "primaryNetwork",
    ...["Transactions", "Rewards", "UtxOs", "Balances", "Blocks", "Vertices"].map((part) => `primaryNetwork${part}`),
    ...["evmBalances", "evmBlocks", "evmChains", "evmContracts", "evmTransactions", "nfTs"],
  ],
};

/** Changes what the hosted service says of a contract, for those who have an account there. */
const OF_THE_SERVICE = ["evmContracts.updateContractInfo"];

test.each(CLIENT_NAMES)("%s is asked for everything that it has of the primary network and of EVM chains", (name) => {
  const client = clientNamed(name, { serverUrl: "http://127.0.0.1:1" });
  const offered = PLACES[name].flatMap((place) => methodsAt(client, place)).filter((path) => !OF_THE_SERVICE.includes(path));
  const asked = [...METHOD_NAMES, ...EVM_METHOD_NAMES].map(methodNamed).filter((method) => client.has(method));
  const paths = asked.map(({ path, glacier }) => (name === "glacier" ? glacier! : path));
  expect(paths.filter((path) => /^(data\.)?(primaryNetwork|evm|nfts|nfTs)/.test(path)).sort()).toEqual(offered.sort());
});

test("a path that the clients ask for and Firn lacks is told from a mistyped one", () => {
  const asked = new Set<string>();
  for (const sdk of ["@avalanche-sdk/chainkit", "@avalabs/avacloud-sdk"]) {
    const folder = `node_modules/${sdk}`;
    for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js")))
      for (const [, path] of readFileSync(join(folder, file), "utf8").matchAll(/pathToFunc\)?\("([^"]+)"/g)) asked.add(path!);
  }
  expect(asked.size).toBeGreaterThan(90);
  const shape = (path: string) => path.replace(/\{\w+\}/g, "{}");
  const served = new Set(dataRoutes.map((route) => shape(fullPath(route))));
  for (const path of asked) expect(isHostedAlone(path.replace(/\{\w+\}/g, "x1")), path).toBe(!served.has(shape(path)));
  for (const path of ["/v1/webhook", "/v1/webhooks/a/b", "/v2/chains/a/b", "/v1/networks/x"]) expect(isHostedAlone(path), path).toBe(false);
});

function methodsAt({ root }: Client, place: string): string[] {
  const service = memberAt(root, place).value as object;
  const members = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(service)));
  return members.filter(([name, { value }]) => name !== "constructor" && typeof value === "function").map(([name]) => `${place}.${name}`);
}

test.each([
  ["p-chain transaction", models.PChainTransactionType],
  ["x-chain transaction", models.XChainTransactionType],
  ["validator validationStatus", models.ValidationStatusType],
  ["delegator delegationStatus", models.DelegationStatusType],
  ["pendingreward rewardType", models.RewardType],
  ["historicalreward rewardType", models.RewardType],
  ["utxo rewardType", models.RewardType],
  ["p-chain utxo", models.UtxoType],
  ["asset type", models.PrimaryNetworkAssetType],
  ["asset cap", models.PrimaryNetworkAssetCap],
  ["evm transaction callType", models.TransactionMethodType],
  ["evm transaction internalTxType", models.InternalTransactionOpCall],
  ["evm chain status", models.ChainStatus],
  ["evm nft indexStatus", models.NftTokenMetadataStatus],
  ["evm balance tokenReputation", models.TokenReputation],
  ["evm contract ercType", { erc20: "ERC-20", erc721: "ERC-721", erc1155: "ERC-1155", unknown: "UNKNOWN" }],
])("a recording shows each %s that chainkit knows, or none can", (of, values) => {
  const known = [...VARIANTS, ...NOWHERE];
  for (const value of Object.values(values)) expect(known).toContain(`${of} ${value}`);
});

test("every list has been one of several pages and one of none", () => {
  const neverEmpty = ["listSubnets", "listBlockchains", "listUtxosByPost", "listEvmBlocks", "listEvmTransactions"];
  for (const name of [...METHOD_NAMES, ...EVM_METHOD_NAMES].filter((each) => methodNamed(each).list !== undefined)) {
    expect(VARIANTS).toContain(`${name} of pages`);
    if (!neverEmpty.includes(name)) expect(VARIANTS).toContain(`${name} of nothing`);
  }
});
