/** What is accepted, found by samples of stake: by voters of this process, some of which lie. */
import { describe, expect, test } from "vitest";
import type { Id, NodeId } from "../../src/base/bytes/id.ts";
import { AcceptancePolls, type AcceptedPlace } from "../../src/p2p/acceptance-poll.ts";
import type { Voters } from "../../src/p2p/accepted-frontier.ts";
import { StakeSampler } from "../../src/p2p/stake-sampler.ts";
import { randomOf } from "../random.ts";

const NEVER = new AbortController().signal;
const CHAIN = "00".repeat(32);
const blockId = (height: bigint, branch = 0): Id => Buffer.of(branch, ...Buffer.alloc(23), ...bytesOf(height)).toString("hex");
const bytesOf = (height: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(height);
  return bytes;
};
const voter = (n: number): NodeId => `${n}`.padStart(40, "0");
const place = (height: bigint): AcceptedPlace => ({ containerId: blockId(height), height });

type Asked = { readonly containerId: Uint8Array; readonly requestedHeight: bigint };
/** What a voter says; undefined: nothing. */
type Manner = (asked: Asked) => { readonly accepted: bigint; readonly branch?: number } | undefined;

const honest =
  (height: bigint): Manner =>
  () => ({ accepted: height });
/** On another branch from the first block on. */
const lying =
  (height: bigint, branch = 1): Manner =>
  () => ({ accepted: height, branch });
const silent: Manner = () => undefined;

/** Polls of voters with one unit of stake in a thousand each, unless it is given. */
function pollsOf(manners: readonly Manner[], { seed = 1, stakes = manners.map(() => 10n ** 12n) } = {}) {
  const random = randomOf(seed);
  const below = (most: bigint) => BigInt(Math.floor(random() * Number(most)));
  const voters: Voters = new Map(manners.map((_, n) => [voter(n), stakes[n]!]));
  const asked: Asked[] = [];
  const network = {
    isConnected: (nodeId: NodeId) => manners[Number(nodeId)] !== silent,
    async request(nodeId: NodeId, { members }: { readonly members: Asked }) {
      asked.push(members);
      const said = manners[Number(nodeId)]!(members);
      if (said === undefined) throw new Error("no answer");
      const { accepted, branch = 0 } = said;
      const [at] = [members.requestedHeight, accepted].sort((a, b) => (a < b ? -1 : 1));
      return { acceptedHeight: accepted, preferredIdAtHeight: Buffer.from(blockId(at!, branch), "hex") };
    },
  };
  const polls = new AcceptancePolls({
    network: network as never,
    chainId: CHAIN,
    voters: async () => voters,
    lookEveryMs: 1,
    random: below,
  });
  return { polls, asked };
}

/** Stops after so many questions, so that what is never accepted ends. */
function nextWithin(questions: number, { polls, asked }: ReturnType<typeof pollsOf>, last: AcceptedPlace) {
  const stopping = new AbortController();
  asked.push = (...more) => {
    if (asked.length > questions) stopping.abort();
    return Array.prototype.push.apply(asked, more);
  };
  return polls.next(last, stopping.signal);
}

const repeated = (count: number, manner: Manner) => Array.from({ length: count }, () => manner);

describe("a sample", () => {
  test("has so many units, each of whom has stake, in proportion to it", () => {
    const random = randomOf(7);
    const voters = new Map([
      [voter(0), 1_000n],
      [voter(1), 3_000n],
      [voter(2), 0n],
    ]);
    const sampler = new StakeSampler(voters, (below) => BigInt(Math.floor(random() * Number(below))));
    const totals = new Map<NodeId, number>();
    for (let i = 0; i < 1000; i++) {
      const drawn = sampler.draw(20);
      expect([...drawn.values()].reduce((sum, units) => sum + units, 0)).toBe(20);
      for (const [nodeId, units] of drawn) totals.set(nodeId, (totals.get(nodeId) ?? 0) + units);
    }
    expect(totals.get(voter(2))).toBeUndefined();
    expect(totals.get(voter(1))! / totals.get(voter(0))!).toBeCloseTo(3, 0);
  });

  test("never has a unit twice: of less stake than it wants, it has all", () => {
    const sampler = new StakeSampler(
      new Map([
        [voter(0), 5n],
        [voter(1), 7n],
      ]),
    );
    expect(sampler.draw(20)).toEqual(
      new Map([
        [voter(0), 5],
        [voter(1), 7],
      ]),
    );
    expect(new StakeSampler(new Map()).draw(20).size).toBe(0);
  });
});

describe("what the network accepts", () => {
  test("is the next block if there is one more", async () => {
    expect(await pollsOf(repeated(10, honest(8n))).polls.next(place(7n), NEVER)).toEqual(place(8n));
  });

  test("is far ahead if three quarters of a sample are, in few steps", async () => {
    const { polls, asked } = pollsOf([...repeated(16, honest(900n)), ...repeated(2, honest(905n)), ...repeated(2, honest(10n))]);
    let last = place(7n);
    while (last.height < 900n) last = (await polls.next(last, NEVER))!;
    expect(last).toEqual(place(900n));
    expect(asked.length).toBeLessThan(1_000);
  });

  test("is asked of each height three times", async () => {
    const { polls, asked } = pollsOf(repeated(1, honest(8n)));
    await polls.next(place(7n), NEVER);
    // an audit, a look, and three samples
    expect(asked.map(({ requestedHeight }) => requestedHeight)).toEqual([7n, 8n, 8n, 8n, 8n]);
  });

  test("is found among all where too many are silent for samples, if more than two thirds of the stake say so", async () => {
    const manners = [...repeated(70, honest(8n)), ...repeated(30, silent)];
    for (let seed = 1; seed <= 20; seed++) expect(await pollsOf(manners, { seed }).polls.next(place(7n), NEVER)).toEqual(place(8n));
  });

  test("is nothing as long as half of the stake says so, and that is known", async () => {
    const stalled = pollsOf([...repeated(50, honest(8n)), ...repeated(50, silent)]);
    expect(await nextWithin(400, stalled, place(7n))).toBeUndefined();
    expect(stalled.polls.isStalled).toBe(true);
  });

  test("is nothing if nobody is connected, or nobody has more", async () => {
    const quiet = pollsOf(repeated(10, honest(7n)));
    expect(await nextWithin(50, quiet, place(7n))).toBeUndefined();
    expect(quiet.polls.isStalled).toBe(false);
    expect(new Set(quiet.asked.map(({ requestedHeight }) => requestedHeight))).toEqual(new Set([7n, 8n]));
    const stopped = AbortSignal.abort();
    expect(await pollsOf(repeated(3, silent)).polls.next(place(7n), stopped)).toBeUndefined();
  });

  test("is never what less than a third of the stake says, whoever else is silent", async () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = randomOf(seed);
      const liars = Math.floor(random() * 33);
      const absent = Math.floor(random() * 20);
      const manners = [...repeated(liars, lying(1_000n)), ...repeated(absent, silent), ...repeated(100 - liars - absent, honest(20n))];
      const found = await nextWithin(300, pollsOf(manners, { seed }), place(9n));
      if (found !== undefined) expect(found, `seed ${seed}`).toEqual({ containerId: blockId(found.height), height: found.height });
    }
  });

  test("counts stake, not nodes", async () => {
    const manners = [honest(8n), ...repeated(50, lying(8n))];
    const stakes = [10n ** 15n, ...manners.slice(1).map(() => 10n ** 12n)];
    expect(await pollsOf(manners, { stakes }).polls.next(place(7n), NEVER)).toEqual(place(8n));
  });

  test("ends with a sentence if most of the stake has another block than the last one", async () => {
    await expect(pollsOf(repeated(10, lying(9n))).polls.next(place(7n), NEVER)).rejects.toThrow(
      "the network's validators contradict each other about block 7: most of the stake has another one",
    );
  });

  test("ends with a sentence if quorums name two blocks", async () => {
    let branch = 0;
    const changing: Manner = ({ requestedHeight }) => ({ accepted: 8n, branch: requestedHeight === 8n ? branch++ : 0 });
    await expect(pollsOf([changing]).polls.next(place(7n), NEVER)).rejects.toThrow(
      "contradict each other about block 8: two blocks have three quarters of a sample each",
    );
  });
});
