import { expect, test } from "vitest";
import { evmCall } from "../../src/devnet/anvil/evm-call.ts";
import { itemsOfSubscription, LogFilters, problemOfSubscription } from "../../src/serve/evm/log-filters.ts";

const many = (count: number) => Array.from({ length: count }, () => `0x${"ab".repeat(20)}`);
const answer = (id: string) => Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"${id}"}`);
const full = "the filters of this chain have more than 100 addresses and topics; remove some, or try again in a few minutes";

test("a filter with more addresses or topics than the node takes is refused in its words", () => {
  const filters = new LogFilters({ evmFilterItems: 1e6 });
  for (const method of ["eth_getLogs", "eth_newFilter"]) {
    expect(filters.refusal(evmCall(1, method, [{ address: many(1001) }]))).toBe("exceed max addresses");
    expect(filters.refusal(evmCall(1, method, [{ address: many(60_000) }]))).toBe("exceed max addresses");
    expect(filters.refusal(evmCall(1, method, [{ topics: [null, null, null, null, null] }]))).toBe("exceed max topics");
    expect(filters.refusal(evmCall(1, method, [{ topics: [many(1001)] }]))).toBe("exceed max topics");
    for (const criteria of [{ address: many(1000), topics: [many(1000), null] }, { address: many(1)[0] }, {}, null, [], "x", undefined])
      expect(filters.refusal(evmCall(1, method, [criteria]))).toBeUndefined();
  }
  expect(problemOfSubscription(["logs", { address: many(1001) }])).toBe("exceed max addresses");
  expect(problemOfSubscription(["newHeads", { address: many(1001) }])).toBeUndefined();
  expect(itemsOfSubscription(["logs", { address: many(3), topics: [many(2), "0x1", null] }])).toBe(26);
});

test("all filters together have room until they are removed, or were not asked for long enough", () => {
  let now = 0;
  const filters = new LogFilters({ evmFilterItems: 100 }, () => now);
  const made = evmCall(1, "eth_newFilter", [{ address: many(20) }]);
  const filter = () => ({ criteria: { address: many(20) }, told: { height: 0n, hash: "0x" } });
  for (const id of ["0x1", "0x2"]) {
    expect(filters.refusal(made)).toBeUndefined();
    filters.keep(id, filter());
  }
  expect(filters.items).toBe(80);
  expect(filters.refusal(made)).toBe(full);
  expect(filters.refusal(evmCall(1, "eth_newBlockFilter", []))).toBeUndefined();
  expect(filters.refusal(evmCall(1, "eth_getLogs", [{ address: many(200) }]))).toBeUndefined();
  expect([filters.remove("0x1"), filters.remove("0x1")]).toEqual([true, false]);
  expect(filters.refusal(made)).toBeUndefined();
  filters.keep("0x3", filter());
  now = 200_000;
  expect(filters.filter("0x2")).toMatchObject({ criteria: { address: many(20) } });
  now = 300_000;
  expect(filters.refusal(made)).toBeUndefined();
  expect([filters.items, filters.filter("0x3")]).toEqual([40, undefined]);
  now = 500_000;
  expect([filters.filter("0x2"), filters.items]).toEqual([undefined, 0]);
});

test("filters of the EVM count, too, but not those that it refused", () => {
  const filters = new LogFilters({ evmFilterItems: 100 });
  const made = evmCall(1, "eth_newPendingTransactionFilter", []);
  filters.answered(made, answer("0x1"));
  filters.answered(made, Buffer.from('{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}'));
  expect([filters.items, filters.filter("0x1")]).toEqual([20, undefined]);
  filters.answered(evmCall(1, "eth_uninstallFilter", ["0x9"]), answer("0x1"));
  filters.answered(evmCall(1, "eth_getFilterChanges", ["0x1"]), answer("0x1"));
  expect(filters.items).toBe(20);
  filters.answered(evmCall(1, "eth_uninstallFilter", ["0x1"]), answer("0x1"));
  expect(filters.items).toBe(0);
});
