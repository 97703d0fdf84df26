/** L1 validators that run out of balance, which no transaction tells of: told once each time that it becomes so. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ChainContext } from "../../src/api/data/context.ts";
import type { ValidatorWebhook } from "../../src/api/data/webhooks/webhook-desk.ts";
import { formatId, formatNodeId } from "../../src/base/bytes/cb58.ts";
import type { Change } from "../../src/base/table/table.ts";
import { platformChain, platformL1Validators } from "../../src/chains/platform/tables.ts";
import { NEW_QUEUE, type Webhook } from "../../src/webhooks/registry.ts";
import { eventsOfL1s } from "../../src/webhooks/validator-activity.ts";
import { MemoryRows } from "../conformance/memory-rows.ts";

const OWNER = { threshold: 1, addresses: [] };
const SUBNETS = ["5a", "5b"].map((byte) => byte.repeat(32));
const NODES = ["d1", "d2"].map((byte) => byte.repeat(20));

/** Validators by their place: whether they are there, and the balance that is left. */
const state = fc.array(fc.option(fc.constantFrom(0n, 1n, 49n, 50n, 1000n)), { minLength: 4, maxLength: 4 });

function webhookOf(number: number, options: Partial<ValidatorWebhook>): Webhook {
  const settings: ValidatorWebhook = {
    ...{ eventType: "validator_activity", url: "", name: "", description: "", eventSignatures: [], chainId: "p-chain" },
    ...{ scope: { kind: "primary", chain: "0" }, keyType: "subnetId", keys: SUBNETS.map(formatId), nodeIds: [], subnetIds: [] },
    ...{ subEvents: ["l1_validator_disabled", "l1_validator_balance_threshold"], l1BalanceThreshold: "50" },
    ...options,
  };
  const row = { uuid: "", owner: "", settings: Buffer.alloc(0), isActive: true, problem: "", createdAt: 0n, since: 0n, addresses: 0 };
  return { number, settings, row, queue: NEW_QUEUE };
}

test("each state is told of once, until it is over, to those who ask for the validator", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(state, { minLength: 1, maxLength: 6 }), async (states) => {
      const rows = new MemoryRows();
      const reader = { get: async (...args: Parameters<MemoryRows["get"]>) => rows.get(...args), scan: rows.scan.bind(rows) };
      const context = { reader, label: "fuji" } as unknown as ChainContext;
      const webhooks = [
        webhookOf(1, {}),
        webhookOf(2, { keyType: "nodeId", keys: [formatNodeId(NODES[0]!)], subnetIds: [formatId(SUBNETS[1]!)] }),
        webhookOf(3, { subEvents: ["l1_validator_disabled"], nodeIds: [formatNodeId(NODES[1]!)] }),
      ];
      const isMeant = [() => true, (i: number) => i === 2, (i: number) => i % 2 === 1];
      let before: (bigint | null)[] = [null, null, null, null];
      for (const [step, balances] of states.entries()) {
        const accruedFees = BigInt(step) * 1_000n;
        const chain = {
          height: 0n,
          lastAccepted: "00".repeat(32),
          timestamp: 7n,
          feeCapacity: 0n,
          feeExcess: 0n,
          l1Excess: 0n,
          accruedFees,
        };
        rows.apply([
          { table: platformChain, key: { slot: 0 }, value: chain } as Change,
          ...balances.map((balance, i) => {
            const value = {
              ...{ subnetId: SUBNETS[i >> 1], nodeId: NODES[i % 2], publicKey: "00".repeat(48), remainingBalanceOwner: OWNER },
              ...{ deactivationOwner: OWNER, startTime: 0n, weight: 1n, minNonce: 0n },
              endAccumulatedFee: balance === 0n ? 0n : accruedFees + (balance ?? 0n),
            };
            const key = { validationId: `0${i}`.repeat(32) };
            return { table: platformL1Validators, key, value: balance === null ? undefined : value } as Change;
          }),
        ]);
        const { events, changes } = await eventsOfL1s(webhooks, { height: 5n, hash: "aa".repeat(32) }, context);
        rows.apply(changes);
        const told = events.map(({ webhook, event }) => {
          const { eventType, validators } = event as { eventType: string; validators: { validationId: string }[] };
          return `${webhook.number} ${eventType} ${validators[0]!.validationId}`;
        });
        const isBelow = (balance: bigint | null) => balance !== null && balance < 50n;
        const isOff = (balance: bigint | null) => balance === 0n;
        const expected = webhooks.flatMap(({ number, settings }, at) =>
          balances.flatMap((balance, i) => {
            if (!isMeant[at]!(i)) return [];
            const name = formatId(`0${i}`.repeat(32));
            const last = before[i]!;
            return [
              ...(isOff(balance) && !isOff(last) ? [`${number} l1_validator_disabled ${name}`] : []),
              ...(settings.eventType === "validator_activity" && settings.subEvents.length > 1 && isBelow(balance) && !isBelow(last)
                ? [`${number} l1_validator_balance_threshold ${name}`]
                : []),
            ];
          }),
        );
        expect(told.sort()).toEqual(expected.sort());
        before = balances;
      }
    }),
    { numRuns: 100 },
  );
});
