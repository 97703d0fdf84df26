/** `info.acps`: the votes of connected validators on the release's proposals. */

import { expect, test } from "vitest";
import { acps } from "../../../../src/api/rpc/info/acps.ts";
import type { RpcContext } from "../../../../src/api/rpc/method.ts";
import { KeptAnswers } from "../../../../src/api/state/kept-answers.ts";
import type { Peer } from "../../../../src/api/state/node-facts.ts";
import { formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import { EMPTY_ID } from "../../../../src/base/bytes/id.ts";
import { renderedText } from "../../../../src/base/json/go-encode.ts";
import { RequestWork } from "../../../../src/base/work/work.ts";
import { stakerRow } from "../../../../src/chains/platform/state/staker.ts";
import { platformChain, platformStakers } from "../../../../src/chains/platform/tables.ts";
import { MemoryReader } from "../memory-reader.ts";
import { id, shortId } from "../platform/platform-node.ts";

const [first, second, stranger] = [shortId(0xa1), shortId(0xa2), shortId(0xa3)] as const;
const CURRENT = ["194", "224", "236", "247", "267", "273", "283", "285"];

function context(live: object | undefined, ...peers: Partial<Peer>[]): RpcContext {
  const reader = new MemoryReader();
  const scalars = { height: 0n, timestamp: 0n, feeCapacity: 0n, feeExcess: 0n, l1Excess: 0n, accruedFees: 0n };
  reader.put(platformChain, { slot: 0 }, { ...scalars, lastAccepted: id(0xacb) });
  for (const [n, nodeId, weight] of [[1, first, 30n] as const, [2, second, 12n] as const]) {
    const times = { startTime: 0n, endTime: 900n, potentialReward: 0n, priority: 11, publicKey: undefined };
    const staker = { txId: id(n), tx: new Uint8Array(), subnetId: EMPTY_ID, nodeId, weight, ...times };
    reader.put(platformStakers, { txId: id(n) }, stakerRow(staker));
  }
  const peerSource = { peers: () => peers as Peer[] };
  const cached = (_: string, make: () => Promise<unknown>) => make();
  const beyondState = () => ({ facts: { peerSource }, live });
  return { reader, work: new RequestWork(), kept: new KeptAnswers(2 ** 20), beyondState, cached } as unknown as RpcContext;
}

async function ask(live: object | undefined, ...peers: Partial<Peer>[]): Promise<string> {
  return renderedText(await acps.handler({}, context(live, ...peers)));
}

test("without peers nobody has voted, and all weight abstains", async () => {
  const nobody = '{"supportWeight":"0","supporters":[],"objectWeight":"0","objectors":[],"abstainWeight":"42"}';
  expect(await ask(undefined)).toBe(`{"acps":{${CURRENT.map((acp) => `"${acp}":${nobody}`).join(",")}}}`);
});

test("validators count with their weight; peers that do not validate, and votes on other proposals, do not", async () => {
  const peers = [
    { nodeId: second, supportedAcps: [194, 23], objectedAcps: [283] },
    { nodeId: first, supportedAcps: [194], objectedAcps: [] },
    { nodeId: stranger, supportedAcps: [194, 99], objectedAcps: [] },
  ];
  const { acps: votes } = JSON.parse(await ask(undefined, ...peers));
  expect(Object.keys(votes)).toEqual(CURRENT);
  expect(votes["194"]).toEqual({
    supportWeight: "42",
    supporters: [first, second].map(formatNodeId).sort(),
    objectWeight: "0",
    objectors: [],
    abstainWeight: "0",
  });
  expect(votes["283"]).toMatchObject({ objectWeight: "12", objectors: [formatNodeId(second)], abstainWeight: "30" });
});

test("a follower passes on its node's count, and says so if that has none", async () => {
  const told = (result: unknown) => ({ fact: async () => ({ from: "node 1", result }) });
  expect(await ask(told({ acps: { "300": { supportWeight: "1" } } }))).toBe('{"acps":{"300":{"supportWeight":"1"}}}');
  await expect(ask(told({ acps: [] }))).rejects.toThrow("info.acps: the answer of the node that this server follows has no acps");
});
