/**
 * Follows recorded EVM chains from a misbehaving node, and asks the Data API for everything that their driver intended. These tests cover
 * some addresses, transactions and blocks; `npm run conformance -- <folder>` covers all.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entryOf } from "../../../src/evm/chain-entry.ts";
import { type ChangingProxy, startChangingProxy } from "../../api/data/oracle/evm/changing-proxy.ts";
import { leavesOf, other, withChanged } from "../../api/data/oracle/evm/mutate.ts";
import { type ReplayRpc, startReplayRpc } from "../../evm/replay-rpc/replay-rpc.ts";
import { drawn, sized } from "../../share.ts";
import type { CheckResult } from "../check.ts";
import { type EvmRecordingName, recordingFolder } from "../recordings.ts";
import { checkContracts } from "./contracts.ts";
import { Expectation } from "./expectation.ts";
import { type Followed, followHere } from "./followed.ts";
import { checkLists } from "./lists.ts";
import { readEvmRecording } from "./recording.ts";
import { collected, runEvmConformance, settled } from "./run-evm.ts";
import { sameItems } from "./same-items.ts";
import { StateChecker } from "./states.ts";

/** One in so many, and how many comparisons there are then at least, so that a recording that loses its files cannot pass. */
const SHARES: Record<EvmRecordingName, { share: number; least: number }> = {
  "evm-1": sized({ whole: { share: 8, least: 2400 }, share: { share: 29, least: 800 } }),
  "evm-helicon-1": sized({ whole: { share: 13, least: 1500 }, share: { share: 41, least: 600 } }),
  "evm-anvil-1": sized({ whole: { share: 13, least: 1500 }, share: { share: 41, least: 600 } }),
};

test.each(Object.entries(SHARES))("%s: everything is answered that was meant, and nothing else", async (name, { share, least }) => {
  const failures: string[] = [];
  let count = 0;
  for await (const { name: part, results } of runEvmConformance(recordingFolder(name as EvmRecordingName), { share })) {
    count += results.length;
    for (const { name: item, failure } of results) if (failure !== undefined) failures.push(`${part}, ${item}: ${failure}`);
  }
  expect(failures).toEqual([]);
  expect(count).toBeGreaterThan(least);
});

test("lists are the same only with the same items in the same order, as often", () => {
  const failed = (answered: string[]) =>
    [...sameItems("list", answered, ["a", "b", "b"])].filter(({ failure }) => failure !== undefined).length;
  expect(failed(["a", "b", "b"])).toBe(0);
  expect(failed(["b", "a", "b"])).toBe(1);
  expect(failed(["a", "b"])).toBe(1);
  expect(failed(["a", "b", "b", "b"])).toBe(1);
  expect(failed(["a", "b", "c"])).toBe(2);
});

describe("a changed answer is noticed", () => {
  const recording = readEvmRecording(recordingFolder("evm-1"));
  const expectation = new Expectation(recording, { share: 41 });
  let rpc: ReplayRpc;
  let followed: Followed;
  let proxy: ChangingProxy;

  beforeAll(async () => {
    rpc = await startReplayRpc({ recording: recording.folder });
    followed = await followHere([entryOf([rpc.url])]);
    await followed.indexedTo(recording.chainId, rpc.head);
    proxy = await startChangingProxy(followed.url);
    const unchanged = await settled(() => everything());
    expect(unchanged.filter(({ failure }) => failure !== undefined)).toEqual([]);
  });
  afterAll(async () => {
    await proxy.close();
    await followed.stop();
    await rpc.close();
  });

  async function* everything(): AsyncGenerator<CheckResult> {
    const states = new StateChecker(proxy.url, expectation);
    yield* checkLists(proxy.url, expectation);
    yield* checkContracts(proxy.url, expectation);
    yield* states.now(recording.states.at(-1)!);
    yield* states.at(recording.states[2]!);
  }

  const MEMBERS = [
    "txHash",
    "value",
    "txStatus",
    "nonce",
    "tokenId",
    "internalTxType",
    "isReverted",
    "deployerAddress",
    "ownerAddress",
    "tokenUri",
  ];

  test.each(drawn("members that are changed", [...MEMBERS, "balance", "ercType", "input"], 4))("%s", async (member) => {
    const changed = new Set<string>();
    proxy.change = (body, path) => {
      const shape = [...leavesOf(body)].find((each) => each.endsWith(`/${member}`) && isHeld(each, path));
      if (shape === undefined) return body;
      changed.add(kindOf(path));
      return withChanged(body, shape, other);
    };
    const failed = new Set((await collected(everything())).flatMap(({ name, failure }) => (failure === undefined ? [] : [kindOf(name)])));
    expect(changed.size).toBeGreaterThan(0);
    expect([...changed].filter((kind) => !failed.has(kind))).toEqual([]);
  });
});

/** The driver says what tokens move, not what they are called; the native balance has a route of its own. */
function isHeld(shape: string, path: string): boolean {
  if (shape.includes("/nativeTokenBalance/")) return path.includes("balances:getNative");
  if (/\/(contracts|erc\d+Token(Balance)?s?|\w+Balances)\/.*(ercType|tokenUri|ownerAddress)$/.test(shape)) return false;
  return true;
}

const KINDS = [
  ...["listNative", "listInternals", "getDeployment"].map((verb) => `transactions:${verb}`),
  ...["transactions", "balances"].flatMap((noun) => ["listErc20", "listErc721", "listErc1155"].map((verb) => `${noun}:${verb}`)),
  ...[
    "balances:listCollectibles",
    "balances:getNative",
    "/deployments",
    "/transfers",
    "/blocks/",
    "/transactions/0x",
    "/nfts/collections/",
  ],
];

function kindOf(text: string): string {
  if (text.includes("native balance of")) return "balances:getNative";
  return KINDS.find((kind) => text.includes(kind)) ?? (/\/transactions\b/.test(text) ? "/transactions" : "/addresses/");
}
