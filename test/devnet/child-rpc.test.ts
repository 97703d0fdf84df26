import { expect, test } from "vitest";
import { EvmDownError, EvmRequestError } from "../../src/devnet/anvil/evm-error.ts";
import { childRpc } from "../../src/devnet/evm/index-chain.ts";

const refusal = (code: number, message: string) => new EvmRequestError("eth_call", { code, message });

test.each([
  ["a child that is gone", new EvmDownError("the C-chain's EVM is down"), "unavailable"],
  ["a state from before its dump", refusal(-32602, "BlockOutOfRangeError: block height is 1 but requested was 0"), "no-state"],
  ["a contract that reverts", refusal(3, "execution reverted"), "refused"],
])("an RPC of the child says of %s what any node's would", async (_, error, failure) => {
  const rpc = childRpc(() => Promise.reject(error));
  await expect(rpc.request("eth_call", [])).rejects.toMatchObject({ failure, message: error.message, cause: error });
  const call = { method: "eth_call", params: [] };
  expect(await rpc.requestAll([call, call])).toMatchObject([{ error: { failure } }, { error: { failure } }]);
});

test("an RPC of the child keeps answers in the order of the calls", async () => {
  const rpc = childRpc(async (method, params) => [method, params]);
  const calls = ["b", "a"].map((method, index) => ({ method, params: [index] }));
  expect(await rpc.requestAll(calls)).toEqual([{ result: ["b", [0]] }, { result: ["a", [1]] }]);
});
