import { expect, test } from "vitest";
import { formatId, formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import { type Court, NETWORK, RUNS } from "./court.ts";
import type { History, Staker } from "./history.ts";
import {
  capacityOf,
  feeOf,
  findValidators,
  listDelegators,
  listHistoricalRewards,
  listPendingRewards,
  listValidators,
  networkDetails,
  secondsLeft,
  type ValidatorQuery,
} from "./staking.ts";

const nodes = (list: readonly string[] | undefined) => list?.map(formatNodeId).join();

/** Bounds that are exactly what a validator has, or just beside it. */
function boundsAt(history: History, staker: Staker, clock: bigint): Partial<ValidatorQuery>[] {
  const [capacity, seconds, fee] = [capacityOf(history, staker), secondsLeft(staker, clock), feeOf(staker)];
  return [
    ...(capacity ? around("DelegationCapacity", [capacity - 1n, capacity, capacity + 1n]) : []),
    ...(seconds ? around("TimeRemaining", [seconds - 1, seconds, seconds + 1]) : []),
    // percent with four decimals; no bound may be below 2
    ...(fee && fee > 2 && fee < 100 ? around("FeePercentage", [(staker.shares! - 1) / 10_000, fee, (staker.shares! + 1) / 10_000]) : []),
  ];
}

function around<T>(of: string, [before, figure, behind]: readonly [T, T, T]): Record<string, T | undefined>[] {
  const bounds = (min: T | undefined, max: T | undefined) => ({ [`min${of}`]: min, [`max${of}`]: max });
  const none = undefined;
  return [bounds(figure, none), bounds(none, figure), bounds(figure, figure), bounds(behind, none), bounds(none, before)];
}

export function judgeStaking(court: () => Court): void {
  test("validators with every filter and order", async () => {
    const { history, clock, queries } = court();
    const ask = async (query: ValidatorQuery, salt: number) => {
      const { nodeIds, subnetId, ...rest } = query;
      const params = { ...rest, nodeIds: nodeIds?.join(), subnetId: subnetId && formatId(subnetId) };
      await court().walk(`${NETWORK}/validators`, "validators", params, listValidators(history, query, clock), { salt });
    };
    await court().property(
      queries.validators(),
      async (query, salt) => {
        await ask(query, salt);
        const found = findValidators(history, query, clock);
        if (found.length === 0) return;
        const bounds = boundsAt(history, found[salt % found.length]!, clock);
        if (bounds.length > 0) await ask({ ...query, ...bounds[salt % bounds.length] }, salt);
      },
      8 * RUNS,
    );
  });

  test("one node's validations", async () => {
    const { history, clock, queries } = court();
    await court().property(
      queries.validations(),
      async ({ node, ...rest }, salt) => {
        const expected = listValidators(history, { nodeIds: [node], ...rest }, clock);
        await court().walk(`${NETWORK}/validators/${node}`, "validators", rest, expected, { salt });
      },
      2 * RUNS,
    );
  });

  test("delegators", async () => {
    const { history, queries } = court();
    await court().property(
      queries.delegators(),
      async (query, salt) => {
        const { rewardAddresses, nodeIds, ...rest } = query;
        const params = { ...rest, rewardAddresses: court().addresses(rewardAddresses), nodeIds: nodes(nodeIds) };
        await court().walk(`${NETWORK}/delegators`, "delegators", params, listDelegators(history, query), { salt });
      },
      2 * RUNS,
    );
  });

  test("rewards, expected and paid", async () => {
    const { history, clock, queries } = court();
    await court().property(
      queries.rewards(),
      async (query, salt) => {
        const { addresses: asked, nodeIds, sortOrder } = query;
        const params = { sortOrder, addresses: court().addresses(asked), nodeIds: nodes(nodeIds) };
        const pending = listPendingRewards(history, query, clock);
        await court().walk(`${NETWORK}/rewards:listPending`, "pendingRewards", params, pending, { salt });
        await court().walk(`${NETWORK}/rewards`, "historicalRewards", params, listHistoricalRewards(history, query), { salt });
      },
      2 * RUNS,
    );
  });

  test("the primary network as a whole", async () => {
    const { history, client } = court();
    const { validatorDetails, delegatorDetails } = (await client.get(NETWORK)) as Record<string, Record<string, unknown>>;
    const { delegatorCount, delegated, ...validators } = networkDetails(history);
    expect(validatorDetails).toMatchObject(validators);
    court().same(delegatorDetails, { delegatorCount, totalAmountStaked: delegated }, NETWORK);
  });
}
