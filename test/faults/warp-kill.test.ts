/** A devnet that is killed while it delivers warp messages: each arrives once. */
import { createPublicClient, createWalletClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { freePort } from "../../bench/free-port.ts";
import { EWOQ_KEY } from "../../src/devnet/account-keys.ts";
import { deploying } from "../devnet/anvil/precompiles/warp-actor.ts";
import { call } from "../devnet/json-rpc.ts";
import { isDelivery, MESSENGER, sendingTo } from "../devnet/warp/messenger.ts";
import { delay, eventually } from "../patience.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { DevnetProcess } from "./devnet-process.ts";

const account = privateKeyToAccount(`0x${EWOQ_KEY.toString("hex")}`);
const KILLS_AFTER_MS = [0, 10, 30, 60, 100];

test("each message is delivered once, however often the devnet is killed", async () => {
  const dataDirectory = scratchDirectory();
  const port = await freePort();
  let devnet = await started(dataDirectory, port);
  const transport = http(`${devnet.url}/ext/bc/C/rpc`);
  const [reader, wallet] = [createPublicClient({ transport }), createWalletClient({ account, transport })];
  const deployed = await wallet.sendTransaction({ chain: null, data: deploying(MESSENGER) });
  const messenger = (await reader.getTransactionReceipt({ hash: deployed })).contractAddress!;
  const { result } = await call(devnet.url, {
    path: "/ext/bc/C/rpc",
    method: "eth_call",
    params: [{ to: WARP, data: GET_BLOCKCHAIN_ID }, "latest"],
  });
  const chainId = (result as Hex).slice(2);
  try {
    for (const [round, ms] of KILLS_AFTER_MS.entries()) {
      for (const nonce of [2 * round, 2 * round + 1]) {
        const hash = await wallet.sendTransaction({ chain: null, to: messenger, data: sendingTo(chainId, nonce, "0x") });
        expect((await reader.getTransactionReceipt({ hash })).status).toBe("success");
      }
      await delay(ms);
      await devnet.kill();
      devnet = await started(dataDirectory, port);
    }
    const wanted = 2 * KILLS_AFTER_MS.length;
    const logs = await eventually(async () => {
      const there = (await reader.getLogs({ address: messenger, fromBlock: 0n })).filter(isDelivery);
      return there.length >= wanted && there;
    });
    expect(new Set(logs.map(({ data }) => data)).size).toBe(wanted);
    expect(logs).toHaveLength(wanted);
  } finally {
    await devnet.kill();
  }
});

const WARP = "0x0200000000000000000000000000000000000005";
const GET_BLOCKCHAIN_ID = "0x4213cf78";

async function started(dataDirectory: string, port: number): Promise<DevnetProcess> {
  const devnet = new DevnetProcess({ dataDirectory, port });
  await devnet.evmAnswers();
  return devnet;
}
