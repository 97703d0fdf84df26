import { expect, test } from "vitest";
import { PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import { primaryUptimeRequirement, uptimeRequirement } from "../../../../src/chains/platform/builder/uptime-requirement.ts";
import { LOCAL_EPOCH } from "../../../../src/network/local-genesis.ts";
import { fuji, localNetwork, mainnet } from "../../../../src/network/presets.ts";
import { emptyState, NOW, staker, testNetwork } from "../state/fixture.ts";

const network = testNetwork();
const times = { ...network.upgrades.times, helicon: NOW };
const helicon = { ...network, upgrades: { ...network.upgrades, times } };

test("a validator of the primary network that started under Helicon needs 90 %, one from before what the network says", () => {
  const state = emptyState(helicon);
  const young = staker({ txId: "01".repeat(32), nodeId: "01".repeat(20), startTime: NOW });
  const old = staker({ txId: "02".repeat(32), nodeId: "02".repeat(20), startTime: NOW - 1n });
  for (const validator of [young, old]) state.putStaker(validator);
  expect(uptimeRequirement(state, young)).toBe(900_000);
  expect(uptimeRequirement(state, old)).toBe(network.staking.uptimeRequirement);
});

test("a delegator needs what its validator needs, by when that one started", () => {
  const state = emptyState(helicon);
  const validator = staker({ startTime: NOW - 1n });
  state.putStaker(validator);
  const delegator = staker({ txId: "02".repeat(32), startTime: NOW + 5n, priority: 10 });
  expect(uptimeRequirement(state, delegator)).toBe(network.staking.uptimeRequirement);
});

test("without a validator on the primary network every reward is paid", () => {
  expect(uptimeRequirement(emptyState(helicon), { subnetId: PRIMARY_NETWORK_ID, nodeId: "09".repeat(20), txId: "01".repeat(32) })).toBe(0);
});

test.each([
  ["mainnet", "2026-09-22T14:59:59Z", mainnet, 800_000],
  ["mainnet", "2026-09-22T15:00:00Z", mainnet, 900_000],
  ["Fuji", "2026-07-28T14:59:59Z", fuji, 800_000],
  ["Fuji", "2026-07-28T15:00:00Z", fuji, 900_000],
])("on %s a validator that started at %s needs what was the rule then", (_, start, network, expected) => {
  expect(primaryUptimeRequirement(network, BigInt(Date.parse(start)) / 1000n)).toBe(expected);
});

test("on a local network every validator needs 90 %, those of the genesis too", () => {
  expect(primaryUptimeRequirement(localNetwork(), LOCAL_EPOCH)).toBe(900_000);
});
