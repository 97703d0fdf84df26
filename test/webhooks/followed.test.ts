/** A Firn that follows a devnet as a node and as an EVM chain, from the command line: its workers and its database pass on what clients ask. */
import { Avalanche } from "@avalanche-sdk/chainkit";
import { createWalletClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addKey } from "../../src/api/access/manage-keys.ts";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { FirnProcess } from "../cli/firn.ts";
import { eventually } from "../patience.ts";
import { dropDatabase, makeDatabase } from "../postgres/made-database.ts";
import { sharedServerPort } from "../postgres/shared-server.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

let network: LocalNetwork;
let receiver: Receiver;

beforeAll(async () => {
  [network, receiver] = await Promise.all([startDevnet(), startReceiver()]);
});
afterAll(() => Promise.all([network?.stop(), receiver?.stop()]));

async function pay(to: Hex, value: bigint): Promise<Hex> {
  const account = privateKeyToAccount(network.accounts[3]!.privateKeyHex as Hex);
  const wallet = createWalletClient({ account, transport: http(network.urls.C) });
  return wallet.sendTransaction({ to, value, chain: null });
}

test.each([
  { store: "a file, with two workers", isPostgres: false, more: ["--workers", "2"], watched: "0x7171717171717171717171717171717171717171" },
  { store: "PostgreSQL", isPostgres: true, more: [], watched: "0x7272727272727272727272727272727272727272" },
] as const)("a key's webhook is told of payments, also of those while nobody ran: $store", async ({ isPostgres, more, watched }) => {
  const directory = scratchDirectory();
  const server = isPostgres ? `postgres://postgres@127.0.0.1:${await sharedServerPort()}/postgres` : undefined;
  const database = server && (await makeDatabase(server));
  const { key } = await addKey(directory, { tier: "free", privileges: ["read", "write"] });
  const args = ["follow", "--rpc", network.urls.C, "--data-dir", directory, "--http-port", "0", "--log-level", "error"];
  const start = () =>
    new FirnProcess([...args, "--webhook-targets", "all", ...more, ...(database === undefined ? [] : ["--store", database])]);
  let firn = start();
  const [serverURL] = await firn.printed(/http:[^ ]+/);
  const { webhooks } = new Avalanche({ network: "fuji", enableTelemetry: false, apiKey: key });
  const before = receiver.received.length;
  // the chain is indexed from its first block on, of which nobody is told
  const made = await eventually(() =>
    webhooks
      .create(
        { eventType: "address_activity", url: receiver.url, chainId: `${network.evmChainId}`, metadata: { addresses: [watched] } },
        { serverURL: serverURL! },
      )
      .catch(() => undefined),
  );
  const first = await pay(watched, 1n);
  await receiver.first(before + 1);
  await firn.end();
  const second = await pay(watched, 2n);
  firn = start();
  const told = (await receiver.first(before + 2)).slice(before);
  expect(told.map(({ message }) => message.event.transaction.txHash)).toEqual([first, second]);
  const [again] = await firn.printed(/http:[^ ]+/);
  const { deliveries } = await eventually(async () => {
    const response = await fetch(`${again}/v1/webhooks/${made.id}/deliveries`, { headers: { "x-data-api-key": key } });
    const body = (await response.json()) as { deliveries: { state: string; messageId: string }[] };
    return body.deliveries.every(({ state }) => state === "delivered") ? body : undefined;
  });
  expect(deliveries.map(({ messageId }) => messageId)).toEqual(told.map(({ message }) => message.messageId).reverse());
  await firn.end();
  if (database !== undefined) await dropDatabase(server!, database);
});
