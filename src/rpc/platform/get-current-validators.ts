import { isPermissioned, isValidator, type Staker } from "../../platform/state/staker.ts";
import type { Id, NodeId } from "../../primitives/id.ts";
import { renderJson } from "../go-json-encode.ts";
import { method, type RpcContext } from "../method.ts";
import { id, listOf, nodeId } from "../params.ts";
import type { JsonObject } from "../raw-json.ts";
import { answerOnce } from "./answers.ts";
import { type ChainState, chainState } from "./chain-state.ts";
import { l1ValidatorJson } from "./l1-validator-json.ts";
import { l1ValidatorsOf, type Stakers, stakers } from "./snapshot.ts";
import { delegatorJson, validatorJson } from "./staker-json.ts";

/**
 * The validators of a subnet, or those on some nodes; rendered once per state of the chain. A subnet that was converted to an L1 shows
 * its validators from before the conversion, then its own (rpc-platform 3.7).
 */
export const getCurrentValidators = method({
  name: "platform.getCurrentValidators",
  summary: "The current validators of a subnet or L1, or those on some nodes.",
  cost: "O(answer); validators are read, and the whole list rendered, once per height",
  params: { subnetID: id, nodeIDs: listOf(nodeId) },
  async handler({ subnetID: subnetId, nodeIDs }, context) {
    const state = await chainState(context);
    const nodeIds = [...new Set(nodeIDs)];
    return answerOnce(state, context.clock, `validators ${subnetId} ${nodeIds} ${uptimesName(context)}`, async () => {
      const sets = await stakers(context, state);
      const validators =
        nodeIds.length === 0 ? allValidators(context, state, sets, subnetId) : validatorsOn(context, state, sets, subnetId, nodeIds);
      return { json: renderJson({ validators }) };
    });
  },
});

/** Answers are kept by state, which does not hold uptimes. */
function uptimesName({ facts: { uptimes } }: RpcContext): string {
  return uptimes?.version ?? "";
}

function allValidators(context: RpcContext, { accruedFees }: ChainState, sets: Stakers, subnetId: Id): JsonObject[] {
  const staked = sets.current.ordered.filter((staker) => staker.subnetId === subnetId && isValidator(staker));
  return [
    ...staked.map((validator) => validatorJson(context, sets, validator)),
    ...l1ValidatorsOf(sets, subnetId).map((validator) => l1ValidatorJson(context, validator, accruedFees)),
  ];
}

/** Delegators are shown when one node is asked for. */
function validatorsOn(
  context: RpcContext,
  { accruedFees }: ChainState,
  sets: Stakers,
  subnetId: Id,
  nodeIds: readonly NodeId[],
): JsonObject[] {
  const staked: JsonObject[] = [];
  const l1: JsonObject[] = [];
  for (const nodeId of nodeIds) {
    const validator = sets.current.validator(subnetId, nodeId);
    if (validator !== undefined) {
      staked.push({
        ...validatorJson(context, sets, validator),
        ...(nodeIds.length === 1 && !isPermissioned(validator) && { delegators: delegatorsOf(context, sets, validator) }),
      });
    }
    const l1Validator = sets.l1.ofNode(subnetId, nodeId);
    if (l1Validator !== undefined) l1.push(l1ValidatorJson(context, l1Validator, accruedFees));
  }
  return [...staked, ...l1];
}

function delegatorsOf(context: RpcContext, sets: Stakers, { subnetId, nodeId }: Staker): JsonObject[] {
  return sets.current.delegators(subnetId, nodeId).map((delegator) => delegatorJson(context, delegator));
}
