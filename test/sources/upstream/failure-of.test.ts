import { describe, expect, test } from "vitest";
import { failureOf, failureOfStatus, type RpcFailure } from "../../../src/sources/upstream/upstream-error.ts";

/** error messages of nodes, and of services in front of them */
const WORDS: readonly [RpcFailure, method: string, code: number, message: string][] = [
  ["refused", "eth_call", 3, "execution reverted: no metadata here"],
  ["refused", "eth_call", -32000, "execution reverted"],
  ["refused", "eth_call", -32000, "out of gas"],
  ["refused", "eth_call", -32000, "execution aborted (timeout = 5s)"],
  ["refused", "eth_call", -32603, "EVM error InvalidFEOpcode"],
  ["refused", "eth_call", -32015, "VM execution error."],
  ["refused", "eth_getBlockByNumber", -32602, "invalid argument 0: hex string without 0x prefix"],
  ["unsupported", "debug_traceBlockByNumber", -32601, "the method debug_traceBlockByNumber does not exist/is not available"],
  ["unsupported", "trace_block", -32601, "Method not found"],
  ["unsupported", "debug_traceBlockByNumber", -32000, "debug_traceBlockByNumber is not available on the Free tier, upgrade your plan"],
  ["unsupported", "eth_getBlockReceipts", -32601, "method handler crashed or method not supported"],
  ["no-state", "eth_getBalance", -32000, "missing trie node 4aa2 (path ) state 0x4aa2 is not available"],
  ["no-state", "eth_call", -32000, "header not found"],
  ["no-state", "debug_traceBlockByNumber", -32000, "required historical state unavailable (reexec=128)"],
  ["no-state", "debug_traceBlockByNumber", -32000, "genesis is not traceable"],
  ["no-state", "eth_getBlockByNumber", -32000, "cannot query unfinalized data"],
  ["no-state", "debug_traceBlockByNumber", -32000, "block not found: not accepted yet: block 7"],
  ["no-state", "eth_call", -32000, "block not found: not accepted yet: block 7"],
  ["no-state", "eth_getBalance", -32602, "BlockOutOfRangeError: block height is 10 but requested was 11"],
  ["no-state", "debug_traceBlockByHash", -32000, "block 0xabcd not found"],
  ["rate-limited", "eth_call", -32005, "daily request count exceeded, request rate limited"],
  ["rate-limited", "eth_call", 429, "Your app has exceeded its compute units per second capacity."],
  ["rate-limited", "eth_call", -32029, "Too Many Requests"],
  ["too-large", "eth_getLogs", -32005, "query returned more than 10000 results"],
  ["too-large", "eth_getLogs", -32000, "block range is too wide"],
  ["too-large", "debug_traceBlockByNumber", -32003, "response too large"],
  ["too-large", "eth_getBlockReceipts", -32600, "batch size too large"],
  ["timeout", "debug_traceBlockByNumber", -32002, "request timed out"],
  ["timeout", "debug_traceBlockByNumber", -32000, "context deadline exceeded"],
  ["unavailable", "eth_blockNumber", -32603, "Internal error"],
  ["unavailable", "eth_blockNumber", -32000, "node is not ready, still syncing"],
];

describe("an error of a node", () => {
  test.each(WORDS)("is %s: %s (%d) %s", (failure, method, code, message) => {
    expect(failureOf(code, message, method, { isBatch: false })).toBe(failure);
  });

  test("about a batch as a whole leads to other messages", () => {
    expect(failureOf(-32600, "batch requests are not supported", undefined, { isBatch: true })).toBe("no-batch");
    expect(failureOf(-32600, "Batching is disabled", undefined, { isBatch: true })).toBe("no-batch");
    expect(failureOf(-32600, "Invalid Request", undefined, { isBatch: true })).toBe("no-batch");
    expect(failureOf(-32600, "batch too large", undefined, { isBatch: true })).toBe("too-large");
    expect(failureOf(-32005, "too many requests in the batch", undefined, { isBatch: true })).toBe("too-large");
  });

  test("without JSON is told by its status", () => {
    expect([429, 413, 504, 502, 401].map(failureOfStatus)).toEqual(["rate-limited", "too-large", "timeout", "unavailable", "unavailable"]);
  });
});
