/** Messages between the C-chain and an L1 of a devnet. */
import type { Hex } from "viem";
import { expect, test } from "vitest";
import { accountKeys } from "../../../src/devnet/account-keys.ts";
import { eventually } from "../../patience.ts";
import { deploying } from "../anvil/precompiles/warp-actor.ts";
import { startNetwork } from "../engine-network.ts";
import { L1Client } from "../l1-network.ts";
import { isDelivery, MESSENGER, sendingTo, teleporterMessage } from "./messenger.ts";

test("messengers of the C-chain and of an L1 reach each other", async () => {
  const { devnet } = await startNetwork({}, { evm: {}, accountKeys: accountKeys({}) });
  await devnet.evm!.ready();
  const { chainId } = await devnet.createL1({});
  const { cChainId } = devnet.network;
  const [c, l1] = [new L1Client(devnet, cChainId), new L1Client(devnet, chainId)];
  const messenger = await deployOn(c);
  expect(await deployOn(l1)).toBe(messenger);
  await c.pay(0n, { to: messenger, data: sendingTo(chainId, 1, "0x11"), gas: 500_000n });
  await l1.pay(0n, { to: messenger, data: sendingTo(cChainId, 2, "0x22"), gas: 500_000n });
  // the L1's validators count with the next epoch, which blocks of the P-chain begin
  await devnet.advanceTime(31n);
  await devnet.fund(`P-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u`, 1n);
  await devnet.advanceTime(31n);
  await devnet.fund(`P-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u`, 1n);
  expect(await received(l1, messenger)).toEqual({ from: `0x${cChainId}`, content: teleporterMessage(chainId, 1, "0x11") });
  expect(await received(c, messenger)).toEqual({ from: `0x${chainId}`, content: teleporterMessage(cChainId, 2, "0x22") });
});

async function deployOn(client: L1Client): Promise<Hex> {
  const hash = await client.pay(0n, { to: undefined, data: deploying(MESSENGER), gas: 1_000_000n });
  const { contractAddress } = (await client.ask("eth_getTransactionReceipt", hash)) as { contractAddress: Hex };
  return contractAddress;
}

/** Waits for the message. */
async function received(client: L1Client, messenger: Hex): Promise<{ from: Hex; content: Hex }> {
  const filter = { address: messenger, fromBlock: "0x0", toBlock: "latest" };
  const logs = () => client.ask("eth_getLogs", filter) as Promise<{ topics: [Hex, Hex]; data: Hex }[]>;
  const log = await eventually(async () => (await logs()).find(isDelivery));
  return { from: log.topics[0], content: log.data };
}
