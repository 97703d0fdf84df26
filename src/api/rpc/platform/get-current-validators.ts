import { type Id, type NodeId, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { type JsonObject, renderInTurns } from "../../../base/json/go-encode.ts";
import type { Awaitable } from "../../../base/work/awaitable.ts";
import { distinctInTurns, filterInTurns, mapInTurns } from "../../../base/work/work.ts";
import { isPermissioned, isValidator, type Staker } from "../../../chains/platform/state/staker.ts";
import type { NodeFacts, PassedUptimes } from "../../state/node-facts.ts";
import { method, type RpcContext } from "../method.ts";
import { id, listName, listOf, nodeId } from "../params.ts";
import { answerOnce, type ChainState, chainState } from "./chain-state.ts";
import { l1ValidatorJson } from "./l1-validator-json.ts";
import { l1ValidatorsOf, type Stakers, stakers } from "./snapshot.ts";
import { delegatorJson, type MeasuredStakers, validatorJson } from "./staker-json.ts";

/**
 * The validators of a subnet, or only those on some nodes; rendered once per state of the chain. An L1 that was converted from a subnet
 * lists its validators from before the conversion first, then its own (rpc-platform 3.7). A follower shows the uptimes that its node tells.
 */
export const getCurrentValidators = method({
  name: "platform.getCurrentValidators",
  summary: "The current validators of a subnet or L1, or only those on the requested nodes; a follower passes on the uptimes of its node.",
  cost: "O(requested nodes + answer), in turns; validators are read, and the whole list rendered, once per height; on a follower one call of its node in 60 s",
  computeUnits: 50,
  params: { subnetID: id, nodeIDs: listOf(nodeId) },
  async handler({ subnetID: subnetId, nodeIDs }, context) {
    const state = await chainState(context);
    const { work } = context;
    const nodeIds = await distinctInTurns(work, nodeIDs);
    const beyond = context.beyondState();
    const measured = subnetId === PRIMARY_NETWORK_ID ? await beyond.live?.uptimes() : undefined;
    beyond.passedFrom = measured?.from;
    return answerOnce(
      state,
      context,
      `validators ${subnetId} ${await listName(work, nodeIds)} ${uptimesName(beyond.facts, measured)}`,
      async () => {
        const sets: MeasuredStakers = { ...(await stakers(context, state)), measured };
        const validators =
          nodeIds.length === 0
            ? await allValidators(context, state, sets, subnetId)
            : await validatorsOn(context, state, sets, subnetId, nodeIds);
        return { json: await renderInTurns({ validators }, work) };
      },
    );
  },
});

/** Kept answers are per state, which does not include uptimes, so the key names them. */
function uptimesName({ uptimes }: NodeFacts, measured: PassedUptimes | undefined): string {
  return uptimes?.version ?? (measured === undefined ? "" : `${measured.version}`);
}

async function allValidators(context: RpcContext, { accruedFees }: ChainState, sets: MeasuredStakers, subnetId: Id): Promise<JsonObject[]> {
  const { work } = context;
  const staked = await filterInTurns(work, sets.current.ordered, (staker) => staker.subnetId === subnetId && isValidator(staker));
  return [
    ...(await mapInTurns(work, staked, (validator) => validatorJson(context, sets, validator))),
    ...(await mapInTurns(work, l1ValidatorsOf(sets, subnetId), (validator) => l1ValidatorJson(context, validator, accruedFees))),
  ];
}

/** Delegators are shown only if a single node is requested. */
async function validatorsOn(
  context: RpcContext,
  { accruedFees }: ChainState,
  sets: MeasuredStakers,
  subnetId: Id,
  nodeIds: readonly NodeId[],
): Promise<JsonObject[]> {
  const staked: JsonObject[] = [];
  const l1: JsonObject[] = [];
  const delegatorsOf = async (validator: Staker) =>
    nodeIds.length === 1 && !isPermissioned(validator) ? { delegators: await delegatorsJson(context, sets, validator) } : {};
  for (const nodeId of nodeIds) {
    const turn = context.work.turn();
    if (turn !== undefined) await turn;
    const validator = sets.current.validator(subnetId, nodeId);
    if (validator !== undefined) {
      staked.push({ ...validatorJson(context, sets, validator), ...(await delegatorsOf(validator)) });
    }
    const l1Validator = sets.l1.ofNode(subnetId, nodeId);
    if (l1Validator !== undefined) l1.push(l1ValidatorJson(context, l1Validator, accruedFees));
  }
  return [...staked, ...l1];
}

function delegatorsJson(context: RpcContext, sets: Stakers, { subnetId, nodeId }: Staker): Awaitable<JsonObject[]> {
  return mapInTurns(context.work, sets.current.delegators(subnetId, nodeId), (delegator) => delegatorJson(context, delegator));
}
