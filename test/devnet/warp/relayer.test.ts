import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import { relayerAddress } from "../../../src/devnet/warp/relayer-account.ts";
import { eventually } from "../../patience.ts";
import { killChild } from "../anvil/evm-actions.ts";
import { EvmNetwork } from "../anvil/evm-network.ts";
import { call, deploy, receiptOf, signed } from "../anvil/precompiles/warp-actor.ts";
import { isDelivery, MESSENGER, sendingTo, teleporterMessage } from "./messenger.ts";

interface Log {
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

describe("a message between messengers", () => {
  test("is delivered once, by the devnet's own account", async () => {
    const network = await EvmNetwork.start();
    const messenger = await deploy(network, MESSENGER);
    await send(network, messenger, 1);
    const [log, ...others] = await delivered(network, messenger, 1);
    expect(others).toEqual([]);
    expect(log!.data).toBe(teleporterMessage(network.devnet.network.cChainId, 1, "0x1234"));
    expect(log!.topics).toEqual([`0x${network.devnet.network.cChainId}`, `0x${relayerAddress.padStart(64, "0")}`]);
  });

  test("is delivered after others that nobody takes", async () => {
    const network = await EvmNetwork.start();
    const messenger = await deploy(network, MESSENGER);
    const { cChainId } = network.devnet.network;
    // no such chain; not such a message; from an account without a contract
    await call(network, { to: messenger, data: sendingTo("12".repeat(32), 1, "0x") });
    await call(network, { to: messenger, data: `0xee5b48eb${"20".padStart(64, "0")}${"0".repeat(64)}` });
    await call(network, { to: "0x0200000000000000000000000000000000000005", data: sendingTo(cChainId, 2, "0x") });
    await send(network, messenger, 3);
    expect(await delivered(network, messenger, 1)).toHaveLength(1);
  });

  test("is delivered once if everything is killed meanwhile", async () => {
    let network = await EvmNetwork.start();
    const messenger = await deploy(network, MESSENGER);
    for (let nonce = 1; nonce <= 6; nonce++) {
      await send(network, messenger, nonce);
      if (nonce === 2) await killChild(network);
      if (nonce === 4) {
        await network.devnet.stop();
        network = await EvmNetwork.start({ directory: network.directory });
      }
    }
    expect(await delivered(network, messenger, 6)).toHaveLength(6);
    await network.devnet.stop();
    const again = await EvmNetwork.start({ directory: network.directory });
    await send(again, messenger, 7);
    const contents = (await delivered(again, messenger, 7)).map(({ data }) => data);
    expect(new Set(contents).size).toBe(7);
    expect(contents).toHaveLength(7);
  });

  test("is delivered with a block time, too", async () => {
    const network = await EvmNetwork.start();
    const messenger = await deploy(network, MESSENGER);
    await network.devnet.stop();
    const slow = await EvmNetwork.start({ directory: network.directory }, { blockTimeMs: 50 });
    await slow.evm.ready();
    const hash = await slow.send(await signed(slow, { to: messenger, data: sendingTo(slow.devnet.network.cChainId, 1, "0x") }));
    expect(await delivered(slow, messenger, 1)).toHaveLength(1);
    expect((await receiptOf(slow, hash)).status).toBe("0x1");
  });

  test("is there again to be delivered after a revert", async () => {
    const network = await EvmNetwork.start();
    const messenger = await deploy(network, MESSENGER);
    const before = await network.devnet.snapshot();
    await send(network, messenger, 1);
    await delivered(network, messenger, 1);
    await network.devnet.revert(before);
    expect(await logs(network, messenger)).toEqual([]);
    await send(network, messenger, 1);
    expect(await delivered(network, messenger, 1)).toHaveLength(1);
  });

  test("stays undelivered without a relayer", async () => {
    const network = await EvmNetwork.start({}, { relays: false });
    const messenger = await deploy(network, MESSENGER);
    await send(network, messenger, 1);
    await network.devnet.stop();
    const relaying = await EvmNetwork.start({ directory: network.directory });
    expect(await delivered(relaying, messenger, 1)).toHaveLength(1);
  });
});

/** From the C-chain to itself. */
async function send(network: EvmNetwork, messenger: Hex, nonce: number): Promise<void> {
  await call(network, { to: messenger, data: sendingTo(network.devnet.network.cChainId, nonce, "0x1234") });
}

async function logs(network: EvmNetwork, messenger: Hex): Promise<Log[]> {
  const all = (await network.ask("eth_getLogs", { address: messenger, fromBlock: "0x0", toBlock: "latest" })) as Log[];
  return all.filter(isDelivery);
}

/** Waits until there are as many. */
function delivered(network: EvmNetwork, messenger: Hex, count: number): Promise<Log[]> {
  return eventually(async () => {
    const found = await logs(network, messenger);
    return found.length >= count && found;
  });
}
