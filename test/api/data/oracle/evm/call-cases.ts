/** Queries for the calls of every transaction, against the node's trace of its whole block. */
import { decodeErrorResult, type Hex, keccak256, toBytes } from "viem";
import { present } from "../json.ts";
import type { Case, CaseMaker } from "./case-maker.ts";
import type { RawFrame } from "./chain-answers.ts";
import type { OracleTransaction } from "./world.ts";

const SHOWN_BYTES = 512;
const MOST_CALLS = 1000;

export function* callCases(maker: CaseMaker): Generator<Case> {
  const { lists, answers } = maker.court;
  for (const tx of lists.blocks.flatMap((block) => block.transactions)) {
    const expected = () => {
      const calls = callsOf(tx);
      const shown = calls.slice(0, MOST_CALLS).map(({ from, to, ...call }) => {
        return present({ ...call, from: answers.address(from), to: to && answers.address(to) });
      });
      return { calls: shown, isComplete: calls.length <= MOST_CALLS };
    };
    yield maker.one(maker.path(`/transactions/${tx.raw.hash}/calls`), {}, expected, { seen: requireSelectors });
  }
  yield maker.one(maker.path(`/transactions/0x${"7".repeat(64)}/calls`), {}, () => undefined);
}

/** A name of a method must be that of the input's first bytes. */
function requireSelectors(body: Record<string, unknown>): unknown {
  for (const { methodName, input } of body.calls as { methodName?: string; input: string }[]) {
    if (methodName === undefined || keccak256(toBytes(methodName)).slice(0, 10) === input.slice(0, 10)) continue;
    throw new Error(`${methodName} is not called by ${input.slice(0, 10)}`);
  }
  return body;
}

function callsOf({ raw, receipt, trace, to }: OracleTransaction) {
  const [own, ...inner] = flattened(trace, 0);
  return [{ ...own!, to: own!.to || to, gas: `${BigInt(raw.gas)}`, gasUsed: `${BigInt(receipt.gasUsed)}` }, ...inner];
}

function flattened(frame: RawFrame, depth: number): ReturnType<typeof callOf>[] {
  return [callOf(frame, depth), ...(frame.calls ?? []).flatMap((call) => flattened(call, depth + 1))];
}

function callOf({ type, from, to, value, gas, gasUsed, input = "0x", output = "0x", error }: RawFrame, depth: number) {
  return {
    depth,
    type,
    from: from!.toLowerCase(),
    to: to?.toLowerCase(),
    value: `${BigInt(value ?? 0)}`,
    gas: `${BigInt(gas ?? 0)}`,
    gasUsed: `${BigInt(gasUsed ?? 0)}`,
    input: input.slice(0, 2 + 2 * SHOWN_BYTES),
    inputLength: (input.length - 2) / 2,
    output: output.slice(0, 2 + 2 * SHOWN_BYTES),
    outputLength: (output.length - 2) / 2,
    error,
    revertReason: error === undefined ? undefined : reasonOf(output as Hex),
  };
}

/** undefined: an error of the contract's own, or none. What a panic's code means has tests of its own. */
function reasonOf(data: Hex): string | undefined {
  if (!/^0x(08c379a0|4e487b71)/.test(data)) return undefined;
  const decoded = decodedError(data);
  if (decoded === undefined) return undefined;
  const { errorName, args } = decoded;
  if (errorName === "Error") return cut(`${args![0]}`);
  const code = BigInt(args![0] as bigint);
  const meaning = MEANINGS[Number(code)];
  return `Panic(0x${code.toString(16).padStart(2, "0")})${meaning === undefined ? "" : `: ${meaning}`}`;
}

/** undefined: bytes that no compiler writes */
function decodedError(data: Hex) {
  try {
    return decodeErrorResult({ data });
  } catch {
    return undefined;
  }
}

/** Only the beginning of an output is read: a selector and two words come before the text. A character that is cut is left out. */
function cut(text: string): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, SHOWN_BYTES - 68), { stream: true });
}

const MEANINGS: Readonly<Record<number, string>> = {
  1: "assertion failed",
  17: "arithmetic overflow or underflow",
  18: "division or modulo by zero",
  33: "value is not of the enum",
  49: "pop of an empty array",
  50: "index out of bounds",
};
