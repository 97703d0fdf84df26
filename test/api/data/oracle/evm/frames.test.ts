import { getContractAddress } from "viem";
import { expect, test } from "vitest";
import { type Ask, type RawFrame, Refused, readChain } from "./chain-answers.ts";
import { Frames } from "./frames.ts";

const CREATOR = "0xd7442ec9e93af72d3eef5f1081eddd7eb6dde18e";
const SENDER = "0x04f06aaa2d280b14ebdfb069233831d9ffb66e77";
const FAILED: RawFrame = { type: "CREATE", from: CREATOR, value: "0x1", error: "execution reverted" };
const CALL: RawFrame = { type: "CALL", from: SENDER, to: CREATOR, value: "0x0", calls: [FAILED] };

/** A chain whose block 1 has a call in which a creation fails. */
const node =
  (nonce: () => string): Ask =>
  async (method, params) => {
    if (method === "eth_blockNumber") return "0x1";
    if (method === "eth_getBlockReceipts") return [];
    if (method === "debug_traceBlockByNumber") return [{ result: CALL }];
    if (method === "eth_getTransactionCount") return params[0] === CREATOR && params[1] === "0x0" ? nonce() : "0x0";
    return { number: params[0], transactions: params[0] === "0x1" ? [{ hash: "0x1" }] : [] };
  };

async function failedAddress(ask: Ask): Promise<string> {
  const frames = new Frames();
  const [, block] = await readChain(ask);
  frames.know(block!.nonces);
  return frames.read(block!.traces[0]!, undefined).internals[0]!.to;
}

const addressAt = (nonce: bigint) => getContractAddress({ from: CREATOR, nonce }).toLowerCase();

test("a failed creation has the address of the nonce that the node tells", async () => {
  expect(await failedAddress(node(() => "0x8"))).toBe(addressAt(8n));
});

test("where the node does not tell, nonces are counted", async () => {
  const untold = node(() => {
    throw new Refused("no state");
  });
  expect(await failedAddress(untold)).toBe(addressAt(1n));
});
