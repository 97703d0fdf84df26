import { describe, expect, test } from "vitest";
import type { JsonRpcClient } from "../../../../src/devnet/anvil/json-rpc-client.ts";
import { TransactionPool } from "../../../../src/devnet/anvil/pool/transaction-pool.ts";

/** A transaction of this many bytes. */
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

  test("takes no more bytes than the child can tell of in one answer, those that are on their way included", () => {
    const pool = new TransactionPool();
    const large = raw(128 * 1024);
    let bytes = 0;
    const fill = () => {
      for (let i = 0; ; i++) {
        const release = pool.reserve(large);
        pool.add(`${i}`, large);
        release();
        bytes += 128 * 1024;
      }
    };
    expect(fill).toThrow("txpool is full");
    // in hex
    expect(2 * bytes).toBeLessThanOrEqual(64 << 20);
    pool.clear();
    const releases = Array.from({ length: 256 }, () => pool.reserve(large));
    expect(() => pool.reserve(raw(1))).toThrow("txpool is full");
    for (const release of releases) release();
    pool.reserve(large);
  });

  test("refuses what is larger than 128 KiB", () => {
    expect(() => new TransactionPool().reserve(raw(131_073))).toThrow("oversized data: transaction size 131073, limit 131072");
  });

  test("finds by halves the one of which the child dies, and keeps all others", async () => {
    const hashes = Array.from({ length: 16 }, (_, i) => `0x${i.toString(16).padStart(2, "0")}`);
    for (const deadly of hashes) {
      const pool = new TransactionPool();
      for (const hash of hashes) pool.add(hash, hash);
      let held: string[] = [];
      const child = { call: async (_: string, hash: string) => void held.push(hash) } as unknown as JsonRpcClient;
      let deaths = 0;
      for (let forgotten: string | undefined; forgotten === undefined; ) {
        held = [];
        await pool.sendAgain(child);
        if (!held.includes(deadly)) await pool.widen(child);
        else {
          forgotten = pool.narrow();
          deaths++;
        }
      }
      expect(hashes.filter((hash) => pool.get(hash) === undefined)).toEqual([deadly]);
      expect(deaths).toBeLessThan(16);
    }
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
