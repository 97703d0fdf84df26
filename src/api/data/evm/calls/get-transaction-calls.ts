import Type from "typebox";
import { revertReason } from "../../../../evm/revert-reason.ts";
import { MOST_CALLS, type ShownBytes, type TracedCall } from "../../../../sources/evm/parser/call-tree-reader.ts";
import { dataRoute } from "../../route.ts";
import type { EvmChain } from "../evm-chain.ts";
import { Tokens } from "../present-token.ts";
import { readTransactions, type TransactionRow } from "../present-transaction.ts";
import { findTransaction, txHashParam } from "../transactions/find-transaction.ts";
import { askCalls } from "./ask-calls.ts";
import { type TransactionCall, transactionCallSchema } from "./call-schemas.ts";

export const getTransactionCalls = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/transactions/{txHash}/calls",
  operationId: "getTransactionCalls",
  tag: "EVM: transactions",
  summary: "All calls of a transaction, in the order in which they were made.",
  description: `Firn asks the chain's node for a call trace: 503 if it has none. Shows the first ${MOST_CALLS} calls.`,
  cost: `One request to the chain's node, and one row for each address`,
  computeUnits: 50,
  evm: "chain",
  params: Type.Object({ txHash: txHashParam }),
  query: Type.Object({}),
  response: Type.Object({
    calls: Type.Array(transactionCallSchema),
    isComplete: Type.Boolean({ description: `Whether these are all calls; false if the transaction made more than ${MOST_CALLS}.` }),
  }),
  async handle({ params: { txHash } }, context) {
    const { evmChain } = context;
    const [transaction] = await readTransactions([await findTransaction(txHash, context)], context);
    const { row } = transaction!;
    const tree = await context.cached(`calls ${evmChain.evmChainId} ${row.hash}`, () => askCalls(evmChain, row));
    const [own, ...inner] = tree.calls;
    const calls = [ownCall(own!, row), ...inner];
    const tokens = await Tokens.read({ addresses: calls.flatMap(({ from, to }) => (to === undefined ? [from] : [from, to])) }, context);
    return { calls: calls.map((call) => present(call, tokens, evmChain)), isComplete: tree.isComplete };
  },
});

/** Nodes differ in the gas of the transaction's own call, and in the address of a creation that failed. */
function ownCall(call: TracedCall, { to, gasLimit, gasUsed }: TransactionRow): TracedCall {
  return { ...call, to: call.to ?? to, gas: gasLimit, gasUsed };
}

function present(call: TracedCall, tokens: Tokens, { labels }: EvmChain): TransactionCall {
  const { depth, type, from, to, value, gas, gasUsed, input, output, error } = call;
  const reason = error === undefined ? undefined : revertReason(output.start, output.length);
  const selector = input.start.subarray(0, 4);
  const isOfMethod = to !== undefined && selector.length === 4 && !type.startsWith("CREATE");
  const methodName = isOfMethod ? labels.methodName(selector.toString("hex"), to) : undefined;
  return {
    depth,
    type,
    from: tokens.address(from),
    ...(to !== undefined && { to: tokens.address(to) }),
    ...(methodName !== undefined && { methodName }),
    value: `${value}`,
    gas: `${gas}`,
    gasUsed: `${gasUsed}`,
    input: shown(input),
    inputLength: input.length,
    output: shown(output),
    outputLength: output.length,
    ...(error !== undefined && { error }),
    ...(reason !== undefined && { revertReason: reason }),
  };
}

function shown({ start }: ShownBytes): string {
  return `0x${start.toString("hex")}`;
}
