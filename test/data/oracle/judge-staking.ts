import { expect, test } from "vitest";
import { formatId } from "../../../src/primitives/cb58.ts";
import { formatNodeId } from "../../../src/primitives/node-id.ts";
import { type Court, NETWORK, RUNS } from "./court.ts";
import { listDelegators, listHistoricalRewards, listPendingRewards, listValidators, networkDetails } from "./staking.ts";

const nodes = (list: readonly string[] | undefined) => list?.map(formatNodeId).join();

export function judgeStaking(court: () => Court): void {
  test("validators with every filter and order", async () => {
    const { history, clock, queries } = court();
    await court().property(
      queries.validators(),
      async (query, salt) => {
        const { nodeIds, subnetId, ...rest } = query;
        const params = { ...rest, nodeIds: nodeIds?.join(), subnetId: subnetId && formatId(subnetId) };
        await court().walk(`${NETWORK}/validators`, "validators", params, listValidators(history, query, clock), { salt });
      },
      12 * RUNS,
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
