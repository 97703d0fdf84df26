/** Rules shared by the transactions that end a staking period (chain-rules 11.4, 12.3). */

import { formatId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { NotYetError, RuleError } from "../../../network/execution.ts";
import { timeText } from "../../../network/go-time.ts";
import type { RewardEvent } from "../events.ts";
import type { Utxo } from "../output.ts";
import type { OutputOwners } from "../owner.ts";
import type { PlatformState } from "../state/platform-state.ts";
import type { Staker } from "../state/staker.ts";
import type { Signed } from "./signed.ts";

export function verifyNoCredentials({ credentials }: Signed<{ readonly kind: string }>): void {
  if (credentials.length === 0) return;
  throw new RuleError("credential-count", "should have the same number of credentials as inputs");
}

/** Returns the staker that leaves next; throws unless it is the named one and ends now. */
export function nextToReward(txId: Id, state: PlatformState): Staker {
  const staker = state.currentStakers[0];
  if (staker === undefined) throw new RuleError("no-staker", "failed to get next staker to remove: not found");
  if (staker.txId !== txId) {
    const text = `attempting to remove wrong staker: ${formatId(staker.txId)} != ${formatId(txId)}`;
    throw new RuleError("wrong-staker", text);
  }
  if (staker.endTime !== state.timestamp) {
    const [now, end] = [timeText(state.timestamp), timeText(staker.endTime)];
    const text = `attempting to remove staker before their end time: TxID = ${formatId(txId)} with ${now} < ${end}`;
    throw new NotYetError("too-early", text);
  }
  return staker;
}

/** Takes an unpaid reward out of the supply, to which it was added in advance. */
export function forfeitReward({ subnetId, potentialReward }: Staker, state: PlatformState): void {
  state.setSupply(subnetId, state.supply(subnetId) - potentialReward);
}

/** The reward transaction, and the staker whose period it ends. */
type Occasion = Pick<RewardEvent, "txId" | "staker">;

/** Pays rewards as UTXOs of one transaction, with consecutive indices. A reward of 0 is not paid. */
export class Payout {
  readonly #state: PlatformState;
  readonly #txId: Id;
  readonly #firstIndex: number;
  readonly #assetId: Id;
  readonly #occasion: Occasion;
  #count = 0;

  /**
   * @param txId the transaction whose UTXOs the rewards become
   * @param firstIndex output index of the first reward
   */
  constructor(state: PlatformState, occasion: Occasion, txId: Id, firstIndex: number, assetId: Id) {
    this.#occasion = occasion;
    this.#state = state;
    this.#txId = txId;
    this.#firstIndex = firstIndex;
    this.#assetId = assetId;
  }

  pay(rewardType: RewardEvent["rewardType"], amount: bigint, owner: OutputOwners): void {
    if (amount === 0n) return;
    const { locktime, threshold, addresses } = owner;
    const utxo: Utxo = {
      txId: this.#txId,
      outputIndex: this.#firstIndex + this.#count,
      assetId: this.#assetId,
      output: { kind: "TransferOutput", amount, locktime, threshold, addresses },
    };
    this.#state.addRewardUtxo(this.#txId, this.#count++, utxo, { ...this.#occasion, rewardType, owner });
  }
}
