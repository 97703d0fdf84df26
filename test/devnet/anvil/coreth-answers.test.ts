/** Answers in which the development EVM differs from a node of the C-chain, and Firn does not. */
import { getAddress } from "viem";
import { describe, expect, test } from "vitest";
import { keccak256 } from "../../../src/base/bytes/hash.ts";
import { encodeRlpInteger } from "../../../src/base/codec/rlp.ts";
import { trieRoot } from "../../../src/chains/atomic/trie-root.ts";
import { EvmNetwork, FEES } from "./evm-network.ts";

const POOR = `0x${"b0".repeat(20)}`;
const NONE = `0x${"ab".repeat(32)}`;
/** of the funded account on C at the start, aAVAX */
const FUNDS = 50_000_000n * 10n ** 18n;

const hex = (value: bigint) => `0x${value.toString(16)}`;

describe("the gas of what cannot be paid", () => {
  test("is not estimated, in the words of coreth", async () => {
    const network = await EvmNetwork.start();
    const rich = network.account.address;
    const estimate = (call: object, ...rest: unknown[]) => network.answer("eth_estimateGas", call, ...rest);
    const refused = (message: string) => ({ error: { code: -32000, message } });
    const checksummed = getAddress(POOR);
    const short = (gas: bigint) =>
      refused(`failed with ${gas} gas: insufficient funds for gas * price + value: address ${checksummed} have 0 want 1`);
    const payment = { from: POOR, to: rich, value: "0x1" };
    expect(await estimate(payment)).toMatchObject(short(15_000_000n));
    expect(await estimate({ ...payment, gas: "0xc350" })).toMatchObject(short(50_000n));
    for (const fee of [{ gasPrice: "0x5" }, { maxFeePerGas: "0x5" }]) {
      expect(await estimate({ ...payment, ...fee })).toMatchObject(refused("insufficient funds for transfer"));
      expect(await estimate({ from: POOR, to: rich, ...fee })).toMatchObject(refused("insufficient funds for transfer"));
      expect(await estimate({ from: rich, to: POOR, value: hex(FUNDS), ...fee })).toMatchObject(refused("insufficient funds for transfer"));
      const left = { from: rich, to: POOR, value: hex(FUNDS - 5n * 20_999n - 4n), ...fee };
      expect(await estimate(left)).toMatchObject(refused("gas required exceeds allowance (20999)"));
      expect(await estimate({ ...left, value: hex(FUNDS - 5n * 21_000n) })).toMatchObject({ result: "0x5208" });
    }
    // a creation costs more than a payment
    const creation = { from: rich, data: "0x00", value: hex(FUNDS - 21_000n), gasPrice: "0x1" };
    expect(await estimate(creation)).toMatchObject(refused("gas required exceeds allowance (21000)"));
    const given = { [POOR]: { balance: "0x1" } };
    expect(await estimate(payment, "latest", given)).toMatchObject({ result: "0x5208" });
    expect(await estimate(payment, "latest", { [POOR]: { balance: "0x0" } })).toMatchObject(short(15_000_000n));
  });

  test("is left to the EVM if the call cannot be read", async () => {
    const network = await EvmNetwork.start();
    for (const call of [{ value: "much" }, { value: 5 }, { from: "nobody", value: "0x1" }, "value", null]) {
      const { error } = await network.answer("eth_estimateGas", call);
      if (error !== undefined) expect(error.message).not.toContain("insufficient");
    }
  });
});

test("errors have geth's words and codes", async () => {
  const network = await EvmNetwork.start();
  const from = network.account.address;
  const error = (code: number, message: string) => ({ error: { code, message } });
  for (const method of ["eth_getBalance", "eth_getTransactionCount", "eth_getCode"]) {
    expect(await network.answer(method, from)).toMatchObject(error(-32602, "missing value for required argument 1"));
  }
  expect(await network.answer("eth_getStorageAt", from, "0x0")).toMatchObject(error(-32602, "missing value for required argument 2"));
  const reverted = await network.answer("eth_call", { from, data: "0x60006000fd" }, "latest");
  expect(reverted).toEqual({ jsonrpc: "2.0", id: 1, ...error(-32000, "execution reverted") });
  // what a contract says is passed on
  expect(await network.answer("eth_call", { from, data: "0x60ff60005260206000fd" }, "latest")).toMatchObject({
    error: { code: 3, data: `0x${"ff".padStart(64, "0")}` },
  });
  for (const [data, message] of [
    ["0xfe", "invalid opcode: INVALID"],
    ["0x600456", "invalid jump destination"],
    ["0x5b600056", "out of gas"],
  ]) {
    expect(await network.answer("eth_call", { from, data, gas: "0x20000" }, "latest")).toMatchObject(error(-32000, message!));
  }
  await network.pay(POOR, 1n);
  const late = await network.sign({ ...FEES, type: "eip1559", nonce: 0, to: POOR as `0x${string}`, gas: 21_000n });
  expect(await network.answer("eth_sendRawTransaction", late)).toMatchObject({
    error: { code: -32000, message: expect.stringMatching(/^nonce too low/) },
  });
  expect(await network.answer("debug_getRawReceipts", NONE)).toMatchObject({ result: [] });
});

test("a transaction in no block has no trace and no bytes", async () => {
  const network = await EvmNetwork.start();
  for (const tracer of [undefined, "callTracer", "prestateTracer"]) {
    const { error } = await network.answer("debug_traceTransaction", NONE, ...(tracer === undefined ? [] : [{ tracer }]));
    expect(error).toEqual({ code: -32000, message: "transaction not found" });
  }
  const hash = await network.pay(POOR, 1n);
  expect((await network.answer("debug_traceTransaction", hash, { tracer: "callTracer" })).result).toMatchObject({ value: "0x1" });
  for (const method of ["debug_getRawTransaction", "eth_getRawTransactionByHash"]) {
    expect((await network.answer(method, NONE)).result).toBe("0x");
    expect((await network.answer(method, hash)).result).toMatch(/^0x02f8/);
  }
});

describe("raw blocks", () => {
  test("are those that the index of containers has, with their header and their receipts", async () => {
    const network = await EvmNetwork.start({}, { blockTimeMs: 3_600_000 });
    const nonce = await network.nonce();
    // one with a log, LOG1 of nothing, one without, and a legacy one that reverts
    const [log, revert] = ["0x600560006000a1", "0x60006000fd"] as const;
    const signed = [
      await network.sign({ ...FEES, type: "eip1559", nonce, gas: 100_000n, data: log }),
      await network.sign({ ...FEES, type: "eip1559", nonce: nonce + 1, gas: 21_000n, to: POOR as `0x${string}` }),
      await network.sign({ type: "legacy", gasPrice: FEES.maxFeePerGas, nonce: nonce + 2, gas: 100_000n, data: revert }),
    ];
    for (const raw of signed) await network.send(raw);
    await network.exportToC(5_000_000_000n);
    await network.devnet.mine();
    await network.importToC();
    await network.devnet.mine();
    for (const height of [1n, 2n]) {
      const { result: block } = await network.answer("eth_getBlockByNumber", hex(height), false);
      const { hash, receiptsRoot } = block as { hash: string; receiptsRoot: string };
      for (const asked of [hex(height), hash, { blockHash: hash }, { blockNumber: hex(height) }]) {
        const [raw, header] = [await network.answer("debug_getRawBlock", asked), await network.answer("debug_getRawHeader", asked)];
        expect(raw.result).toBe(`0x${Buffer.from((await network.storedBlock(height))!.bytes).toString("hex")}`);
        expect(keccak256(bytesOf(header.result)).toString("hex")).toBe(hash.slice(2));
        const { result: receipts } = await network.answer("debug_getRawReceipts", asked);
        expect(`0x${rootOf((receipts as string[]).map(bytesOf)).toString("hex")}`).toBe(receiptsRoot);
      }
    }
    expect((await network.answer("debug_getRawReceipts", "0x1")).result).toHaveLength(3);
  });

  test("exist of genesis and of the last block, and of none that is not there", async () => {
    const network = await EvmNetwork.start();
    const { result: genesis } = await network.answer("debug_getRawBlock", "earliest");
    for (const tag of ["latest", "pending", "safe", "finalized", "0x0"]) {
      expect((await network.answer("debug_getRawBlock", tag)).result).toBe(genesis);
    }
    const { result } = await network.answer("eth_getBlockByNumber", "0x0", false);
    const { result: header } = await network.answer("debug_getRawHeader", "0x0");
    expect(`0x${keccak256(bytesOf(header)).toString("hex")}`).toBe((result as { hash: string }).hash);
    const message = async (...params: unknown[]) => (await network.answer("debug_getRawBlock", ...params)).error;
    expect(await message(NONE)).toEqual({ code: -32000, message: `block #[${Array(32).fill(0xab).join(" ")}] not found` });
    expect(await message()).toEqual({ code: -32602, message: "missing value for required argument 0" });
    for (const wrong of [null, 5, {}, [], "yesterday"]) expect(await message(wrong)).toBeDefined();
  });
});

function bytesOf(text: unknown): Buffer {
  return Buffer.from((text as string).slice(2), "hex");
}

/** Of a block's receipts: their keys are their positions. */
function rootOf(receipts: readonly Buffer[]): Buffer {
  const steps = trieRoot(receipts.map((value, index) => ({ key: encodeRlpInteger(BigInt(index)).toString("hex"), value })));
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
