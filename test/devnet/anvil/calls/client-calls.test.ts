/** The limits on clients' calls to the C-chain's EVM, and their effect on the network, with a real child. */
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../../src/base/limits.ts";
import { boundedCall } from "../../../../src/devnet/anvil/calls/bounded-call.ts";
import { evmCall } from "../../../../src/devnet/anvil/evm-call.ts";
import { type Launched, launch } from "../../../../src/serve/local-network/launch.ts";
import { EvmNetwork } from "../evm-network.ts";

const BOB = `0x${"b0".repeat(20)}`;
/** JUMPDEST PUSH1 0 JUMP, as what a creation executes */
const LOOPING = `0x${"10".repeat(20)}`;
const LOOP = { data: "0x5b600056" };
const ENDLESS = "0x7fffffffffffffff";
const limits = { ...DEFAULT_LIMITS, evmCallSeconds: 5, evmAnswerBytes: 1 << 20, evmMemoryBytes: 512 << 20 };

let launched: Launched;
let network: EvmNetwork;
beforeAll(async () => {
  launched = await launch({ network: {}, serve: { limits }, log: pino({ level: "silent" }) });
  network = EvmNetwork.of(launched.devnet, "");
});
afterAll(() => launched?.stop());

async function forward(method: string, ...params: unknown[]): Promise<{ result?: unknown; error?: { code: number; message: string } }> {
  return JSON.parse((await network.evm.forward(evmCall(1, method, params))).toString());
}

const pays = async () => {
  const before = await network.balance(BOB);
  expect(await network.pay(BOB, 5n)).toMatch(/^0x/);
  expect(await network.balance(BOB)).toBe(before + 5n);
};

test.each([
  ["its gas", [{ ...LOOP, gas: ENDLESS }, "latest"]],
  ["its gas in a number", [{ ...LOOP, gas: 2 ** 62 }, "latest"]],
  ["its gas in parted digits", [{ ...LOOP, gas: "0x7fff_ffff_ffff_ffff" }, "latest"]],
  ["its gas by another name", [{ ...LOOP, gasLimit: ENDLESS }, "latest"]],
  ["the block's gas", [LOOP, "latest", null, { gasLimit: ENDLESS }]],
])("a loop that names more than 50,000,000 as %s runs out of gas, and blocks go on", async (_, params) => {
  expect((await forward("eth_call", ...params)).error?.message).toContain("out of gas");
  await pays();
});

test("a call within the cap reaches the child as it was sent", async () => {
  const call = {
    id: '"ü"',
    method: "eth_call",
    raw: '{"jsonrpc":"2.0","id":"ü","method":"eth_call","params":[{"data":"0x00","gas":"0x2faf080"},"latest"]}',
  };
  expect(JSON.parse((await network.evm.forward(call)).toString())).toMatchObject({ id: "ü", result: "0x" });
});

test("an ID keeps all its digits though the call's gas is capped", async () => {
  const id = "9007199254740993";
  const raw = `{"jsonrpc":"2.0","id":${id},"method":"eth_call","params":[{"data":"0x00","gas":"${ENDLESS}"},"latest"]}`;
  const answer = await network.evm.forward({ raw, method: "eth_call", id });
  expect(answer.toString()).toContain(`"id":${id}`);
});

test("a tracer that is a program is refused, named ones trace", async () => {
  const tracer = "{step: function() { while (true) {} }, fault: function() {}, result: function() { return 1; }}";
  await expect(forward("debug_traceCall", { data: "0x00" }, "latest", { tracer })).rejects.toThrow(
    "tracers written in JavaScript are not run here; name one, such as callTracer or prestateTracer",
  );
  expect(await forward("debug_traceCall", { data: "0x00" }, "latest", { tracer: "callTracer" })).toMatchObject({
    result: { type: "CREATE" },
  });
});

test.each([{}, { gas: ENDLESS }, { gasLimit: ENDLESS }])("a trace of every step gets 250,000 gas: %j", (gas) => {
  const [transaction] = JSON.parse(boundedCall(evmCall(1, "debug_traceCall", [{ ...LOOP, ...gas }, "latest", {}])).raw).params;
  expect(transaction).toEqual({ ...LOOP, [Object.keys(gas)[0] ?? "gas"]: "0x3d090" });
});

test("what the child works on for too long, or takes too much memory for, ends it, and the next one goes on", async () => {
  const loops = Array.from({ length: 2000 }, () => ({ ...LOOP, from: BOB, to: LOOPING }));
  const overrides = { [LOOPING]: { code: LOOP.data } };
  await expect(forward("eth_simulateV1", { blockStateCalls: [{ stateOverrides: overrides, calls: loops }] }, "latest")).rejects.toThrow(
    /the C-chain's EVM (did|does) not answer/,
  );
  await pays();
});

test("an answer that is too large is an error in geth's words", async () => {
  // PUSH3 0x120000 PUSH1 0 RETURN
  const code = { [BOB]: { code: "0x621200006000f3" } };
  await expect(forward("eth_call", { to: BOB }, "latest", code)).rejects.toThrow("response too large");
});
