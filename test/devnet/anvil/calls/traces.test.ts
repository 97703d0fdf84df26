/** Traces of transactions are those of geth: with steps, and with the gas of one transaction alone. */
import { expect, test } from "vitest";
import { traced } from "../../../../src/devnet/anvil/calls/traces.ts";
import { evmCall } from "../../../../src/devnet/anvil/evm-call.ts";
import { restart } from "../evm-actions.ts";
import { EvmNetwork, FEES } from "../evm-network.ts";

/** What a program can see of its block, its transaction and the state, without operands but for the last three. */
const SEEN = ["30", "32", "33", "34", "36", "3a", "41", "42", "43", "44", "45", "46", "47", "48", "3231", "60014303" + "40", "3054"];

/** Adds what it sees to slots 0, 1, …, so that each transaction finds what the one before left. */
const PROGRAM = SEEN.map((code, slot) => `${code}60${byte(slot)}540160${byte(slot)}55`).join("");

interface Step {
  readonly op: string;
  readonly stack: readonly string[];
  readonly storage?: Readonly<Record<string, string>>;
}

interface Steps {
  readonly gas: number;
  readonly failed: boolean;
  readonly returnValue: string;
  readonly structLogs: readonly Step[];
}

interface Receipt {
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly gasUsed: string;
  readonly cumulativeGasUsed: string;
  readonly contractAddress: string;
}

/** Deploys the program and calls it three times in one block. */
async function programCalledThrice() {
  const network = await EvmNetwork.start({}, { blockTimeMs: 3_600_000, evm: { blocksPerDump: 1 } });
  const init = `60${byte(PROGRAM.length / 2)}80600b6000396000f3${PROGRAM}`;
  const creation = await network.send(await network.sign({ ...FEES, type: "eip1559", nonce: 0, data: `0x${init}`, gas: 500_000n }));
  await network.devnet.mine();
  const { contractAddress: to } = (await network.ask("eth_getTransactionReceipt", creation)) as Receipt;
  const hashes: string[] = [];
  for (const nonce of [1, 2, 3]) {
    const call = { nonce, to: to as `0x${string}`, value: 5n, gas: 600_000n, data: "0xabcd" as const };
    hashes.push(await network.send(await network.sign({ ...call, type: "legacy", gasPrice: 30_000_000_000n + BigInt(nonce) })));
  }
  await network.devnet.mine();
  const receipts = (await Promise.all(hashes.map((hash) => network.ask("eth_getTransactionReceipt", hash)))) as Receipt[];
  expect(new Set(receipts.map(({ blockNumber }) => blockNumber)).size).toBe(1);
  return { network, creation, to, hashes, receipts };
}

test("the steps of a transaction write what the transaction wrote", async () => {
  const { network, to, hashes, receipts } = await programCalledThrice();
  // the last one runs on the state that the others left
  const last = (await network.answer("debug_traceTransaction", hashes[2], { limit: 0 })).result as Steps;
  const written = last.structLogs.filter(({ op }) => op === "SSTORE");
  expect(written.length).toBe(SEEN.length);
  for (const [slot, { stack, storage }] of written.entries()) {
    const value = await network.ask("eth_getStorageAt", to, hex(slot), "latest");
    expect(stack).toEqual([`0x${BigInt(value as string).toString(16)}`, `0x${slot.toString(16)}`]);
    // without a prefix, as geth
    expect(storage).toMatchObject({ [word(slot)]: (value as string).slice(2) });
  }
  expect(last).toMatchObject({ gas: Number(receipts[2]!.gasUsed), failed: false, returnValue: "" });
  for (const step of last.structLogs) expect(step).not.toHaveProperty("refund", 0);
});

test("a trace has the gas of its transaction, not that of the block's earlier ones", async () => {
  const { network, hashes, receipts } = await programCalledThrice();
  const { blockNumber, blockHash } = receipts[0]!;
  const gasOf = receipts.map(({ gasUsed }) => ({ gas: hex(600_000), gasUsed }));
  for (const [index, hash] of hashes.entries()) {
    expect((await network.answer("debug_traceTransaction", hash, { tracer: "callTracer" })).result).toMatchObject(gasOf[index]!);
  }
  for (const [method, block] of [
    ["debug_traceBlockByNumber", blockNumber],
    ["debug_traceBlockByHash", blockHash],
  ]) {
    const { result } = await network.answer(method!, block, { tracer: "callTracer" });
    expect(result).toMatchObject(gasOf.map((gas, index) => ({ txHash: hashes[index], result: gas })));
  }
});

test("the steps of a block are those of its transactions, up to a limit", async () => {
  const { network, creation, receipts } = await programCalledThrice();
  const { blockHash } = (await network.ask("eth_getTransactionReceipt", creation)) as Receipt;
  const { result } = await network.answer("debug_traceBlockByHash", blockHash);
  expect(result).toEqual([{ txHash: creation, result: (await network.answer("debug_traceTransaction", creation)).result }]);
  expect((result as { result: Steps }[])[0]!.result.structLogs.at(-1)!.op).toBe("RETURN");
  const charged = receipts.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n);
  const { error } = await network.answer("debug_traceBlockByNumber", receipts[0]!.blockNumber);
  expect(error).toEqual({
    code: -32000,
    message: expect.stringMatching(/^this used \d+ gas, and steps are shown of at most 250000; name a tracer, such as callTracer$/),
  });
  // two of them are charged half of their limit
  const used = BigInt(/\d+/.exec(error!.message)![0]);
  expect([used > 250_000n, used < charged]).toEqual([true, true]);
});

test("the steps have what was asked for", async () => {
  const { network, creation } = await programCalledThrice();
  const steps = async (options: object) => ((await network.answer("debug_traceTransaction", creation, options)).result as Steps).structLogs;
  const [full, bare] = [await steps({ enableMemory: true }), await steps({ disableStack: true, disableStorage: true })];
  expect(full.at(-1)).toHaveProperty("memory.0", expect.stringMatching(/^[0-9a-f]{64}$/));
  expect(bare.map(({ op }) => op)).toEqual(full.map(({ op }) => op));
  for (const step of bare) for (const member of ["stack", "storage", "memory"]) expect(step).not.toHaveProperty(member);
});

test("a call's trace has the same form, and as many steps as were asked for", async () => {
  const { network, to, hashes } = await programCalledThrice();
  const steps = (await network.answer("debug_traceTransaction", hashes[2], { limit: 3 })).result as Steps;
  expect(steps.structLogs).toHaveLength(3);
  const call = { from: network.account.address, to, gas: "0x3d090", data: "0xabcd" };
  const { result } = await network.answer("debug_traceCall", call, "latest", { limit: 3 });
  expect(Object.keys(result as object)).toEqual(Object.keys(steps));
  expect((result as Steps).structLogs).toMatchObject([{ op: "ADDRESS", stack: [] }, { op: "PUSH1" }, { op: "SLOAD" }]);
  expect((result as Steps).structLogs[0]).not.toHaveProperty("refund");
  expect((await network.answer("debug_traceCall", call, "latest", { tracer: "callTracer" })).result).toMatchObject({ gas: "0x3d090" });
  const past = await network.answer("debug_traceCall", call, "0xffffff", {});
  expect(past.error?.message).toBe("block not found: not accepted yet: block 16777215");
});

test("a log in a trace has the members that geth gives it", async () => {
  const network = await EvmNetwork.start();
  // LOG0 of nothing
  const hash = await network.send(await network.sign({ ...FEES, type: "eip1559", nonce: 0, data: "0x5f5fa0", gas: 100_000n }));
  const { result } = await network.answer("debug_traceTransaction", hash, { tracer: "callTracer", tracerConfig: { withLog: true } });
  const [log] = (result as { logs: object[] }).logs;
  expect(Object.keys(log!).sort()).toEqual(["address", "data", "position", "topics"]);
});

test("tracers that the EVM lacks are refused instead of answered with nothing", async () => {
  const { network, creation } = await programCalledThrice();
  for (const tracer of ["flatCallTracer", "muxTracer"]) {
    const { error } = await network.answer("debug_traceTransaction", creation, { tracer });
    expect(error?.message).toBe(`the tracer ${tracer} is not available; use one of callTracer, prestateTracer, 4byteTracer, noopTracer`);
  }
  expect((await network.answer("debug_traceTransaction", creation, { tracer: "noopTracer" })).result).toEqual({});
});

test("what was before the EVM's last start is traced as before, or said to be gone", async () => {
  const { network, creation } = await programCalledThrice();
  const trace = (of: EvmNetwork, options: object) => of.answer("debug_traceTransaction", creation, options);
  const kinds = [{}, { tracer: "callTracer" }];
  const before = await Promise.all(kinds.map((options) => trace(network, options)));
  // it depends on the dump from which the EVM starts
  const again = await restart(network);
  const error = { code: -32000, message: "required historical state unavailable: the EVM was started again after this transaction" };
  for (const [index, options] of kinds.entries()) {
    expect([before[index], { jsonrpc: "2.0", id: 1, error }]).toContainEqual(await trace(again, options));
  }
});

test("the EVM's words about a state that it lacks do not reach clients", async () => {
  const gone = Buffer.from('{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Resource not found"}}');
  const hash = `0x${"ab".repeat(32)}`;
  const known: Record<string, unknown> = {
    eth_getTransactionByHash: { hash, blockHash: hash },
    eth_getBlockByHash: { hash, number: "0x1", transactions: [{ hash, gas: "0x5208" }] },
    eth_getBlockReceipts: [{ status: "0x1", gasUsed: "0x5208", effectiveGasPrice: "0x1" }],
  };
  const parts = {
    request: async (method: string) => known[method],
    addedGas: async () => new Map<number, bigint>(),
    trace: async () => gone,
    traceCall: async () => gone,
  };
  for (const options of [{}, { tracer: "callTracer" }]) {
    const call = evmCall(1, "debug_traceTransaction", [hash, options]);
    await expect(traced(call, parts)).rejects.toThrow("required historical state unavailable");
  }
});

function byte(value: number): string {
  return value.toString(16).padStart(2, "0");
}

function word(value: number): string {
  return value.toString(16).padStart(64, "0");
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}
