/** Generated chains, whose blocks are seconds to months apart, and their metrics counted anew over all blocks. */
import fc from "fast-check";
import { decodeBlock } from "../../../src/evm/decode/decode-block.ts";
import type { EvmBlock } from "../../../src/sources/evm/parser/block.ts";
import { classOf, type IntendedBlock, intendedBlock, makeChain, PEOPLE, TOKENS } from "../decode/intents.ts";

export const [HOUR, DAY] = [3600, 86_400];

/** Milliseconds from one block to the next. */
const step = fc.oneof(
  fc.constantFrom(0, 1000, HOUR * 1000, DAY * 1000, 7 * DAY * 1000 - HOUR * 1000, 7 * DAY * 1000, 31 * DAY * 1000),
  fc.integer({ min: 1, max: 3 * HOUR * 1000 }),
  fc.integer({ min: 1, max: 60 * DAY * 1000 }),
);

/** One transaction, through which contracts create others. */
const creatingBlock: fc.Arbitrary<IntendedBlock> = fc
  .array(fc.constantFrom(...PEOPLE.slice(0, 3)), { minLength: 1, maxLength: 2 })
  .map((factories) => [
    {
      from: PEOPLE[3]!,
      to: PEOPLE[0]!,
      isSuccess: true,
      inputLength: 0,
      intents: factories.map((from) => ({ kind: "frame", type: "CREATE", from, to: TOKENS.plain, value: 0n, isReverted: false })),
    },
  ]);

export const timedChain = fc
  .record({
    blocks: fc.array(fc.record({ intended: fc.oneof(intendedBlock, creatingBlock), step }), { minLength: 1, maxLength: 14 }),
    first: fc.integer({ min: 0, max: 1_800_000_000_000 }),
    hasMilliseconds: fc.boolean(),
  })
  .map(({ blocks, first, hasMilliseconds }) => {
    let at = first;
    return makeChain(blocks.map(({ intended }) => intended)).map((block, i) => {
      at += blocks[i]!.step;
      const milliseconds = BigInt(hasMilliseconds ? at : at - (at % 1000));
      return { ...block, timestamp: milliseconds / 1000n, timestampMilliseconds: hasMilliseconds ? milliseconds : undefined };
    });
  });

/** Where the interval begins, by the calendar. */
export function startOf(interval: number, { timestamp }: EvmBlock): number {
  return startOfTime(interval, Number(timestamp));
}

/** @param seconds Unix time */
export function startOfTime(interval: number, seconds: number): number {
  const date = new Date(seconds * 1000);
  if (interval === 3) date.setUTCDate(1);
  // 1970 began on a Thursday: the week of its first days began before
  if (interval === 2) date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  date.setUTCHours(interval === 0 ? date.getUTCHours() : 0, 0, 0, 0);
  return Math.max(0, date.getTime() / 1000);
}

export function timeOf({ timestamp, timestampMilliseconds }: EvmBlock): bigint {
  return timestampMilliseconds ?? timestamp * 1000n;
}

export const factsOf = (block: EvmBlock) => decodeBlock(block, classOf);

export function seenIn(blocks: readonly EvmBlock[]): Set<string> {
  const parties = blocks.flatMap((block) =>
    factsOf(block).transactions.flatMap(({ transaction: { from, to }, transfers }) => [
      from,
      ...(to === undefined ? [] : [to]),
      ...transfers.flatMap((each) => [each.from, each.to]),
    ]),
  );
  return new Set(parties);
}

export function sendersIn(blocks: readonly EvmBlock[]): Set<string> {
  const senders = blocks.flatMap((block) =>
    factsOf(block).transactions.flatMap(({ transaction, transfers }) => [transaction.from, ...transfers.map(({ from }) => from)]),
  );
  return new Set(senders);
}

export function creationsIn(blocks: readonly EvmBlock[]): string[] {
  return blocks.flatMap((block) =>
    factsOf(block).transactions.flatMap(({ deployments }) => deployments.map(({ deployer, factory }) => factory ?? deployer)),
  );
}

const missingFrom = (all: Set<string>, others: Set<string>) => [...all].filter((each) => !others.has(each)).length;
const most = (values: readonly bigint[]) => [0n, ...values].sort((a, b) => Number(b - a))[0]!;
const sum = (values: readonly bigint[]) => values.reduce((a, b) => a + b, 0n);

/** The rows of a chain whose block 0 counts nothing, by name. */
export function countedAnew(chain: readonly EvmBlock[]): Map<string, object> {
  const rows = new Map<string, object>();
  const counted = chain.slice(1);
  for (const interval of [0, 1, 2, 3]) {
    for (const start of new Set(counted.map((block) => startOf(interval, block)))) {
      const within = counted.filter((block) => startOf(interval, block) === start);
      const [before, after] = [
        counted.filter((block) => startOf(interval, block) < start),
        counted.filter((block) => startOf(interval, block) > start),
      ];
      const transactions = within.flatMap((block) => block.transactions);
      const gaps = within.flatMap((block) => {
        const previous = chain[Number(block.height) - 1]!;
        return previous.height === 0n ? [] : [{ block, gap: timeOf(block) - timeOf(previous) }];
      });
      const rate = (amountOf: (block: EvmBlock) => bigint) =>
        most(gaps.map(({ block, gap }) => (amountOf(block) * 1_000_000_000n) / (gap || 1000n)));
      const gasIn = (block: EvmBlock) => sum(block.transactions.map(({ gasUsed }) => gasUsed));
      const creators = new Set(creationsIn(within));
      rows.set(`${interval} ${start}`, {
        transactions: BigInt(transactions.length),
        gasUsed: sum(transactions.map(({ gasUsed }) => gasUsed)),
        feesPaid: sum(transactions.map(({ gasUsed, gasPrice }) => gasUsed * gasPrice)),
        gasPrices: sum(transactions.map(({ gasPrice }) => gasPrice)),
        maxGasPrice: most(transactions.map(({ gasPrice }) => gasPrice)),
        milliseconds: sum(gaps.map(({ gap }) => gap)),
        maxTps: rate((block) => BigInt(block.transactions.length)),
        maxGps: rate(gasIn),
        contracts: BigInt(creationsIn(within).length),
        addresses: BigInt(seenIn(within).size),
        senders: BigInt(sendersIn(within).size),
        deployers: BigInt(creators.size),
        newAddresses: BigInt(missingFrom(seenIn(within), seenIn(before))),
        newDeployers: BigInt(missingFrom(creators, new Set(creationsIn(before)))),
        ...(interval === 0 && {
          lastAddresses: BigInt(missingFrom(seenIn(within), seenIn(after))),
          lastSenders: BigInt(missingFrom(sendersIn(within), sendersIn(after))),
        }),
        lastDeployers: BigInt(missingFrom(creators, new Set(creationsIn(after)))),
      });
    }
  }
  return rows;
}
