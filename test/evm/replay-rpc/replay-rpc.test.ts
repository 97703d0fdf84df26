import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordingFolder } from "../../conformance/recordings.ts";
import { countNonces } from "./nonces.ts";
import { type Recording, readRecording } from "./recording.ts";
import { type ReplayRpc, startReplayRpc } from "./replay-rpc.ts";

let node: ReplayRpc;
let recording: Recording;

beforeAll(async () => {
  recording = readRecording(recordingFolder("evm-1"));
  node = await startReplayRpc({ recording: recordingFolder("evm-1") });
});
afterAll(() => node.close());

async function ask(method: string, ...params: unknown[]): Promise<{ result?: unknown; error?: { code: number; message: string } }> {
  const reply = await fetch(node.url, { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) });
  return (await reply.json()) as never;
}

describe("a replayed node", () => {
  test("answers every recorded probe as the recorded node did", async () => {
    const differing = [];
    for (const [method, probes] of Object.entries(recording.network.probes)) {
      if (["eth_getChainConfig", "eth_baseFee", "eth_callDetailed"].includes(method)) continue;
      for (const { params, response } of probes) {
        const { result, error } = await ask(method, ...params);
        if (JSON.stringify({ result, error }) !== JSON.stringify({ result: response.result, error: response.error }))
          differing.push([method, params, { result, error }]);
      }
    }
    expect(differing).toEqual([]);
  });

  test("knows balances, nonces, tokens and owners at recorded heights, and says of others that it has no state", async () => {
    for (const at of recording.accounts) {
      const tag = `0x${at.height.toString(16)}`;
      for (const [address, { balance }] of Object.entries(at.accounts).slice(0, 5)) {
        expect((await ask("eth_getBalance", address, tag)).result).toBe(`0x${BigInt(balance).toString(16)}`);
      }
      const [token, holders] = Object.entries(at.erc20)[0]!;
      for (const [holder, amount] of Object.entries(holders)) {
        const data = `0x70a08231${holder.slice(2).padStart(64, "0")}`;
        expect(BigInt((await ask("eth_call", { to: token, data }, tag)).result as string)).toBe(BigInt(amount));
      }
    }
    const [address] = Object.keys(recording.accounts[0]!.accounts);
    expect((await ask("eth_getBalance", address, "0x1")).error?.message).toMatch(/missing trie node/);
    expect((await ask("eth_call", { to: address, data: "0x70a08231" }, "latest")).result).toBe("0x");
  });

  test("refuses what it does not have as nodes do", async () => {
    expect((await ask("trace_block", "0x1")).error).toEqual({
      code: -32601,
      message: "the method trace_block does not exist/is not available",
    });
  });
});

test("nonces that are counted in the blocks of anvil are the recorded ones", () => {
  const { accounts, blocks } = readRecording(recordingFolder("evm-anvil-1"));
  const nonceAt = countNonces(blocks);
  const differing = accounts.flatMap((at) =>
    Object.entries(at.accounts).flatMap(([address, { nonce }]) => {
      const counted = nonceAt(address, at.height);
      return counted === nonce ? [] : [[at.height, address, nonce, counted]];
    }),
  );
  expect(differing).toEqual([]);
});

test("made-up branches hang together, and the recorded one comes back", async () => {
  const replayed = await startReplayRpc({ recording: recordingFolder("evm-anvil-1"), head: 100 });
  try {
    const before = replayed.blocks.map(({ block }) => block.hash);
    replayed.reorganise(40, { length: 45 });
    expect(replayed.head).toBe(105);
    const after = replayed.blocks;
    expect(after.slice(0, 61).map(({ block }) => block.hash)).toEqual(before.slice(0, 61));
    for (const [height, { block, receipts, traces }] of after.entries()) {
      if (height > 60) expect(before).not.toContain(block.hash);
      if (height > 0) expect(block.parentHash).toBe(after[height - 1]!.block.hash);
      expect(Number(block.number)).toBe(height);
      expect(receipts.map(({ transactionHash, blockHash }) => [transactionHash, blockHash])).toEqual(
        block.transactions.map(({ hash }) => [hash, block.hash]),
      );
      expect(traces!.map(({ txHash }) => txHash)).toEqual(block.transactions.map(({ hash }) => hash));
    }
    expect(after.slice(61).flatMap(({ block }) => block.transactions).length).toBeGreaterThan(20);
    replayed.restore(100);
    expect(replayed.blocks.map(({ block }) => block.hash)).toEqual(before);
  } finally {
    await replayed.close();
  }
});
