/** Every transaction that the mempool admits ends in exactly one block that executes, and no value is created. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Id } from "../../../../src/base/bytes/id.ts";
import { decodeAll } from "../../../../src/base/codec/codec.ts";
import type { TransferOutput } from "../../../../src/chains/asset/fx/secp256k1.ts";
import type { SignedTx } from "../../../../src/chains/asset/tx/registry.ts";
import { RuleError } from "../../../../src/network/execution.ts";
import { key } from "../wallet.ts";
import { ada, COIN, type Coin, FEE, Issuing } from "./issuing.ts";

const GENESIS_COINS = 4;

interface Payment {
  /** of all coins that ever were: many are spent, or wait to be made */
  readonly picks: readonly number[];
  readonly parts: number;
  readonly isSignedByOwner: boolean;
  readonly viaWallet: boolean;
}

const payment: fc.Arbitrary<Payment> = fc.record({
  picks: fc.uniqueArray(fc.nat(30), { minLength: 1, maxLength: 3 }),
  parts: fc.integer({ min: 1, max: 3 }),
  isSignedByOwner: fc.nat(9).map((one) => one > 0),
  viaWallet: fc.boolean(),
});
const action = fc.oneof({ weight: 1, arbitrary: fc.constant("accept" as const) }, { weight: 5, arbitrary: payment });

class Model {
  readonly issuing = new Issuing(GENESIS_COINS);
  readonly issued = new Map<Id, SignedTx>();
  readonly admitted = new Set<Id>();
  readonly accepted: Id[] = [];
  /** What the wallet took is verified by nobody before its block; issued again elsewhere it is known, and a success. */
  readonly #takenUnverified = new Set<Id>();
  readonly #coins: Coin[] = Array.from({ length: GENESIS_COINS }, (_, index) => this.issuing.genesisCoin(index));

  issue({ picks, parts, isSignedByOwner, viaWallet }: Payment): void {
    const coins = [...new Set(picks.map((pick) => this.#coins[pick % this.#coins.length]!))];
    if (coins.reduce((sum, { amount }) => sum + amount, 0n) < 4n * FEE) return;
    const tx = this.issuing.transfer(coins, { parts, signer: isSignedByOwner ? ada : key("bob") });
    this.issued.set(tx.id, tx);
    this.#coins.push(...this.issuing.coinsOf(tx));
    try {
      this.issuing.issue(tx, { viaWallet });
      if (viaWallet) this.#takenUnverified.add(tx.id);
      else if (!this.#takenUnverified.has(tx.id)) this.admitted.add(tx.id);
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
    }
  }

  accept(): void {
    this.accepted.push(...(this.issuing.accept()?.txIds ?? []));
  }

  finish(): void {
    this.accepted.push(...this.issuing.acceptAll().flat());
  }

  get burned(): bigint {
    return this.accepted.reduce((sum, txId) => {
      const { inputs, outputs } = this.issued.get(txId)!.unsigned;
      const spent = inputs.reduce((total, { input }) => total + input.amount, 0n);
      return sum + spent - outputs.reduce((total, { output }) => total + output.amount, 0n);
    }, 0n);
  }

  get value(): bigint {
    const utxos = [...this.issuing.replay.utxos().values()].map((hex) =>
      decodeAll(this.issuing.replay.chain.codec.utxo, Buffer.from(hex, "hex")),
    );
    return utxos.reduce((sum, { output }) => sum + (output as TransferOutput).amount, 0n);
  }
}

describe("a mempool of random transfers", () => {
  test("becomes blocks that execute, with everything that was admitted, each transaction once, and keeps value", () => {
    fc.assert(
      fc.property(fc.array(action, { minLength: 1, maxLength: 30 }), (actions) => {
        const model = new Model();
        for (const one of actions) {
          if (one === "accept") model.accept();
          else model.issue(one);
        }
        model.finish();
        expect(new Set(model.accepted).size).toBe(model.accepted.length);
        expect(model.accepted).toEqual(expect.arrayContaining([...model.admitted]));
        expect(model.value).toBe(BigInt(GENESIS_COINS) * COIN - model.burned);
      }),
      { numRuns: 100 },
    );
  });
});
