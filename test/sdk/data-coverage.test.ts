/** Nothing that the clients offer or distinguish is left out of the tests beside this one. */
import * as models from "@avalanche-sdk/chainkit/models/components";
import { expect, test } from "vitest";
import { CLIENT_NAMES, type Client, clientNamed, memberAt } from "./data-clients.ts";
import { NOWHERE, VARIANTS } from "./data-coverage.ts";
import { METHOD_NAMES, methodNamed } from "./data-methods.ts";

/** Where each client keeps what it offers for the primary network. */
const PLACES = {
  chainkit: [
    "data.primaryNetwork",
    ...["transactions", "rewards", "utxos", "balances", "blocks", "vertices"].map((part) => `data.primaryNetwork.${part}`),
  ],
  avacloud: [
    "data.primaryNetwork",
    ...["transactions", "rewards", "utxos", "balances", "blocks", "vertices"].map((part) => `data.primaryNetwork.${part}`),
  ],
  glacier: [
    "primaryNetwork",
    ...["Transactions", "Rewards", "UtxOs", "Balances", "Blocks", "Vertices"].map((part) => `primaryNetwork${part}`),
  ],
};

test.each(CLIENT_NAMES)("%s is asked for everything that it has of the primary network", (name) => {
  const client = clientNamed(name, { serverUrl: "http://127.0.0.1:1" });
  const offered = PLACES[name].flatMap((place) => methodsAt(client, place));
  const asked = METHOD_NAMES.map(methodNamed).filter((method) => client.has(method));
  const paths = asked.map(({ path, glacier }) => (name === "glacier" ? glacier! : path));
  expect(paths.filter((path) => /^(data\.)?primaryNetwork/.test(path)).sort()).toEqual(offered.sort());
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
])("a recording shows each %s that chainkit knows, or none can", (of, values) => {
  const known = [...VARIANTS, ...NOWHERE];
  for (const value of Object.values(values)) expect(known).toContain(`${of} ${value}`);
});

test("every list has been one of several pages and one of none", () => {
  const neverEmpty = ["listSubnets", "listBlockchains", "listUtxosByPost"];
  for (const name of METHOD_NAMES.filter((each) => methodNamed(each).list !== undefined)) {
    expect(VARIANTS).toContain(`${name} of pages`);
    if (!neverEmpty.includes(name)) expect(VARIANTS).toContain(`${name} of nothing`);
  }
});
