/** The shortest period of each kind of staker around Helicon, on each network (ACP-273; chain-rules 1.4). */

import { describe, expect, test } from "vitest";
import { PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import { addSubnetValidator } from "../../../../src/chains/platform/tx/add-subnet-validator.ts";
import type { TxContext } from "../../../../src/chains/platform/tx/base.ts";
import { delegatorRules, validatorRules } from "../../../../src/chains/platform/tx/staker-rules.ts";
import type { NetworkInstance } from "../../../../src/network/network.ts";
import { fuji, localNetwork, mainnet } from "../../../../src/network/presets.ts";
import { emptyState, idOf, nodeOf, testNetwork } from "../state/fixture.ts";

const HOUR = 3600n;
const DAY = 24n * HOUR;

function contextAt(network: NetworkInstance, time: bigint): TxContext {
  return { level: "replay", network, state: emptyState(network, time) } as unknown as TxContext;
}

/** The shortest period that an AddSubnetValidatorTx may have: its check comes first. */
function shortestOnSubnet(context: TxContext, durations: readonly bigint[]): bigint | undefined {
  const start = context.state.timestamp;
  const tooShort = (duration: bigint) => {
    const validator = { subnetId: idOf(50), nodeId: nodeOf(1), start, end: start + duration, weight: 1n };
    try {
      addSubnetValidator.execute!({ unsigned: { validator } } as never, context);
      return false;
    } catch (error) {
      return (error as Error).message === "staking period is too short";
    }
  };
  return durations.find((duration) => !tooShort(duration));
}

describe("the shortest staking period", () => {
  test.each([
    ["mainnet, before Helicon", mainnet, "2026-09-22T14:59:59Z", 14n * DAY, 14n * DAY],
    ["mainnet, from Helicon on", mainnet, "2026-09-22T15:00:00Z", 48n * HOUR, 14n * DAY],
    ["Fuji, before Helicon", fuji, "2026-07-28T14:59:59Z", 24n * HOUR, 24n * HOUR],
    ["Fuji, from Helicon on", fuji, "2026-07-28T15:00:00Z", 12n * HOUR, 24n * HOUR],
    ["a local network", localNetwork(), "2026-07-28T15:00:00Z", 1n * HOUR, 24n * HOUR],
  ])("on %s: that of validators changes, those of delegators and of subnets do not", (_, network, time, ofValidators, ofOthers) => {
    const context = contextAt(testNetwork(network), BigInt(Date.parse(time)) / 1000n);
    const durations = [1n, 2n, 12n, 24n, 48n, 14n * 24n].flatMap((hours) => [hours * HOUR - 1n, hours * HOUR]);
    expect({
      ofValidators: validatorRules(PRIMARY_NETWORK_ID, context).duration.min,
      ofDelegators: delegatorRules(PRIMARY_NETWORK_ID, context).duration.min,
      ofSubnets: shortestOnSubnet(context, durations),
    }).toEqual({ ofValidators, ofDelegators: ofOthers, ofSubnets: ofOthers });
  });
});
