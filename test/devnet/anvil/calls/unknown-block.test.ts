/** What calls are answered that name a block which does not exist: by saevm since Helicon, and by coreth before. */
import { describe, expect, test } from "vitest";
import { EvmNetwork } from "../evm-network.ts";

const NONE = `0x${"ab".repeat(32)}`;
const PAST = "0x63";
const LOST = { blockHash: NONE };
const WHO = `0x${"b0".repeat(20)}`;
const TRACER = { tracer: "callTracer" };
const NOT_ACCEPTED = { error: { code: -32000, message: "block not found: not accepted yet: block 99" } };
const UNFINALIZED = { error: { code: -32000, message: "cannot query unfinalized data" } };

type Call = readonly [method: string, ...params: unknown[]];

const ask = (network: EvmNetwork, [method, ...params]: Call) => network.answer(method, ...params);

/** Methods that need a state, with the block in its place. */
const ofState = (block: unknown): readonly Call[] => [
  ["eth_getBalance", WHO, block],
  ["eth_getCode", WHO, block],
  ["eth_getTransactionCount", WHO, block],
  ["eth_getStorageAt", WHO, "0x0", block],
  ["eth_getProof", WHO, [], block],
  ["eth_call", { to: WHO }, block],
  ["eth_estimateGas", { to: WHO }, block],
  ["eth_estimateGas", { to: WHO, value: "0x1" }, block],
  ["eth_createAccessList", { from: WHO, to: WHO }, block],
  ["debug_traceCall", { to: WHO }, block, TRACER],
];

describe("since Helicon", () => {
  test("a block that does not exist is null, and so is what is in it", async () => {
    const network = await EvmNetwork.start();
    const calls: readonly Call[] = [
      ["eth_getBlockByNumber", PAST, false],
      ["eth_getBlockByHash", NONE, false],
      ["eth_getBlockReceipts", PAST],
      ["eth_getBlockReceipts", LOST],
      ["debug_getRawReceipts", PAST],
      ...[["Number", PAST] as const, ["Hash", NONE] as const].flatMap(([by, block]): Call[] => [
        [`eth_getBlockTransactionCountBy${by}`, block],
        [`eth_getUncleCountByBlock${by}`, block],
        [`eth_getUncleByBlock${by}AndIndex`, block, "0x0"],
        [`eth_getTransactionByBlock${by}AndIndex`, block, "0x0"],
      ]),
    ];
    for (const call of calls) expect(await ask(network, call), call[0]).toEqual({ jsonrpc: "2.0", id: 1, result: null });
    const raw: readonly Call[] = [
      ["debug_getRawBlock", PAST],
      ["debug_getRawHeader", PAST],
      ["eth_getRawTransactionByBlockNumberAndIndex", PAST, "0x0"],
    ];
    for (const call of raw) expect(await ask(network, call), call[0]).toMatchObject({ result: "0x" });
  });

  test("who asks for its state is told that it is not there, by its number or its hash", async () => {
    const network = await EvmNetwork.start();
    const byNumber: readonly Call[] = [
      ...ofState(PAST),
      ["eth_getBalance", WHO, { blockNumber: PAST }],
      ["eth_feeHistory", "0x1", PAST, []],
      ["debug_traceBlockByNumber", PAST, TRACER],
      ["debug_traceBlockByNumber", PAST],
    ];
    for (const call of byNumber) expect(await ask(network, call), call[0]).toMatchObject(NOT_ACCEPTED);
    const byHash: readonly Call[] = [...ofState(LOST), ["debug_traceBlockByHash", NONE, TRACER], ["debug_traceBlockByHash", NONE]];
    for (const call of byHash) {
      expect(await ask(network, call), call[0]).toMatchObject({ error: { code: -32000, message: `block not found: hash ${NONE}` } });
    }
  });

  test("it has no logs, unless it is named by its hash", async () => {
    const network = await EvmNetwork.start();
    for (const range of [{ fromBlock: PAST }, { fromBlock: PAST, toBlock: PAST }, { fromBlock: "0x0", toBlock: PAST }]) {
      expect(await ask(network, ["eth_getLogs", range])).toMatchObject({ result: [] });
    }
    expect(await ask(network, ["eth_getLogs", LOST])).toMatchObject({ error: { code: -32000, message: "unknown block" } });
  });

  test("blocks that exist are answered as ever", async () => {
    const network = await EvmNetwork.start();
    for (const block of ["latest", "0x0", { blockNumber: "0x0" }]) {
      for (const call of ofState(block)) expect((await ask(network, call)).error?.message ?? "", call[0]).not.toContain("block not found");
    }
    expect((await ask(network, ["eth_feeHistory", "0x1", "0x0", []])).result).toMatchObject({ oldestBlock: "0x0" });
  });
});

test("before Helicon, coreth's error about what is not finalized remains", async () => {
  const network = await EvmNetwork.start({ upgrades: "granite" });
  const calls: readonly Call[] = [...ofState(PAST).slice(0, 4), ["eth_getBlockByNumber", PAST, false], ["debug_getRawBlock", PAST]];
  for (const call of calls) expect(await ask(network, call), call[0]).toMatchObject(UNFINALIZED);
});
