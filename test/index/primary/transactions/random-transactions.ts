/** Random blocks for a transaction world with few owners, types, L1 validators, assets and times, so that queries find several of each. */

import type { Id, ShortId } from "../../../../src/base/bytes/id.ts";
import { C_CHAIN, P_CHAIN, type PrimaryChain, primaryChains, X_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { GROUP_SIZE } from "../../../../src/index/primary/transactions/transaction-order.ts";
import { Dice } from "../staking/staking-world.ts";
import { network } from "../utxos/utxo-world.ts";
import { type Plan, someId, type TransactionWorld } from "./transaction-world.ts";

export const OWNERS: readonly ShortId[] = ["a", "b", "c", "d", "e"].map((digit) => digit.repeat(40));
export const ACCOUNTS: readonly ShortId[] = ["1", "2", "3"].map((digit) => digit.repeat(40));
export const VALIDATIONS: readonly Id[] = ["v", "w"].map(someId);
export const ASSETS: readonly Id[] = [network.avaxAssetId, someId("gold")];
export const NODES: readonly string[] = ["node one", "node two"];

export const TYPES: Readonly<Record<PrimaryChain, readonly string[]>> = {
  [P_CHAIN]: [
    "BaseTx",
    "ImportTx",
    "AddDelegatorTx",
    "RewardAutoRenewedValidatorTx",
    "IncreaseL1ValidatorBalanceTx",
    "DisableL1ValidatorTx",
  ],
  [X_CHAIN]: ["BaseTx", "CreateAssetTx", "OperationTx", "ImportTx", "ExportTx"],
  [C_CHAIN]: ["ImportTx", "ExportTx"],
};

export class RandomTransactions {
  readonly #dice: Dice;
  readonly #world: TransactionWorld;
  #time = 100n;

  constructor(world: TransactionWorld, seed: number) {
    this.#world = world;
    this.#dice = new Dice(seed);
  }

  /** Blocks of all chains, committed together. Often several have the same time. */
  async grow(blocks: number): Promise<void> {
    const dice = this.#dice;
    for (let i = 0; i < blocks; i++) {
      const chain = dice.pick(primaryChains);
      this.#time += BigInt(dice.roll(3));
      const proposer = dice.roll(3) === 0 ? undefined : dice.pick(NODES);
      // some fill several groups of the chain's order
      const count = dice.roll(16) === 0 ? GROUP_SIZE + dice.roll(20) : dice.roll(5);
      const plans = Array.from({ length: count }, () => this.#plan(chain));
      this.#world.block({ chain, timestamp: this.#time, plans, ...(proposer && { proposer }) });
    }
    await this.#world.commit();
  }

  #plan(chain: PrimaryChain): Plan {
    const dice = this.#dice;
    const type = dice.pick(TYPES[chain]);
    const some = <T>(items: readonly T[], most: number) => [
      ...new Set(Array.from({ length: dice.roll(most + 1) }, () => dice.pick(items))),
    ];
    const owners = () => Array.from({ length: dice.roll(3) }, () => some(OWNERS, 3));
    return {
      type,
      consumed: chain === C_CHAIN && type === "ExportTx" ? [] : owners(),
      emitted: chain === C_CHAIN && type === "ImportTx" ? [] : owners(),
      ...(chain === C_CHAIN && { accounts: [...new Set([dice.pick(ACCOUNTS), dice.pick(ACCOUNTS)])] }),
      ...(chain === P_CHAIN && type.includes("L1") && { validations: some(VALIDATIONS, 2) }),
      ...(chain === X_CHAIN && { assetId: dice.pick(ASSETS) }),
    };
  }
}
