/**
 * Compares `getRewardUTXOs` with the Data API's paid rewards. A staker's rewards are keyed by its transaction, an auto-renewed validator's
 * by the transaction that ended the cycle. Also compares potential rewards with `getCurrentValidators`.
 */
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { addressTexts, bare, type Moment, networkPath } from "./moment.ts";
import type { Json } from "./recorded.ts";
import { readUtxo } from "./recorded-utxo.ts";
import { listStakers } from "./stakers.ts";
import { netOf } from "./staking.ts";

/** A request names no more. */
const MOST_NODES = 64;

async function rewardsOfAllNodes(moment: Moment, path: string, list: string): Promise<Json[]> {
  const nodeIds = [...new Set((await listStakers(moment)).map(({ item }) => item.nodeId as string))];
  const items: Json[] = [];
  for (let i = 0; i < nodeIds.length; i += MOST_NODES) {
    const query = { nodeIds: nodeIds.slice(i, i + MOST_NODES).join(), pageSize: 100 };
    items.push(...((await moment.client.walk(`${networkPath(moment)}/${path}`, list, query)) as Json[]));
  }
  return items;
}

export async function comparePaidRewards(moment: Moment): Promise<void> {
  const paid = await rewardsOfAllNodes(moment, "rewards", "historicalRewards");
  const validators = new Map((await listStakers(moment)).map(({ txHash, item }) => [txHash, item]));
  for (const { params, result } of moment.answers.of("platform.getRewardUTXOs")) {
    if (params?.txID === undefined) continue;
    const isAutoRenewed = validators.get(params.txID)?.stakingType === "autoRenewed";
    const mine = paid.filter(({ txHash, rewardTxHash, stakingType }) =>
      stakingType === "autoRenewed" ? rewardTxHash === params.txID : txHash === params.txID,
    );
    const expected = result.utxos.map((text: string) => {
      const utxo = readUtxo(text, result.encoding);
      const ofAsset = [formatId(utxo.assetId), `${utxo.amount}`];
      return JSON.stringify([formatId(utxo.utxoId), utxo.outputIndex, addressTexts(moment, utxo.addresses), ...ofAsset]);
    });
    moment.tally.compareSets(
      "platform.getRewardUTXOs",
      `of ${params.txID}${isAutoRenewed ? ", an auto-renewed validator" : ""}`,
      mine.map(({ utxoId, outputIndex, addresses, reward }) =>
        JSON.stringify([utxoId, outputIndex, addresses, reward.assetId, reward.amount]),
      ),
      expected,
    );
  }
}

export async function comparePromisedRewards(moment: Moment): Promise<void> {
  const pending = await rewardsOfAllNodes(moment, "rewards:listPending", "pendingRewards");
  const method = "platform.getCurrentValidators";
  for (const { result } of moment.answers.of(method)) {
    for (const validator of result.validators) {
      if (validator.validationRewardOwner === undefined) continue;
      const ofValidator = [["VALIDATOR", validator.validationRewardOwner, validator.potentialReward, validator]];
      const expected = ofValidator.map(rewardForm);
      moment.tally.compareSets(method, `reward of ${validator.txID}`, listed(pending, validator.txID), expected);
      for (const delegator of validator.delegators ?? []) {
        const gross = BigInt(delegator.potentialReward);
        const net = netOf(gross, validator);
        const ofDelegator = [["DELEGATOR", delegator.rewardOwner, `${net}`, delegator]];
        if (gross > net) ofDelegator.push(["VALIDATOR_FEE", validator.delegationRewardOwner, `${gross - net}`, delegator]);
        moment.tally.compareSets(method, `rewards of ${delegator.txID}`, listed(pending, delegator.txID), ofDelegator.map(rewardForm));
      }
    }
  }
}

/** Starts are not compared: they are block times here (reference 8.2), which the node does not give. */
function rewardForm([type, owner, amount, { txID, nodeID, weight, endTime }]: Json[]): string {
  return JSON.stringify([type, owner.addresses.map(bare), amount, txID, nodeID, weight, Number(endTime)]);
}

function listed(pending: readonly Json[], txId: string): string[] {
  return pending
    .filter(({ txHash }) => txHash === txId)
    .map((item) =>
      JSON.stringify([
        ...[item.rewardType, item.addresses, item.estimatedReward.amount, item.txHash, item.nodeId, item.amountStaked, item.endTimestamp],
      ]),
    );
}
