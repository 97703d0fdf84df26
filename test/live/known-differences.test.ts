import { expect, test } from "vitest";
import { isKnown } from "./known-differences.ts";

const PLAIN = { txID: "1", nodeID: "NodeID-A", weight: "5", uptime: "99.0000", connected: true };
const RENEWED = { txID: "2", nodeID: "NodeID-B", weight: "7", period: "3600" };
const RESTAKED = { restakedValidationRewards: "0", restakedDelegateeRewards: "0" };

function difference(node: readonly object[], follower: readonly object[]) {
  const answer = (validators: readonly object[]) => ({ text: JSON.stringify({ jsonrpc: "2.0", result: { validators }, id: 1 }) });
  return { path: "/ext/bc/P", method: "platform.getCurrentValidators", a: answer(node), b: answer(follower) };
}

test("a node before 1.15.2 does not tell what was restaked", () => {
  expect(
    isKnown(
      difference(
        [PLAIN, RENEWED],
        [
          { ...RENEWED, ...RESTAKED },
          { ...PLAIN, uptime: "98.0000" },
        ],
      ),
    ),
  ).toBe(true);
});

test("another weight, or a validator more, is no known difference, nor is a node that tells other rewards", () => {
  expect(isKnown(difference([PLAIN, RENEWED], [PLAIN, { ...RENEWED, ...RESTAKED, weight: "8" }]))).toBe(false);
  expect(isKnown(difference([PLAIN], [PLAIN, { ...RENEWED, ...RESTAKED }]))).toBe(false);
  const other = { ...RESTAKED, restakedValidationRewards: "1" };
  expect(isKnown(difference([{ ...RENEWED, ...other }], [{ ...RENEWED, ...RESTAKED }]))).toBe(false);
});

test("an error, or no answer, is no known difference of validators", () => {
  const { a, ...others } = difference([PLAIN], [PLAIN]);
  const errors = ["no", "another"].map((message) => ({ text: `{"error":{"message":"${message}"},"id":1}` }));
  expect(isKnown({ ...others, a: errors[0]! })).toBe(false);
  expect(isKnown({ ...others, a: errors[0]!, b: errors[1]! })).toBe(false);
  expect(isKnown({ ...others, a, b: { text: "no answer: ECONNREFUSED" } })).toBe(false);
});

test("proposed heights differ by what a node accepted in 30 s", () => {
  const answer = (height: string) => ({ text: `{"jsonrpc":"2.0","result":{"height":"${height}"},"id":1}` });
  const proposed = { path: "/ext/bc/P", method: "platform.getProposedHeight", a: answer("251") };
  expect(isKnown({ ...proposed, b: answer("249") })).toBe(true);
  expect(isKnown({ ...proposed, b: answer("210") })).toBe(false);
  expect(isKnown({ ...proposed, b: { text: '{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"},"id":1}' } })).toBe(false);
});
