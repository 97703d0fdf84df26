/** L1 validators of the P-chain and their continuous fee, computed second by second (chain-rules 8). */

import type { Id } from "../../../../src/base/bytes/id.ts";
import { exponentialPrice } from "../../../../src/chains/platform/complexity.ts";
import { validationIdOf } from "../../../../src/chains/platform/tx/convert-subnet-to-l1.ts";
import type { UnsignedTx } from "../../../../src/chains/platform/tx/registry.ts";
import {
  parseL1ValidatorWeight,
  parseRegisterL1Validator,
  registrationId,
  toNodeId,
} from "../../../../src/chains/platform/warp/l1-messages.ts";
import { parseAddressedCall, parseWarpMessage } from "../../../../src/chains/platform/warp/message.ts";
import type { AnyOutput, HappenedTx, History, L1Validator } from "./history.ts";

type Produce = (output: { assetId: Id; output: AnyOutput }) => unknown;

export class L1Validators {
  readonly #history: History;
  #excess = 0n;

  constructor(history: History) {
    this.#history = history;
  }

  get active(): L1Validator[] {
    return this.#history.l1Validators.filter(({ weight, endAccumulatedFee }) => weight > 0n && endAccumulatedFee > 0n);
  }

  /** Who runs dry on the way pays on and leaves at the end: the number of payers is that of the beginning. */
  charge(seconds: bigint): void {
    const history = this.#history;
    for (let second = 0n; second < seconds; second++) {
      this.#excess = this.#nextExcess();
      history.accruedFees += this.#price(this.#excess);
    }
    this.#deactivateAt(history.accruedFees);
  }

  deactivateWhoCannotPayTheNextSecond(): void {
    if (this.active.length === 0) return;
    // one that can pay exactly that stays
    this.#deactivateAt(this.#history.accruedFees + this.#price(this.#nextExcess()) - 1n);
  }

  #nextExcess(): bigint {
    const next = this.#excess + BigInt(this.active.length) - this.#history.network.validatorFees.target;
    return next > 0n ? next : 0n;
  }

  #price(excess: bigint): bigint {
    const { minPrice, excessConversionConstant } = this.#history.network.validatorFees;
    return exponentialPrice(minPrice, excess, excessConversionConstant);
  }

  #deactivateAt(accrued: bigint): void {
    for (const validator of this.active) if (validator.endAccumulatedFee <= accrued) validator.endAccumulatedFee = 0n;
  }

  balanceOf({ endAccumulatedFee }: L1Validator): bigint {
    return endAccumulatedFee === 0n ? 0n : endAccumulatedFee - this.#history.accruedFees;
  }

  apply(tx: HappenedTx, unsigned: UnsignedTx, produce: Produce): void {
    switch (unsigned.kind) {
      case "ConvertSubnetToL1Tx":
        for (const [
          index,
          { nodeId, signer, weight, balance, remainingBalanceOwner, deactivationOwner },
        ] of unsigned.validators.entries()) {
          const owners = { remainingBalanceOwner, deactivationOwner };
          this.#add(tx, balance, {
            ...{ validationId: validationIdOf(unsigned.subnetId, index), subnetId: unsigned.subnetId, nodeId: toNodeId(nodeId) },
            ...{ publicKey: signer.publicKey, weight, ...owners },
          });
        }
        break;
      case "RegisterL1ValidatorTx": {
        const { payload } = parseAddressedCall(parseWarpMessage(unsigned.message).payload);
        const { subnetId, nodeId, blsPublicKey, weight, remainingBalanceOwner, disableOwner } = parseRegisterL1Validator(payload);
        this.#add(tx, unsigned.balance, {
          ...{ validationId: registrationId(payload), subnetId, nodeId: toNodeId(nodeId), publicKey: blsPublicKey, weight },
          ...{ remainingBalanceOwner, deactivationOwner: disableOwner },
        });
        break;
      }
      case "SetL1ValidatorWeightTx": {
        const { payload } = parseAddressedCall(parseWarpMessage(unsigned.message).payload);
        const { validationId, weight } = parseL1ValidatorWeight(payload);
        const validator = this.#find(validationId);
        validator.weight = weight;
        this.#record(tx, validator, weight === 0n ? this.#refund(validator, produce) : 0n);
        break;
      }
      case "IncreaseL1ValidatorBalanceTx": {
        const validator = this.#find(unsigned.validationId);
        validator.endAccumulatedFee = this.#history.accruedFees + this.balanceOf(validator) + unsigned.balance;
        this.#record(tx, validator, unsigned.balance);
        break;
      }
      case "DisableL1ValidatorTx": {
        const validator = this.#find(unsigned.validationId);
        this.#record(tx, validator, this.#refund(validator, produce));
        break;
      }
    }
  }

  #find(validationId: Id): L1Validator {
    return this.#history.l1Validators.find((validator) => validator.validationId === validationId)!;
  }

  #add(tx: HappenedTx, balance: bigint, fields: Omit<L1Validator, "startTime" | "endAccumulatedFee">): void {
    const { time, accruedFees, l1Validators } = this.#history;
    const validator = { ...fields, startTime: time, endAccumulatedFee: balance === 0n ? 0n : accruedFees + balance };
    l1Validators.push(validator);
    this.#record(tx, validator, balance);
  }

  /** Pays out what is left; returns the change of the balance. */
  #refund(validator: L1Validator, produce: Produce): bigint {
    const amount = this.balanceOf(validator);
    if (validator.endAccumulatedFee === 0n) return 0n;
    const { threshold, addresses } = validator.remainingBalanceOwner;
    const output = { kind: "TransferOutput", amount, locktime: 0n, threshold, addresses };
    produce({ assetId: this.#history.network.avaxAssetId, output });
    validator.endAccumulatedFee = 0n;
    return -amount;
  }

  #record(tx: HappenedTx, validator: L1Validator, change: bigint): void {
    tx.l1.push({ validator, weight: validator.weight, balance: this.balanceOf(validator), change });
  }
}
