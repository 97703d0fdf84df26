import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EMPTY_ID } from "../../../../src/base/bytes/id.ts";
import { union } from "../../../../src/base/codec/codec.ts";
import { type Spend, verifySpend } from "../../../../src/chains/platform/flow.ts";
import type { Output, TransferableInput, TransferableOutput, Utxo } from "../../../../src/chains/platform/output.ts";
import { verifyInputOrder, verifyOutput, verifyOutputOrder, verifyOwner } from "../../../../src/chains/platform/output-rules.ts";
import { Priority } from "../../../../src/chains/platform/state/staker.ts";
import type { TxContext } from "../../../../src/chains/platform/tx/base.ts";
import { baseTx } from "../../../../src/chains/platform/tx/base-tx.ts";
import { assemble } from "../../../../src/chains/platform/tx/signed.ts";
import { highestWeight, verifyCapacity } from "../../../../src/chains/platform/tx/staker-rules.ts";
import { emptyState, idOf, NOW, nodeOf, staker, testNetwork } from "../state/fixture.ts";

const network = testNetwork();
const AVAX = network.avaxAssetId;
const context: TxContext = {
  network,
  state: emptyState(network),
  level: "full",
  clock: NOW,
  placement: "standard",
  gasPrice: undefined,
  fee: () => 0n,
  kindOf: String,
  produced: [],
  balances: [],
};

/** Anybody may spend it. */
function transfer(amount: bigint): Extract<Output, { kind: "TransferOutput" }> {
  return { kind: "TransferOutput", amount, locktime: 0n, threshold: 0, addresses: [] };
}

function locked(amount: bigint, locktime: bigint): Output {
  return { kind: "LockOut", locktime, output: transfer(amount) };
}

const made = (output: Output, assetId = AVAX): TransferableOutput => ({ assetId, output });

/** Spends outputs as what they are. */
function spend(consumed: readonly Output[], outputs: readonly TransferableOutput[], burned: bigint): Spend {
  const utxos: Utxo[] = consumed.map((output, outputIndex) => ({ txId: idOf(7), outputIndex, assetId: AVAX, output }));
  const inputs: TransferableInput[] = utxos.map(({ output, ...utxo }) => {
    const amount = output.kind === "LockOut" ? output.output.amount : output.amount;
    const input = { kind: "TransferInput" as const, amount, signatureIndices: [] };
    return { ...utxo, input: output.kind === "LockOut" ? { kind: "LockIn", locktime: output.locktime, input } : input };
  });
  const credentials = inputs.map(() => ({ kind: "Credential" as const, signatures: [] }));
  return { inputs, utxos, credentials, outputs, produced: new Map([[AVAX, burned]]) };
}

const base = { kind: "BaseTx" as const, networkId: 1, blockchainId: EMPTY_ID, outputs: [], inputs: [], memo: new Uint8Array() };
const tx = assemble(union({ 34: baseTx.codec }, new Set([34])), base, []);
const check = (value: Spend) => verifySpend(tx, value, context);
const amounts = fc.array(fc.bigInt({ min: 1n, max: 2n ** 40n }), { maxLength: 6 });
const total = (values: readonly bigint[]) => values.reduce((sum, value) => sum + value, 0n);

describe("the flow check", () => {
  test("passes exactly when nothing is produced that was not consumed", () => {
    fc.assert(
      fc.property(amounts, amounts, fc.bigInt({ min: 0n, max: 2n ** 40n }), (consumed, produced, burned) => {
        const missing = total(produced) + burned - total(consumed);
        const run = () =>
          check(
            spend(
              consumed.map(transfer),
              produced.map((amount) => made(transfer(amount))),
              burned,
            ),
          );
        if (missing <= 0n) expect(run).not.toThrow();
        else expect(run).toThrow(expect.objectContaining({ code: "insufficient-unlocked-funds", facts: { missing, assetId: AVAX } }));
      }),
    );
  });

  test("locked funds stay locked until the same time, but unlocked funds may be locked", () => {
    const later = NOW + 100n;
    expect(() => check(spend([locked(10n, later)], [made(locked(10n, later))], 0n))).not.toThrow();
    expect(() => check(spend([locked(10n, later)], [made(transfer(10n))], 0n))).toThrow("insufficient unlocked funds: needs 10 more");
    expect(() => check(spend([locked(10n, later)], [made(locked(10n, later + 1n))], 0n))).toThrow("insufficient locked funds");
    expect(() => check(spend([transfer(4n), locked(6n, later)], [made(locked(10n, later))], 0n))).not.toThrow();
    expect(() => check(spend([transfer(4n), locked(6n, later)], [made(locked(10n, later))], 1n))).toThrow("needs 1 more");
  });

  test("a lock that has passed pays for anything", () => {
    expect(() => check(spend([locked(10n, NOW)], [made(transfer(9n))], 1n))).not.toThrow();
  });

  test("while a lock lasts the input must say so, with its time", () => {
    const value = spend([locked(10n, NOW + 1n)], [], 0n);
    const [input] = value.inputs;
    const transferInput = { kind: "TransferInput" as const, amount: 10n, signatureIndices: [] };
    const as = (changed: TransferableInput["input"]) => () => check({ ...value, inputs: [{ ...input!, input: changed }] });
    expect(as(transferInput)).toThrow("locked funds not marked as locked");
    expect(as({ kind: "LockIn", locktime: NOW, input: transferInput })).toThrow(
      `input locktime does not match UTXO locktime: ${NOW} != ${NOW + 1n}`,
    );
  });

  test("amounts beyond 64 bits overflow", () => {
    const huge = 2n ** 63n;
    expect(() => check(spend([transfer(huge), transfer(huge)], [], 0n))).toThrow(expect.objectContaining({ code: "overflow" }));
  });
});

describe("the form of outputs and inputs", () => {
  test("an owner can be satisfied, is written one way only, and lists each address once", () => {
    const [a, b] = [nodeOf(1), nodeOf(2)];
    expect(() => verifyOwner({ threshold: 2, addresses: [a, b] })).not.toThrow();
    expect(() => verifyOwner({ threshold: 3, addresses: [a, b] })).toThrow("output is unspendable");
    expect(() => verifyOwner({ threshold: 0, addresses: [a] })).toThrow("output representation should be optimized");
    expect(() => verifyOwner({ threshold: 1, addresses: [b, a] })).toThrow("addresses not sorted and unique");
    expect(() => verifyOwner({ threshold: 1, addresses: [a, a] })).toThrow("addresses not sorted and unique");
  });

  test("an output is of an asset, has an amount, and is locked until some time", () => {
    expect(() => verifyOutput(made(transfer(1n), EMPTY_ID))).toThrow("empty asset ID is not valid");
    expect(() => verifyOutput(made(transfer(0n)))).toThrow("output has no value");
    expect(() => verifyOutput(made(locked(1n, 0n)))).toThrow("invalid locktime");
  });

  test("outputs may repeat but not descend; inputs ascend strictly", () => {
    const [one, two] = [made(transfer(1n)), made(transfer(2n))];
    expect(() => verifyOutputOrder([one, one, two, made(locked(1n, 1n))])).not.toThrow();
    expect(() => verifyOutputOrder([two, one])).toThrow("outputs not sorted");
    const { inputs } = spend([transfer(1n), transfer(1n)], [], 0n);
    expect(() => verifyInputOrder(inputs)).not.toThrow();
    expect(() => verifyInputOrder([inputs[0]!, inputs[0]!])).toThrow("inputs not sorted and unique");
  });
});

describe("capacity for delegation", () => {
  const validator = staker({ weight: 100n, endTime: NOW + 1000n });
  const delegator = (id: number, weight: bigint, startTime: bigint, endTime: bigint, isPending = false) =>
    staker({
      txId: idOf(300 + id),
      weight,
      startTime,
      endTime,
      priority: isPending ? Priority.primaryDelegatorPending : Priority.primaryDelegatorCurrent,
    });

  function stateWith(...delegators: ReturnType<typeof staker>[]) {
    const state = emptyState(network);
    for (const each of [validator, ...delegators]) state.putStaker(each);
    return state;
  }

  test("counts everybody who stakes at some time of the period, those who leave when it begins included", () => {
    const state = stateWith(delegator(1, 50n, NOW, NOW + 100n), delegator(2, 30n, NOW + 200n, NOW + 300n, true));
    const during = (start: bigint, end: bigint) => highestWeight(state, validator, { start: NOW + start, end: NOW + end });
    expect(during(0n, 50n)).toBe(150n);
    expect(during(100n, 150n)).toBe(150n);
    expect(during(101n, 150n)).toBe(100n);
    expect(during(101n, 200n)).toBe(130n);
    expect(during(301n, 400n)).toBe(100n);
  });

  test("who comes when another leaves is counted together with it", () => {
    const state = stateWith(delegator(1, 50n, NOW, NOW + 100n), delegator(2, 30n, NOW + 100n, NOW + 200n, true));
    expect(highestWeight(state, validator, { start: NOW + 50n, end: NOW + 150n })).toBe(180n);
  });

  test("is the most that stakes at one instant, both ends of each period included", () => {
    const times = fc.tuple(fc.nat(12), fc.nat(12)).map(([a, b]) => ({ start: BigInt(Math.min(a, b)), end: BigInt(Math.max(a, b) + 1) }));
    const delegators = fc.array(fc.record({ times, weight: fc.bigInt(1n, 9n), isPending: fc.boolean() }), { maxLength: 6 });
    fc.assert(
      fc.property(delegators, times, (entries, period) => {
        const all = entries.map(({ times: { start, end }, weight, isPending }, i) =>
          delegator(i, weight, NOW + (isPending ? start + 1n : 0n), NOW + end + 1n, isPending),
        );
        let most = 0n;
        for (let now = NOW + period.start; now <= NOW + period.end; now++) {
          const present = all.filter(({ startTime, endTime }) => startTime <= now && now <= endTime);
          const weight = present.reduce((sum, each) => sum + each.weight, validator.weight);
          if (weight > most) most = weight;
        }
        expect(highestWeight(stateWith(...all), validator, { start: NOW + period.start, end: NOW + period.end })).toBe(most);
      }),
      { numRuns: 500 },
    );
  });

  test("is used up to its limit and not beyond", () => {
    const state = stateWith();
    const delegate = (weight: bigint) => () =>
      verifyCapacity(validator, weight, 500n, { start: NOW, end: NOW + 10n }, { ...context, state });
    expect(delegate(400n)).not.toThrow();
    expect(delegate(401n)).toThrow("validator would be over delegated");
  });
});
