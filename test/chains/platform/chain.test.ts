import { beforeEach, describe, expect, test } from "vitest";
import { rowKey } from "../../../src/base/table/view.ts";
import { encodeBlock } from "../../../src/chains/platform/block.ts";
import { platformTxs, TX_ABORTED, TX_COMMITTED } from "../../../src/chains/platform/tables.ts";
import { RuleError } from "../../../src/network/execution.ts";
import { bytesOf, readLines } from "../../conformance/json-lines.ts";
import { PlatformReplay } from "../../conformance/platform/platform-replay.ts";
import { recordedNetwork } from "../../conformance/platform/recorded-network.ts";
import { recordingFolder } from "../../conformance/recordings.ts";

interface Line {
  height: number;
  type: string;
  bytes: string;
  acceptedAt: number;
}

const folder = recordingFolder("p-eras-old");
const lines: Line[] = [];
for (const line of readLines<Line>(folder, "blocks/P.jsonl")) {
  lines.push(line);
  if (line.type === "ApricotCommitBlock" && line.height > 0) break;
}
/** The first proposal and its commit are the last two. */
const [proposal, commit] = lines.slice(-2) as [Line, Line];

describe("a block on an unknown parent", () => {
  const network = recordedNetwork(folder);
  const refusal = (replay: PlatformReplay, bytes: Uint8Array) => {
    try {
      replay.verify(bytes, { level: "replay", clock: 2n ** 40n });
    } catch (error) {
      return (error as Error).message;
    }
    return "accepted";
  };
  const [parentId, height] = ["ab".repeat(32), 1n];

  test("is refused for that, but an Apricot block after Banff for its era, which the node looks at first", () => {
    const banff = { ...network, upgrades: { ...network.upgrades, times: { ...network.upgrades.times, banff: 0n } } };
    const apricot = encodeBlock({ kind: "ApricotCommitBlock", parentId, height });
    expect(refusal(new PlatformReplay(network), apricot)).toBe("not found");
    expect(refusal(new PlatformReplay(banff), apricot)).toMatch(/^apricot block issued after fork/);
    expect(refusal(new PlatformReplay(banff), encodeBlock({ kind: "BanffCommitBlock", time: 0n, parentId, height }))).toBe("not found");
  });

  test("names its time as the node does, whatever the time", () => {
    const replay = new PlatformReplay(network);
    const { lastAccepted } = replay.chain.state.scalars;
    const at = (time: bigint) =>
      refusal(replay, encodeBlock({ kind: "BanffStandardBlock", time, parentId: lastAccepted, height, txs: [] }));
    expect(at(2n ** 64n - 1n)).toMatch(/before current chain time: proposed timestamp \(1969-12-31 23:59:59 \+0000 UTC\)/);
    expect(at(2n ** 42n)).toMatch(/too far in the future .* proposed time \(141338-07-19 /);
  });
});

describe("a proposal block", () => {
  let replay: PlatformReplay;
  const run = ({ bytes, acceptedAt }: Line) => replay.execute(bytesOf(bytes), { level: "replay", clock: BigInt(acceptedAt) });
  const option = (kind: "ApricotCommitBlock" | "ApricotAbortBlock"): Line => {
    const { parentId, height } = replay.chain.parse(bytesOf(commit.bytes));
    return { ...commit, bytes: encodeBlock({ kind, parentId, height }).toString("hex") };
  };

  beforeEach(() => {
    replay = new PlatformReplay(recordedNetwork(folder));
    for (const line of lines.slice(1, -2)) run(line);
  });

  test("changes nothing until its option comes, which decides both at its own height", () => {
    const before = replay.chain.state.scalars;
    expect(run(proposal)).toBeUndefined();
    expect(replay.chain.state.scalars).toEqual(before);
    const facts = run(commit)!;
    expect(facts.blocks.map(({ height }) => Number(height))).toEqual([proposal.height, commit.height]);
    expect(facts.height).toBe(BigInt(commit.height));
    expect(replay.chain.state.scalars.height).toBe(BigInt(commit.height));
  });

  test.each([
    ["ApricotCommitBlock", TX_COMMITTED],
    ["ApricotAbortBlock", TX_ABORTED],
  ] as const)("with an %s its transaction has status %d", (kind, status) => {
    run(proposal);
    run(option(kind));
    const block = replay.chain.parse(bytesOf(proposal.bytes));
    if (block.kind !== "ApricotProposalBlock") throw new TypeError(block.kind);
    const txId = block.tx.id;
    replay.fetch([rowKey(platformTxs, { txId })]);
    expect(replay.chain.state.tx(txId)).toMatchObject({ status, height: BigInt(proposal.height) });
  });

  test("lets no other block in before its option", () => {
    run(proposal);
    const { parentId, height } = replay.chain.parse(bytesOf(proposal.bytes));
    const other = encodeBlock({ kind: "ApricotStandardBlock", parentId, height, txs: [] });
    expect(() => replay.execute(other, { level: "replay", clock: BigInt(proposal.acceptedAt) })).toThrow("needs its option");
    expect(run(commit)?.height).toBe(BigInt(commit.height));
  });

  test("is forgotten by a restart, and may be delivered again", () => {
    run(proposal);
    replay.reload();
    expect(() => run(commit)).toThrow("not found");
    expect(run(proposal)).toBeUndefined();
    expect(run(commit)?.blocks).toHaveLength(2);
  });

  test("refused, leaves state and rows as they were and names the block", () => {
    const { scalars, currentStakers } = replay.chain.state;
    const stakers = [...currentStakers];
    const block = replay.chain.parse(bytesOf(proposal.bytes));
    if (block.kind !== "ApricotProposalBlock") throw new TypeError(block.kind);
    const early = () =>
      replay.execute(encodeBlock({ ...block, height: block.height + 1n }), { level: "replay", clock: BigInt(proposal.acceptedAt) });
    expect(early).toThrow(RuleError);
    expect(replay.view.drain()).toEqual([]);
    expect(replay.chain.state.scalars).toEqual(scalars);
    expect([...replay.chain.state.currentStakers]).toEqual(stakers);
    expect(run(proposal)).toBeUndefined();
  });
});
