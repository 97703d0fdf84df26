/** The calls of a transaction, which the chain's node tells, and what is answered if it does not tell them. */
import { expect, test } from "vitest";
import { getTransactionCalls } from "../../../../src/api/data/evm/calls/get-transaction-calls.ts";
import { formatAddress } from "../../../../src/api/data/evm/present-token.ts";
import { type RpcFailure, UpstreamError } from "../../../../src/sources/upstream/upstream-error.ts";
import type { UpstreamRpc } from "../../../../src/sources/upstream/upstream-rpc.ts";
import { makeChain, PEOPLE } from "../../../evm/decode/intents.ts";
import { CHAIN } from "../../../evm/index/indexed-rows.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { ask } from "../staking/request.ts";
import { askedOf, type EvmCall, evmChain, modelRpc, silentLabels } from "./evm-chain.ts";
import { withIndexedChains } from "./indexed-store.ts";

const [SENDER, CONTRACT, OTHER] = PEOPLE as [string, string, string];
const [block] = makeChain([[{ from: SENDER, to: CONTRACT, isSuccess: true, inputLength: 4, intents: [] }]]);
const { hash } = block!.transactions[0]!;
const params = { txHash: `0x${hash.toUpperCase()}` };

const REVERTED = `0x08c379a0${"20".padStart(64, "0")}${"5".padStart(64, "0")}${Buffer.from("no <b").toString("hex").padEnd(64, "0")}`;
const TRANSFER = `0xa9059cbb${"00".repeat(64)}`;
const trace = {
  from: `0x${SENDER}`,
  to: `0x${CONTRACT}`,
  type: "CALL",
  // a node's own idea of it
  gas: "0x7",
  gasUsed: "0x7",
  value: "0x3",
  input: "0x01010101",
  output: "0x",
  calls: [
    {
      ...{ from: `0x${CONTRACT}`, to: `0x${OTHER}`, type: "STATICCALL", gas: "0x1388", gasUsed: "0x64", input: TRANSFER },
      ...{
        output: REVERTED,
        error: "execution reverted",
        calls: [{ from: `0x${OTHER}`, type: "CREATE", gas: "0x1", gasUsed: "0x1", input: "0x60" }],
      },
    },
  ],
};

const labels = { ...silentLabels, methodName: (selector: string) => (selector === "a9059cbb" ? "transfer(address,uint256)" : undefined) };

async function asking(rpc: UpstreamRpc | undefined, options: Partial<Parameters<typeof evmChain>[0]> = {}) {
  let answer: Awaited<ReturnType<typeof ask>> | undefined;
  let rows = 0;
  await withIndexedChains(new Map([[CHAIN, [block!]]]), async (store) => {
    const counted = new CountingReader(store);
    answer = await ask(getTransactionCalls, counted, askedOf(evmChain({ rpc, labels, ...options })), {}, { params });
    rows = counted.reads;
  });
  return { ...answer!.body, rows };
}

test("They are shown in their order with what each was given and returned, and the transaction's own gas is the receipt's", async () => {
  const asked: EvmCall[] = [];
  const rpc = modelRpc((call) => {
    asked.push(call);
    return trace;
  });
  const { rows, ...answer } = await asking(rpc);
  const empty = { output: "0x", outputLength: 0 };
  expect(answer).toEqual({
    isComplete: true,
    calls: [
      {
        ...{ depth: 0, type: "CALL", from: { address: formatAddress(SENDER) }, to: { address: formatAddress(CONTRACT) }, value: "3" },
        ...{ gas: "100000", gasUsed: "21000", input: "0x01010101", inputLength: 4, ...empty },
      },
      {
        ...{ depth: 1, type: "STATICCALL", from: { address: formatAddress(CONTRACT) }, to: { address: formatAddress(OTHER) }, value: "0" },
        ...{ gas: "5000", gasUsed: "100", input: TRANSFER, inputLength: 68, output: REVERTED, outputLength: 100 },
        ...{ methodName: "transfer(address,uint256)", error: "execution reverted", revertReason: "no <b" },
      },
      {
        ...{ depth: 2, type: "CREATE", from: { address: formatAddress(OTHER) }, value: "0", gas: "1", gasUsed: "1" },
        ...{ input: "0x60", inputLength: 1, ...empty },
      },
    ],
  });
  expect(asked).toMatchObject([{ method: "debug_traceTransaction", params: [`0x${hash}`, { tracer: "callTracer" }] }]);
  expect(rows).toBeLessThanOrEqual(8);
});

const answering = (answer: unknown) => modelRpc(() => answer);
const failing = (failure: RpcFailure) =>
  modelRpc(() => {
    throw new UpstreamError(failure, "the node's words");
  });

test("A trace that is not of this transaction, or none at all, is the node's fault", async () => {
  const message = "the node of chain 43112 returned an invalid response";
  for (const answer of [{ ...trace, from: `0x${OTHER}` }, { ...trace, type: "" }, null, "0x", [], { calls: [trace], isComplete: true }]) {
    await expect(asking(answering(answer)), JSON.stringify(answer)).rejects.toMatchObject({ status: 502, message });
  }
  await expect(asking(failing("malformed"))).rejects.toMatchObject({ status: 502, message });
});

test.each<[RpcFailure, string]>([
  ["unsupported", "the node of chain 43112 has no debug_traceTransaction, from which calls are read"],
  ["refused", "the node of chain 43112 does not trace this transaction: it may no longer have the state before it"],
  ["no-state", "the node of chain 43112 does not trace this transaction: it may no longer have the state before it"],
  ["too-large", "the call trace of this transaction has more than 32 MiB"],
  ["aborted", "the node of chain 43112 takes more than 5 seconds to trace this transaction"],
  ["timeout", "the node of chain 43112 does not answer; try again later"],
  ["unavailable", "the node of chain 43112 does not answer; try again later"],
  ["rate-limited", "the node of chain 43112 does not answer; try again later"],
])("A node that fails as %s is told with a sentence", async (failure, message) => {
  await expect(asking(failing(failure))).rejects.toMatchObject({ status: 503, message });
});

test("Without a node, or with call traces turned off, it is said why there are none", async () => {
  await expect(asking(undefined)).rejects.toMatchObject({
    status: 503,
    message: "calls need a node of chain 43112, and this server has none",
  });
  const settings = { ...evmChain().settings, traces: false };
  await expect(asking(answering(trace), { settings })).rejects.toMatchObject({
    status: 503,
    message: "call traces of chain 43112 are turned off here",
  });
});

test("A node gets two such requests at a time, and of a crowd of clients only some wait", async () => {
  let running = 0;
  let most = 0;
  let go = () => {};
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  const rpc: UpstreamRpc = {
    request: () => Promise.reject(new Error("not asked")),
    async requestAll() {
      most = Math.max(most, ++running);
      await gone;
      running--;
      return [{ result: trace }];
    },
  };
  await withIndexedChains(new Map([[CHAIN, [block!]]]), async (store) => {
    const chain = evmChain({ rpc });
    let refused = 0;
    const all = Array.from({ length: 30 }, () => ask(getTransactionCalls, store, askedOf(chain), {}, { params }));
    const done = Promise.allSettled(
      all.map((one) =>
        one.catch((error: Error) => {
          expect(error.message).toBe("too many clients ask for calls of chain 43112 at the moment; try again later");
          // all others have a place, or wait for one
          if (++refused === 12) go();
          throw error;
        }),
      ),
    );
    const outcomes = await done;
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(18);
    expect(most).toBe(2);
  });
});
