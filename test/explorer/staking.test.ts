/** Validators, L1s, subnets and blockchains: what the screens show is what the API says. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { components } from "../../explorer/src/api/data-api.d.ts";
import { AVAX_DECIMALS, count, decimal } from "../../explorer/src/components/amount.tsx";
import { utc } from "../../explorer/src/components/time.tsx";
import { useBrowser, type Visit } from "./browser.ts";
import { hasBrowser, skipReason } from "./chromium.ts";
import { ask, recordedWorld, type World } from "./worlds.ts";

type Schemas = components["schemas"];
const { visit } = useBrowser();

/** The rows of a table, each as what its cells show. */
async function rowsOf(user: Visit, label: string): Promise<string[][]> {
  const rows = user.page.locator(`section.table[aria-label="${label}"] tbody tr`);
  return rows.evaluateAll((all) =>
    all.map((row) =>
      [...row.querySelectorAll("td")].map((cell) =>
        (cell.querySelector<HTMLElement>(".id [title]")?.title ?? cell.textContent!).replace(/\s+/g, " ").trim(),
      ),
    ),
  );
}
const avax = (amount: string | number) => `${decimal(BigInt(amount), AVAX_DECIMALS)} AVAX`;

async function rpc<T>(world: World, method: string, params: object = {}): Promise<T> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${world.url}/ext/bc/P`, { method: "POST", headers, body });
  return ((await response.json()) as { result: T }).result;
}

describe.skipIf(!hasBrowser).each(["latest-1", "eras-1"] as const)(`the staking screens of %s${skipReason}`, (name) => {
  let world: World;
  let user: Visit;
  beforeAll(async () => {
    world = await recordedWorld(name);
    user = await visit(world.url);
  });
  afterAll(async () => {
    expect(user.problems).toEqual([]);
    await user.end();
    await world.stop();
  });

  test("list validators with stake, delegations and rewards to the last digit, and sort as the API does", async () => {
    const path = "/v1/networks/fuji/validators?validationStatus=completed&subnetId=11111111111111111111111111111111LpoYY&pageSize=25";
    const expected = async (query: string) => {
      const { validators } = await ask<{ validators: Schemas["CompletedValidatorDetails"][] }>(world, path + query);
      return validators.map((each) => [
        ...[each.nodeId, avax(each.amountStaked), avax(each.amountDelegated ?? "0"), count(each.delegatorCount)],
        ...[avax(each.rewards.validationRewardAmount), each.txHash],
      ]);
    };
    const shown = async () => (await rowsOf(user, "completed validators")).map((row) => [0, 1, 2, 3, 7, 8].map((column) => row[column]));
    await user.open("/validators/completed");
    expect((await shown()).length).toBeGreaterThan(3);
    expect(await shown()).toEqual(await expected(""));
    for (const order of ["desc", "asc"]) {
      await user.page.getByRole("button", { name: "Fee" }).click();
      await expect.poll(shown).toEqual(await expected(`&sortBy=delegationFee&sortOrder=${order}`));
    }
    const [first] = await shown();
    const part = first![0]!.slice(10, 22);
    await user.page.getByLabel("Node ID contains").fill(part);
    await user.page.getByRole("button", { name: "Filter" }).click();
    await expect.poll(shown).toEqual(await expected(`&sortBy=delegationFee&sortOrder=asc&nodeIds=${part}`));
  });

  test("show the network's totals, and the stake that ends as large as the whole stake", async () => {
    await user.open("/validators/stake");
    const { validatorDetails, delegatorDetails } = await ask<{
      validatorDetails: Schemas["ValidatorsDetails"];
      delegatorDetails: Schemas["DelegatorsDetails"];
    }>(world, "/v1/networks/fuji");
    const text = await user.text();
    for (const amount of [validatorDetails.totalAmountStaked, delegatorDetails.totalAmountStaked]) expect(text).toContain(avax(amount));
    const total = BigInt(validatorDetails.totalAmountStaked) + BigInt(delegatorDetails.totalAmountStaked);
    expect(text).toContain(`Stake together ${decimal(total, AVAX_DECIMALS)} AVAX`);
    await user.page.locator(".chart summary").first().click();
    const ends = await rowsOf(user, "Stake by end");
    expect(ends.reduce((sum, row) => sum + Number(row[1]), 0)).toBe(validatorDetails.validatorCount);
    expect(await user.page.locator(".chart canvas").count()).toBe(2);
  });

  test("read no more than 3,000 validators, on request, and say how many count", async () => {
    const reader = await visit(world.url);
    const asked: string[] = [];
    await reader.page.route(/\/validators\?.*pageSize=100/, (route) => {
      const token = new URL(route.request().url()).searchParams.get("pageToken");
      asked.push(`${token}`);
      const page = Number(token ?? 0);
      const validators = Array.from({ length: 100 }, (_, i) => ({
        ...{
          nodeId: `NodeID-${page * 100 + i}`,
          txHash: `${page}-${i}`,
          validationStatus: "active",
          subnetId: "11111111111111111111111111111111LpoYY",
        },
        ...{ amountStaked: "2000000000001", amountDelegated: "1", endTimestamp: 1_800_000_000 + page * 86_400 },
      }));
      return route.fulfill({ json: { validators, nextPageToken: `${page + 1}` } });
    });
    await reader.open("/validators/stake");
    expect(await reader.text()).toContain("Counted here: 100 of");
    expect(await reader.text()).toContain("Only the validators that were read count");
    expect(asked).toEqual(["null"]);
    await reader.page.getByRole("button", { name: "Read all, up to 3,000" }).click();
    await expect.poll(() => reader.text()).toContain("Counted here: 3,000 of");
    await expect.poll(() => reader.text()).toContain(`Stake together ${decimal(3000n * 2_000_000_000_002n, AVAX_DECIMALS)} AVAX`);
    expect(await reader.text()).toContain("Nodes with more than a third 1,001 of 3,000");
    expect(asked).toEqual(["null", ...Array.from({ length: 29 }, (_, i) => `${i + 1}`)]);
    expect(reader.problems).toEqual([]);
    await reader.end();
  });

  test("show a node's validations, delegators, blocks and weight as the API has them", async () => {
    const { validators } = await ask<{ validators: Schemas["CompletedValidatorDetails"][] }>(
      world,
      "/v1/networks/fuji/validators?validationStatus=completed&subnetId=11111111111111111111111111111111LpoYY&pageSize=100",
    );
    const { nodeId } = validators.find(({ delegatorCount }) => delegatorCount > 0)!;
    await user.open(`/validator/${nodeId}`);
    const all = await ask<{ validators: Schemas["CompletedValidatorDetails"][] }>(
      world,
      `/v1/networks/fuji/validators/${nodeId}?pageSize=25`,
    );
    const shown = await rowsOf(user, "Validations of this node");
    expect(shown.map((row) => [row[0], row[7]])).toEqual(all.validators.map((each) => [each.validationStatus, each.txHash]));
    await user.open(`/validator/${nodeId}/delegators`);
    const { delegators } = await ask<{ delegators: Schemas["Delegator"][] }>(
      world,
      `/v1/networks/fuji/delegators?nodeIds=${nodeId}&pageSize=25`,
    );
    const delegations = await rowsOf(user, "Delegators of this node");
    expect(delegations.map((row) => [row[0], row[7]])).toEqual(delegators.map((each) => [each.delegationStatus, each.txHash]));
    expect(delegations.map((row) => row[1]!.replace(/\D/g, "").replace(/^0+/, "").replace(/0+$/, ""))).toEqual(
      delegators.map(({ amountDelegated }) => amountDelegated.replace(/0+$/, "")),
    );
    await user.open(`/validator/${nodeId}/weight`);
    await user.page.locator(".chart summary").click();
    const points = await rowsOf(user, "Weight by height");
    expect(points.length).toBeGreaterThan(1);
    expect(points.length).toBeLessThanOrEqual(12);
    for (const [height, weight] of points) {
      const set = await rpc<Record<string, { weight: string }>>(world, "platform.getValidatorsAt", { height: height!.replaceAll(",", "") });
      expect([height, weight]).toEqual([height, avax(set[nodeId]?.weight ?? "0")]);
    }
    expect(points.some(([, weight]) => weight !== "0 AVAX")).toBe(true);
  });

  test("list L1 validators with their balance, and when it is used up at the present price", async () => {
    await user.open("/l1s/validators");
    const { validators } = await ask<{ validators: Schemas["L1ValidatorDetailsFull"][] }>(
      world,
      "/v1/networks/fuji/l1Validators?includeInactiveL1Validators=true&pageSize=25",
    );
    const fees = await rpc<{ price: number; timestamp: string }>(world, "platform.getValidatorFeeState");
    const rows = await rowsOf(user, "Validators of L1s");
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.map((row) => row.slice(0, 5))).toEqual(
      validators.map((each) => [each.validationId, each.nodeId, each.subnetId, count(each.weight), avax(each.remainingBalance)]),
    );
    for (const [i, { remainingBalance }] of validators.entries()) {
      const until = Date.parse(fees.timestamp) / 1000 + Math.floor(remainingBalance / fees.price);
      expect(rows[i]![5]).toContain(remainingBalance === 0 ? "inactive" : utc(until));
    }
    expect(validators.some(({ remainingBalance }) => remainingBalance === 0)).toBe(true);
    const active = validators.find(({ remainingBalance }) => remainingBalance > 0)!;
    await user.open(`/l1-validator/${active.validationId}`);
    const text = await user.text();
    for (const part of [avax(active.remainingBalance), `Weight ${count(active.weight)}`, "Register"])
      expect(text).toContain(part.slice(0, 60));
  });

  test("show the balance of an L1 validator over time: before and after each transaction, and now", async () => {
    const path = "/v1/networks/fuji/l1Validators?includeInactiveL1Validators=true&pageSize=25";
    const { validators } = await ask<{ validators: Schemas["L1ValidatorDetailsFull"][] }>(world, path);
    for (const { validationId, remainingBalance } of validators.slice(0, 4)) {
      const list = `/v1/networks/fuji/blockchains/p-chain/transactions?l1ValidationId=${validationId}&pageSize=25`;
      const { transactions } = await ask<{ transactions: Schemas["PChainTransaction"][] }>(world, list);
      const left = transactions.toReversed().flatMap(({ l1ValidatorDetails = [] }) => {
        const { remainingBalance: after, balanceChange = 0 } = l1ValidatorDetails.find((each) => each.validationId === validationId)!;
        return [avax(after - balanceChange), avax(after)];
      });
      await user.open(`/l1-validator/${validationId}`);
      await user.page.getByText("The numbers").click();
      const rows = await rowsOf(user, "Balance over time");
      expect(rows.map(([, , balance]) => balance)).toEqual([...left.slice(1), avax(remainingBalance)]);
    }
  });

  test("list subnets, say what kind each is, and lead to its blockchains and their genesis", async () => {
    await user.open("/subnets");
    const { subnets } = await ask<{ subnets: Schemas["Subnet"][] }>(world, "/v1/networks/fuji/subnets?pageSize=25");
    const rows = await rowsOf(user, "Subnets, newest first");
    expect(rows.map((row) => [row[0], row[1]])).toEqual(subnets.map(({ subnetId, isL1 }) => [subnetId, isL1 ? "L1" : "subnet"]));
    const l1 = subnets.find(({ isL1 }) => isL1)!;
    await user.open(`/subnet/${l1.subnetId}`);
    const shown = await user.page.locator("main .id [title]").evaluateAll((all) => all.map((each) => each.getAttribute("title")));
    const { contractAddress, blockchainId } = l1.l1ValidatorManagerDetails!;
    for (const id of [
      l1.l1ConversionTransactionHash,
      contractAddress,
      blockchainId,
      ...l1.subnetOwnershipInfo.addresses.map((address) => `P-${address}`),
    ]) {
      expect(shown).toContain(id);
    }
    const chain = l1.blockchains[0]!;
    await user.open(`/blockchain/${chain.blockchainId}`);
    await user.page.locator("summary", { hasText: "Genesis" }).click();
    const { genesisData } = await ask<Schemas["BlockchainDetails"]>(world, `/v1/networks/fuji/blockchains/${chain.blockchainId}`);
    const genesis = await user.page.locator("pre").textContent();
    expect(genesis).toBe(genesisData!.encoding === "hex" ? genesisData!.data : JSON.stringify(genesisData, undefined, 2));
  });

  test("say that something does not exist, in the API's words", async () => {
    const other = await visit(world.url, { expected: ["404"] });
    const { validators } = await ask<{ validators: Schemas["Validator"][] }>(world, "/v1/networks/fuji/validators?pageSize=1");
    await other.open(`/subnet/${validators[0]!.txHash}`);
    expect(await other.text()).toContain("was not found on this network");
    await other.open("/validator/NodeID-111111111111111111116DBWJs");
    expect(await other.text()).toContain("This node never staked as a validator.");
    await other.end();
  });
});
