import { describe, expect, test } from "vitest";
import { TransactionPool } from "../../src/evm-node/transaction-pool.ts";

/** A transaction of so many bytes. */
const raw = (bytes: number) => `0x${"00".repeat(bytes)}`;

describe("the pool of EVM transactions", () => {
  test("takes 5,120 slots of 32 KiB, those that are on their way included", () => {
    const pool = new TransactionPool();
    const release = pool.reserve(raw(128 * 1024));
    for (let i = 0; i < 5_116; i++) pool.add(`${i}`, raw(100));
    expect(() => pool.reserve(raw(1))).toThrow("txpool is full");
    release();
    pool.reserve(raw(4 * 32 * 1024));
    expect(() => pool.reserve(raw(1))).toThrow("txpool is full");
  });

  test("refuses what is larger than 128 KiB", () => {
    expect(() => new TransactionPool().reserve(raw(131_073))).toThrow("oversized data: transaction size 131073, limit 131072");
  });

  test("has what was sealed again until it is committed", () => {
    const pool = new TransactionPool();
    for (const hash of ["a", "b", "c"]) pool.add(hash, raw(1));
    pool.seal(["a"]);
    pool.committed();
    pool.seal(["b"]);
    expect(["a", "b", "c"].map((hash) => pool.get(hash) !== undefined)).toEqual([false, false, true]);
    pool.unseal();
    expect(["a", "b", "c"].map((hash) => pool.get(hash) !== undefined)).toEqual([false, true, true]);
  });
});
