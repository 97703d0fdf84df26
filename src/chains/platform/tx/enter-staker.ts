/** How staking transactions add their staker to the pending or the current set (chain-rules 10.6–10.12, 12.1). */
import type { BlsPublicKey, Id } from "../../../base/bytes/id.ts";
import { mintPotentialReward } from "../potential-reward.ts";
import type { PlatformState } from "../state/platform-state.ts";
import { Priority, type Staker } from "../state/staker.ts";
import { applyBase, type Base, stakerBytes, type TxContext, type TxDefinition } from "./base.ts";
import type { Signed } from "./signed.ts";
import { returnStake } from "./stake.ts";
import type { StakingTime } from "./staker-rules.ts";

export interface NewStaker {
  readonly subnetId: Id;
  readonly staking: StakingTime;
  readonly publicKey?: BlsPublicKey | undefined;
  /** priorities while pending and once current */
  readonly pendingPriority: number;
  readonly currentPriority: number;
}

type AnyTx = Base & { readonly kind: string };

interface Entry<T extends AnyTx> {
  verify(tx: Signed<T>, context: TxContext): void;
  staker(tx: T): NewStaker;
}

/** Adds the staker: before Durango to the pending set; since then to the current set, with its potential reward. */
export function decided<T extends AnyTx>({ verify, staker }: Entry<T>): Pick<TxDefinition<T>, "execute"> {
  return {
    execute(tx, context) {
      verify(tx, context);
      const enter = context.state.isActive("durango") ? enterCurrent : enterPending;
      enter(tx, staker(tx.unsigned), context.state);
      applyBase(tx, context.state);
    },
  };
}

/** For types that were proposed before Banff. If the proposal is aborted, the stake is returned. */
export function proposedOrDecided<T extends AnyTx>(entry: Entry<T>): Pick<TxDefinition<T>, "execute" | "propose"> {
  return {
    ...decided(entry),
    propose(tx, context, branch) {
      entry.verify(tx, context);
      applyBase(tx, context.state);
      if (branch === "commit") enterPending(tx, entry.staker(tx.unsigned), context.state);
      else returnStake(tx.id, { outputs: tx.unsigned.outputs, stake: context.produced }, context.state);
    },
  };
}

export function enterCurrent(tx: Signed<AnyTx>, staker: Omit<NewStaker, "pendingPriority">, state: PlatformState): void {
  const { subnetId, currentPriority: priority } = staker;
  const { weight, end: endTime } = staker.staking;
  const startTime = state.timestamp;
  const isRewarded = priority !== Priority.permissionedValidatorCurrent;
  const potentialReward = isRewarded ? mintPotentialReward(state, { subnetId, startTime, endTime, weight }) : 0n;
  put(tx, staker, { startTime, potentialReward, priority }, state);
}

function enterPending(tx: Signed<AnyTx>, staker: NewStaker, state: PlatformState): void {
  put(tx, staker, { startTime: staker.staking.start, potentialReward: 0n, priority: staker.pendingPriority }, state);
}

function put(
  tx: Signed<AnyTx>,
  { subnetId, publicKey, staking: { nodeId, weight, end: endTime } }: Omit<NewStaker, "pendingPriority">,
  rest: Pick<Staker, "startTime" | "potentialReward" | "priority">,
  state: PlatformState,
): void {
  state.putStaker({ txId: tx.id, nodeId, subnetId, publicKey, weight, endTime, ...rest, tx: stakerBytes(tx) });
}
