import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatId } from "../../../src/base/bytes/cb58.ts";
import { MAX_MEMPOOL_BYTES, MAX_TX_BYTES, Mempool, MempoolFullError, type MempoolTx } from "../../../src/chains/mempool/mempool.ts";
import { RuleError } from "../../../src/network/execution.ts";

const idOf = (n: number) => n.toString(16).padStart(64, "0");
const txOf = (n: number, inputs: number[] = [n], size = 100): MempoolTx => ({ id: idOf(n), size, inputs: inputs.map(idOf) });

describe("a mempool", () => {
  test("refuses a transaction that is here, that is too large, that conflicts, with the node's texts", () => {
    const mempool = new Mempool();
    mempool.add(txOf(1, [7, 8]));
    expect(() => mempool.add(txOf(1))).toThrow(`duplicate tx: ${formatId(idOf(1))}`);
    const text = `tx too large: ${formatId(idOf(2))} size (65537) > max size (65536)`;
    expect(() => mempool.add(txOf(2, [2], MAX_TX_BYTES + 1))).toThrow(text);
    expect(() => mempool.add(txOf(3, [3, 8]))).toThrow(`tx conflicts with other tx: ${formatId(idOf(3))}`);
  });

  test("is full after 64 MiB, says how much space is left, and takes more once something left", () => {
    const mempool = new Mempool();
    const count = MAX_MEMPOOL_BYTES / MAX_TX_BYTES;
    mempool.add(txOf(0, [0], MAX_TX_BYTES - 10));
    for (let n = 1; n < count; n++) mempool.add(txOf(n, [n], MAX_TX_BYTES));
    const late = txOf(count, [count], 11);
    expect(() => mempool.add(late)).toThrow(`mempool is full: ${formatId(late.id)} size (11) > available space (10)`);
    mempool.remove(txOf(5));
    mempool.add(late);
    expect(mempool.bytesLeft).toBe(10 + MAX_TX_BYTES - 11);
  });

  test("removes the conflicts of a transaction that it does not have", () => {
    const mempool = new Mempool();
    for (const tx of [txOf(1, [11, 12]), txOf(2, [13]), txOf(3, [14])]) mempool.add(tx);
    expect(mempool.remove(txOf(9, [12, 13])).map(({ id }) => id)).toEqual([idOf(1), idOf(2)]);
    expect([...mempool].map(({ id }) => id)).toEqual([idOf(3)]);
  });

  test("remembers why the last 64 were dropped, but neither those it has nor that it was full", () => {
    const mempool = new Mempool();
    const reason = new RuleError("any", "a reason");
    for (let n = 0; n < 65; n++) mempool.markDropped(idOf(n), reason);
    expect(mempool.dropReason(idOf(0))).toBeUndefined();
    expect(mempool.dropReason(idOf(1))).toBe(reason);
    mempool.add(txOf(1));
    expect(mempool.dropReason(idOf(1))).toBeUndefined();
    mempool.markDropped(idOf(1), reason);
    expect(mempool.dropReason(idOf(1))).toBeUndefined();
    mempool.markDropped(idOf(99), new MempoolFullError(idOf(99), 2, 1));
    expect(mempool.dropReason(idOf(99))).toBeUndefined();
  });

  test("a reason that was asked for is kept longer than one that was not", () => {
    const mempool = new Mempool();
    for (let n = 0; n < 64; n++) mempool.markDropped(idOf(n), new RuleError("any", `${n}`));
    mempool.dropReason(idOf(0));
    mempool.markDropped(idOf(64), new RuleError("any", "64"));
    expect(mempool.dropReason(idOf(0))?.message).toBe("0");
    expect(mempool.dropReason(idOf(1))).toBeUndefined();
  });

  test("never holds two transactions with one input, keeps their order, and counts bytes exactly", () => {
    const action = fc.record({
      adds: fc.boolean(),
      n: fc.integer({ min: 0, max: 12 }),
      inputs: fc.uniqueArray(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 3 }),
      size: fc.integer({ min: 1, max: MAX_TX_BYTES }),
    });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const mempool = new Mempool();
        let expected: MempoolTx[] = [];
        const overlaps = (a: MempoolTx, b: MempoolTx) => a.inputs.some((input) => b.inputs.includes(input));
        for (const { adds, n, inputs, size } of actions) {
          const tx = txOf(n, inputs, size);
          const own = expected.find(({ id }) => id === tx.id);
          if (!adds) {
            mempool.remove(tx);
            expected = expected.filter((other) => (own === undefined ? !overlaps(other, tx) : other !== own));
          } else if (own !== undefined || expected.some((other) => overlaps(other, tx))) {
            expect(() => mempool.add(tx)).toThrow(RuleError);
          } else {
            mempool.add(tx);
            expected.push(tx);
          }
          expect([...mempool]).toEqual(expected);
          expect(mempool.bytesLeft).toBe(MAX_MEMPOOL_BYTES - expected.reduce((sum, tx) => sum + tx.size, 0));
        }
      }),
    );
  });
});
