/** `eth_feeHistory` beside what its definition gives, for random chains; its words and bounds. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FeeHistory, type FeeHistoryParts } from "../../../../src/devnet/anvil/calls/fee-history.ts";

interface Transaction {
  readonly gas: number;
  readonly used: number;
  /** in addition to the base fee */
  readonly tip: number;
  readonly isDynamic: boolean;
}

interface Block {
  readonly baseFee: number;
  readonly transactions: readonly Transaction[];
}

const hex = (value: number | bigint) => `0x${value.toString(16)}`;
const GAS_LIMIT = 15_000_000;
const NEXT_FEE = 77n;
const usedOf = ({ transactions }: Block) => transactions.reduce((sum, { used }) => sum + used, 0);

/** A chain's answers, and the blocks that were asked for. */
class Chain {
  readonly asked: string[] = [];
  readonly #blocks: readonly Block[];
  readonly #salt: string;

  constructor(blocks: readonly Block[], salt = "a") {
    this.#blocks = blocks;
    this.#salt = salt;
  }

  parts(isSaevm: boolean): FeeHistoryParts {
    return {
      isSaevm,
      isSaevmAt: () => isSaevm,
      baseFee: async () => NEXT_FEE,
      request: async (method, params) => this.#answer(method, params),
      requestAll: async (method, all) => all.map((params) => this.#answer(method, params)),
    };
  }

  #hash(height: number): string {
    return `${this.#salt}${height}`;
  }

  #answer(method: string, [which, isFull]: readonly unknown[]): unknown {
    if (method === "eth_blockNumber") return hex(this.#blocks.length - 1);
    if (method === "eth_getBlockReceipts") {
      return this.#blocks[Number(String(which).slice(1))]!.transactions.map(({ used }) => ({ gasUsed: hex(used) }));
    }
    const height = which === "latest" ? this.#blocks.length - 1 : Number(which);
    const block = this.#blocks[height];
    if (block === undefined) return null;
    if (isFull) this.asked.push(hex(height));
    const { baseFee, transactions } = block;
    return {
      ...{ hash: this.#hash(height), parentHash: this.#hash(height - 1), number: hex(height), timestamp: hex(height) },
      ...{ gasUsed: hex(usedOf(block)), gasLimit: hex(GAS_LIMIT), baseFeePerGas: hex(baseFee) },
      transactions: isFull ? transactions.map((each) => jsonOf(each, baseFee)) : transactions.map((_, i) => `${height}-${i}`),
    };
  }
}

function jsonOf({ gas, tip, isDynamic }: Transaction, baseFee: number): unknown {
  if (!isDynamic) return { gas: hex(gas), gasPrice: hex(baseFee + tip) };
  // the fee binds where it is odd, else the tip
  const most = tip % 2 === 1 ? { maxFeePerGas: hex(baseFee + tip), maxPriorityFeePerGas: hex(tip + 5) } : undefined;
  return {
    gas: hex(gas),
    gasPrice: hex(baseFee + tip),
    ...(most ?? { maxFeePerGas: hex(baseFee + tip + 9), maxPriorityFeePerGas: hex(tip) }),
  };
}

/** Unit of gas by unit of gas, each with the tip that it paid. */
function tipAt(percentile: number, { transactions }: Block, gasOf: (transaction: Transaction) => number): bigint {
  const paid = [...transactions].sort((a, b) => a.tip - b.tip).flatMap((each) => Array<number>(gasOf(each)).fill(each.tip));
  const threshold = Math.trunc((paid.length * percentile) / 100);
  return BigInt(paid[Math.max(0, threshold - 1)] ?? 0);
}

const transaction = fc
  .nat({ max: 40 })
  .chain((more) =>
    fc
      .record({ used: fc.integer({ min: 1, max: 60 }), tip: fc.nat({ max: 30 }), isDynamic: fc.boolean() })
      .map((each) => ({ ...each, gas: each.used + more })),
  );
const block = fc.record({ baseFee: fc.integer({ min: 1, max: 1000 }), transactions: fc.array(transaction, { maxLength: 5 }) });
const chains = fc.array(block, { minLength: 1, maxLength: 90 });
const percentiles = fc
  .uniqueArray(fc.integer({ min: 0, max: 400 }), { maxLength: 8 })
  .map((list) => list.sort((a, b) => a - b).map((each) => each / 4));

describe.each([
  ["saevm", true],
  ["coreth", false],
] as const)("the fee history of %s", (_, isSaevm) => {
  test("is what its blocks say", async () => {
    await fc.assert(
      fc.asyncProperty(chains, fc.nat(), fc.integer({ min: 1, max: 100 }), percentiles, async (blocks, place, count, asked) => {
        const last = place % blocks.length;
        const shown = blocks.slice(Math.max(0, last + 1 - count), last + 1);
        const next = last === blocks.length - 1 ? NEXT_FEE : blocks[last + 1]!.baseFee;
        const chain = new Chain(blocks);
        const fees = new FeeHistory();
        const answer = await fees.answer([hex(count), hex(last), asked], chain.parts(isSaevm));
        expect(answer).toEqual({
          oldestBlock: hex(last + 1 - shown.length),
          ...(asked.length > 0 && {
            reward: shown.map((each) => asked.map((percentile) => hex(tipAt(percentile, each, ({ gas, used }) => (isSaevm ? gas : used))))),
          }),
          baseFeePerGas: [...shown.map(({ baseFee }) => hex(baseFee)), ...(isSaevm ? [hex(next)] : [])],
          gasUsedRatio: shown.map((each) => usedOf(each) / GAS_LIMIT),
        });
        // again, from what is kept
        const reads = chain.asked.length;
        expect(await fees.answer([count, hex(last), asked], chain.parts(isSaevm))).toEqual(answer);
        expect(chain.asked.length).toBe(reads);
      }),
      { numRuns: 60 },
    );
  });

  test("is of the blocks that are there now, after a revert, too", async () => {
    const fees = new FeeHistory();
    const before = Array.from({ length: 9 }, (_each, i) => ({ baseFee: 10 + i, transactions: [] }));
    const after = before.map(({ baseFee }) => ({ baseFee: baseFee + 100, transactions: [] }));
    await fees.answer(["0x9", "latest"], new Chain(before).parts(isSaevm));
    const { baseFeePerGas } = await fees.answer(["0x9", "latest"], new Chain(after, "b").parts(isSaevm));
    expect(baseFeePerGas!.slice(0, 9)).toEqual(after.map(({ baseFee }) => hex(baseFee)));
  });

  test("reads each block once at most, and no more than 2,048", async () => {
    const chain = new Chain(Array.from({ length: 3000 }, () => ({ baseFee: 1, transactions: [] })));
    const { oldestBlock, gasUsedRatio } = await new FeeHistory().answer(["0xffffffffffffffff", "latest", [50]], chain.parts(isSaevm));
    expect([oldestBlock, gasUsedRatio!.length]).toEqual([hex(3000 - 2048), 2048]);
    expect(new Set(chain.asked).size).toBe(2048);
    expect(chain.asked.length).toBe(2048);
  });

  test("of no blocks has none", async () => {
    const chain = new Chain([{ baseFee: 1, transactions: [] }]);
    expect(JSON.stringify(await new FeeHistory().answer(["0x0", "latest", []], chain.parts(isSaevm)))).toBe(
      '{"oldestBlock":"0x0","gasUsedRatio":null}',
    );
  });

  const words = {
    outside: isSaevm ? "percentile out of range or misordered: value 100.500000 at index 1" : "invalid reward percentile: 100.500000",
    below: isSaevm ? "percentile out of range or misordered: value -1.000000 at index 0" : "invalid reward percentile: -1.000000",
    falling: isSaevm
      ? "percentile out of range or misordered: index 1 (10.000000) must be greater than index 0 (50.000000)"
      : "invalid reward percentile: #0:50.000000 >= #1:10.000000",
    equal: isSaevm
      ? "percentile out of range or misordered: index 1 (50.000000) must be greater than index 0 (50.000000)"
      : "invalid reward percentile: #0:50.000000 >= #1:50.000000",
    many: isSaevm
      ? "percentile out of range or misordered: requested 101 percentiles, max 100"
      : "invalid reward percentile: over the query limit 100",
    ahead: isSaevm ? "block not found: not accepted yet: block 7" : "request beyond head block: requested 7, head 0",
  };
  test.each([
    [["0x1", "latest", [50, 100.5]], words.outside, -32_000],
    [["0x1", "latest", [-1]], words.below, -32_000],
    [["0x1", "latest", [50, 10]], words.falling, -32_000],
    [["0x1", "latest", [50, 50]], words.equal, -32_000],
    [["0x1", "latest", Array.from({ length: 101 }, (_each, i) => i / 2)], words.many, -32_000],
    [["0x1", "0x7", []], words.ahead, -32_000],
    [["0x1"], "missing value for required argument 1", -32_602],
    [[], "missing value for required argument 0", -32_602],
    [["no", "latest"], 'invalid argument 0: invalid hex or decimal integer "no"', -32_602],
    [["18446744073709551616", "latest"], 'invalid argument 0: invalid hex or decimal integer "18446744073709551616"', -32_602],
    [["0x1", "latest", ["1"]], "invalid argument 2: json: cannot unmarshal string into Go value of type float64", -32_602],
    [["0x1", "latest", true], "invalid argument 2: json: cannot unmarshal bool into Go value of type []float64", -32_602],
  ])("%j is refused in the node's words", async (params, message, rpcCode) => {
    const chain = new Chain([{ baseFee: 1, transactions: [] }]);
    await expect(new FeeHistory().answer(params, chain.parts(isSaevm))).rejects.toMatchObject({ message, rpcCode });
  });

  test("ends where the node's history does", async () => {
    const blocks = Array.from({ length: 25_011 }, () => ({ baseFee: 1, transactions: [] }));
    const chain = new Chain(blocks);
    const message = isSaevm
      ? "requested block is too far behind accepted head: block 9 requested, accepted head is 25010 (max depth 25000)"
      : "request beyond historical limit: requested 10, head 25010";
    const [refused, taken] = isSaevm ? [9, 10] : [10, 11];
    await expect(new FeeHistory().answer(["0x1", hex(refused)], chain.parts(isSaevm))).rejects.toThrow(message);
    const { gasUsedRatio } = await new FeeHistory().answer(["0x5", hex(taken)], chain.parts(isSaevm));
    // coreth reads no further back, whichever block is asked for
    expect(gasUsedRatio!.length).toBe(isSaevm ? 5 : 1);
  });
});

test("coreth counts a pending block that it does not have", async () => {
  const chain = new Chain([1, 2, 3].map((baseFee) => ({ baseFee, transactions: [] })));
  expect((await new FeeHistory().answer(["0x2", "pending"], chain.parts(false))).baseFeePerGas).toEqual(["0x3"]);
  expect((await new FeeHistory().answer(["0x2", "pending"], chain.parts(true))).baseFeePerGas).toEqual(["0x2", "0x3", hex(NEXT_FEE)]);
  expect(await new FeeHistory().answer(["0x1", "pending"], chain.parts(false))).toEqual({ oldestBlock: "0x0", gasUsedRatio: null });
});
