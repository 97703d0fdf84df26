import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import { isActiveL1Validator, type L1Validator } from "../../../chains/platform/state/staker-set.ts";
import type { RpcContext } from "../method.ts";
import { ownerJson } from "./owner-json.ts";

/** The nine members of rpc-platform 3.7.4. The balance is that of the last accepted state, not advanced to the current time. */
export function l1ValidatorJson(context: RpcContext, validator: L1Validator, accruedFees: bigint) {
  const balance = isActiveL1Validator(validator) ? validator.endAccumulatedFee - accruedFees : 0n;
  return {
    nodeID: formatNodeId(validator.nodeId),
    weight: `${validator.weight}`,
    startTime: `${validator.startTime}`,
    validationID: formatId(validator.validationId),
    publicKey: `0x${validator.publicKey}`,
    remainingBalanceOwner: ownerJson(context, validator.remainingBalanceOwner),
    deactivationOwner: ownerJson(context, validator.deactivationOwner),
    minNonce: `${validator.minNonce}`,
    balance: `${balance}`,
  };
}
