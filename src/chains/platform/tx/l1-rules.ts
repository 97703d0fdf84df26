/** Rules shared by the transactions about L1 validators (chain-rules 8.4, 14.4). */

import { formatId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { RuleError } from "../../../network/execution.ts";
import { addAmounts } from "../flow.ts";
import type { PlatformState } from "../state/platform-state.ts";
import type { L1Validator } from "../state/staker-set.ts";
import type { Base, TxContext } from "./base.ts";
import type { Signed } from "./signed.ts";

/** The accrued fees at which a balance is used up; 0 for a zero balance, which makes the validator inactive. */
export function endOfBalance(balance: bigint, { state, network }: TxContext): bigint {
  if (balance === 0n) return 0n;
  verifyRoom(state, network.validatorFees.capacity);
  return addAmounts(balance, state.scalars.accruedFees);
}

/** Checks that there is room for another active validator. */
function verifyRoom(state: PlatformState, capacity: bigint): void {
  if (BigInt(state.activeL1Validators.length) < capacity) return;
  throw new RuleError("too-many-active-validators", "already at the max number of active validators");
}

export function findL1Validator(validationId: Id, state: PlatformState): L1Validator {
  const validator = state.l1Validator(validationId);
  if (validator === undefined) throw new RuleError("not-found", "not found", { validationId });
  return validator;
}

/** Checks that a message about an L1 was sent by its manager. */
export function verifyManager(subnetId: Id, chainId: Id, address: Uint8Array, state: PlatformState): void {
  const conversion = state.subnet(subnetId)?.conversion;
  if (conversion === undefined) {
    throw new RuleError("not-converted", `could not load subnet conversion for ${formatId(subnetId)} with: not found`);
  }
  if (chainId !== conversion.managerChainId) {
    const text = `wrong warp message source chain ID expected ${formatId(conversion.managerChainId)} but had ${formatId(chainId)}`;
    throw new RuleError("wrong-manager-chain", text);
  }
  const [expected, actual] = [hex(conversion.managerAddress), hex(address)];
  if (actual === expected) return;
  const text = `wrong warp message source address expected 0x${expected} but got 0x${actual}`;
  throw new RuleError("wrong-manager-address", text);
}

/** Refunds the rest of an active validator's balance, as the output after the transaction's own. */
export function refundBalance(tx: Signed<Base & { readonly kind: string }>, validator: L1Validator, context: TxContext): void {
  const { state, network } = context;
  const { threshold, addresses } = validator.remainingBalanceOwner;
  const amount = validator.endAccumulatedFee - state.scalars.accruedFees;
  state.produceUtxo({
    txId: tx.id,
    outputIndex: tx.unsigned.outputs.length,
    assetId: network.avaxAssetId,
    output: { kind: "TransferOutput", amount, locktime: 0n, threshold, addresses },
  });
}

function hex(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex");
}
