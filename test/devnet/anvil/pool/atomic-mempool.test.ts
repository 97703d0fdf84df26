import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { parseAtomicTx } from "../../../../src/chains/atomic/tx.ts";
import { AtomicMempool, corethPool, inputsOf, type PooledTx, saevmPool } from "../../../../src/devnet/anvil/pool/atomic-mempool.ts";
import { RuleError } from "../../../../src/network/execution.ts";
import { someId } from "../../../chains/asset/wallet.ts";
import { mainnetExport } from "../../../chains/atomic/vectors.ts";

const tx = parseAtomicTx(mainnetExport.bytes);
const SMALL = { ...corethPool, capacity: 3 };

function pooled(name: string, gasPrice: number, ...inputs: string[]): PooledTx {
  return { id: someId(name), size: 300, inputs: inputs.map(someId), tx, gas: 11_000n, gasPrice: BigInt(gasPrice) };
}

function mempoolOf(...txs: PooledTx[]): AtomicMempool {
  const mempool = new AtomicMempool();
  for (const tx of txs) mempool.add(tx, SMALL);
  return mempool;
}

describe("the mempool of atomic transactions", () => {
  test("gives the best paid first, equals in the order in which they came", () => {
    const txs = [pooled("a", 5, "1"), pooled("b", 9, "2"), pooled("c", 5, "3")];
    expect(mempoolOf(...txs).best()).toEqual([txs[1], txs[0], txs[2]]);
  });

  test("keeps the earlier of two that conflict, unless the later pays more", () => {
    const [first, equal, better] = [pooled("first", 5, "1", "2"), pooled("equal", 5, "2"), pooled("better", 6, "2")];
    const mempool = mempoolOf(first);
    const ids = [equal, first].map(({ id }) => formatId(id));
    expect(() => mempool.add(equal, SMALL)).toThrow(
      `conflict present: issued tx (${ids[0]}) gas price 5 <= conflict tx (${ids[1]}) gas price 5 (1 total conflicts in mempool)`,
    );
    expect(() => mempool.add(equal, saevmPool)).toThrow("insufficient fee");
    mempool.add(better, SMALL);
    expect(mempool.best()).toEqual([better]);
    expect(mempool.dropReason(first.id)).toBeDefined();
  });

  test("lets the worst paid go for one that pays more when it is full", () => {
    const txs = [pooled("a", 5, "1"), pooled("b", 4, "2"), pooled("c", 6, "3")];
    const mempool = mempoolOf(...txs);
    expect(() => mempool.add(pooled("d", 4, "4"), SMALL)).toThrow("insufficient fee currentMin=4 provided=4");
    const better = pooled("e", 5, "5");
    mempool.add(better, SMALL);
    expect(mempool.best()).toEqual([txs[2], txs[0], better]);
    expect(mempool.dropReason(txs[1]!.id)).toBeDefined();
  });

  test("never holds two that use the same, nor more than it may, whatever comes and goes", () => {
    const some = fc.record({ price: fc.nat({ max: 5 }), inputs: fc.uniqueArray(fc.nat({ max: 6 }), { minLength: 1, maxLength: 3 }) });
    fc.assert(
      fc.property(fc.array(fc.tuple(some, fc.boolean()), { maxLength: 40 }), (steps) => {
        const mempool = new AtomicMempool();
        for (const [i, [{ price, inputs }, isAccepted]] of steps.entries()) {
          const tx = pooled(`tx ${i}`, price, ...inputs.map(String));
          try {
            mempool.add(tx, SMALL);
          } catch (error) {
            expect(error).toBeInstanceOf(RuleError);
          }
          if (isAccepted)
            mempool.accepted(
              mempool
                .best()
                .slice(0, 1)
                .map(({ id }) => id),
            );
          const used = mempool.best().flatMap((one) => one.inputs);
          expect(new Set(used).size).toBe(used.length);
          expect(mempool.size).toBeLessThanOrEqual(SMALL.capacity);
        }
      }),
    );
  });

  test("takes an account and its nonce for one input", () => {
    expect(inputsOf(tx)).toEqual([`${"0".repeat(16)}${mainnetExport.account}00000000`]);
  });
});
