/** Staked outputs by the addresses that own them, which getStake adds up. Built once per state of the chain. */

import type { Id, ShortId } from "../../../base/bytes/id.ts";
import { encodeVersioned } from "../../../base/codec/codec.ts";
import { eachInTurns } from "../../../base/work/in-turns.ts";
import { outputAddresses, type TransferableOutput, transferableOutput, unlockedOutput } from "../../../chains/platform/output.ts";
import { isValidator } from "../../../chains/platform/state/staker.ts";
import type { RpcContext } from "../method.ts";
import { type ChainState, perState } from "./chain-state.ts";
import { stakers } from "./snapshot.ts";
import { stakingTerms } from "./staking-terms.ts";

export interface StakedOutput {
  /** order among all stakers: current ones first, then pending ones */
  readonly sequence: number;
  readonly isOfValidator: boolean;
  readonly output: TransferableOutput;
}

export type StakedOutputs = ReadonlyMap<ShortId, readonly StakedOutput[]>;

export function stakedOutputs(context: RpcContext, state: ChainState): Promise<StakedOutputs> {
  return perState(state, "staked outputs", context.work, async () => {
    const { current, pending } = await stakers(context, state);
    const byAddress = new Map<ShortId, StakedOutput[]>();
    let sequence = 0;
    await eachInTurns(context.work, [...current.ordered, ...pending.ordered], (staker) => {
      for (const output of stakingTerms(staker).stake) {
        const staked = { sequence: sequence++, isOfValidator: isValidator(staker), output };
        for (const address of new Set(outputAddresses(output.output))) append(byAddress, address, staked);
      }
    });
    return byAddress;
  });
}

function append(byAddress: Map<ShortId, StakedOutput[]>, address: ShortId, staked: StakedOutput): void {
  const list = byAddress.get(address);
  if (list === undefined) byAddress.set(address, [staked]);
  else list.push(staked);
}

/** Encodes with codec version. */
export function stakedOutputBytes({ output }: StakedOutput): Buffer {
  return encodeVersioned(transferableOutput, output);
}

export function stakedAmount({ output }: StakedOutput): { assetId: Id; amount: bigint } {
  return { assetId: output.assetId, amount: unlockedOutput(output.output).amount };
}
