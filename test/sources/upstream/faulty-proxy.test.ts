import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { decodeHex } from "../../../src/base/bytes/hex.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { FaultyProxy } from "./faulty-proxy.ts";
import { FAULT_KINDS, type FaultKind } from "./proxy-faults.ts";
import { ReplayNode } from "./replay-node.ts";

let [ahead, behind, stranger]: ReplayNode[] = [];
let proxy: FaultyProxy;
beforeAll(async () => {
  [ahead, behind, stranger] = await Promise.all(
    (["latest-1", "latest-1", "live-1"] as const).map((name) => ReplayNode.start({ recording: recordingFolder(name) })),
  );
  ahead!.releaseAll();
  behind!.release({ P: 100n, X: 100n, C: 5n });
  stranger!.releaseAll();
});
afterEach(() => proxy?.stop());
afterAll(() => Promise.all([ahead, behind, stranger].map((node) => node!.stop())));

/** Whoever meets another one waits for ever. */
const ANSWERED = FAULT_KINDS.filter((kind) => kind !== "hang");

async function open(kinds: readonly FaultKind[], nodes = [ahead!.url]): Promise<void> {
  proxy = await FaultyProxy.start({ seed: 7, nodes, elsewhere: { foreign: stranger!.url }, kinds });
}

/** The body, or the status of what was no success, or `broken`. */
async function ask(path: string, method: string, params: object = {}): Promise<string> {
  try {
    const response = await fetch(proxy.url + path, { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 5, method, params }) });
    return response.status === 200 ? await response.text() : String(response.status);
  } catch {
    return "broken";
  }
}

/** All different answers to a question that is asked often enough to meet faults. */
async function answersTo(path: string, method: string, params?: object): Promise<Set<string>> {
  const answers = new Set<string>();
  for (let i = 0; i < 150; i++) answers.add(await ask(path, method, params));
  return answers;
}

const rightHeight = '{"jsonrpc":"2.0","result":{"height":"225"},"id":5}\n';
const heights = () => answersTo("/ext/bc/P", "platform.getHeight");

describe("A faulty proxy", () => {
  test("lets some messages pass, and others meet its faults", async () => {
    await open(["drop", "server-error", "rate-limit"]);
    const answers = await heights();
    expect([...answers].filter((answer) => !/^50[023]$/.test(answer)).sort()).toEqual(["429", "broken", rightHeight].sort());
    for (const kind of ["drop", "server-error", "rate-limit"] as const) expect(proxy.counts.get(kind)).toBeGreaterThan(0);
  });

  test("draws the same faults from the same seed", async () => {
    const runs = [];
    for (let run = 0; run < 2; run++) {
      await open(ANSWERED);
      for (let i = 0; i < 60; i++) await ask("/ext/bc/X", "avm.getHeight");
      runs.push([...proxy.counts]);
      if (run === 0) await proxy.stop();
    }
    expect(runs[0]).toEqual(runs[1]);
  });

  test("mixes nodes of different heights and those of another network", async () => {
    await open(["foreign"], [ahead!.url, behind!.url]);
    const found = [...(await heights())].map((answer) => JSON.parse(answer).result.height).sort();
    expect(found).toEqual(["100", "225", "269"]);
  });

  test("forges blocks under right checksums", async () => {
    await open(["forge"]);
    const answers = await answersTo("/ext/bc/P", "platform.getBlockByHeight", { height: 9 });
    expect(answers.size).toBeGreaterThan(5);
    for (const answer of answers) expect(decodeHex(JSON.parse(answer).result.block, { checksum: true }).length).toBeGreaterThan(100);
  });

  test("answers a question with the answer to an earlier one", async () => {
    await open(["stale"]);
    let wrong = 0;
    for (const { bytes } of ahead!.network.chains.X.slice(1, 100)) {
      // the height is behind type and parent
      const height = Number(bytes.readBigUInt64BE(2 + 4 + 32));
      if (!(await ask("/ext/bc/X", "avm.getBlockByHeight", { height })).includes(bytes.toString("hex"))) wrong++;
    }
    expect(wrong).toBe(proxy.counts.get("stale"));
  });

  test("reverses ranges, and changes the IDs of calls", async () => {
    await open(["reverse", "wrong-id"]);
    const answers = [...(await answersTo("/ext/index/X/block", "index.getContainerRange", { startIndex: 0, numToFetch: 3 }))];
    const orders = answers
      .map((answer) => JSON.parse(answer))
      .map(({ id, result }) => `${id}: ${result.containers.map(({ index }: { index: string }) => index)}`);
    expect(orders.sort()).toEqual(["5: 0,1,2", "5: 2,1,0", "987654321: 0,1,2"]);
  });

  test("is healed at once and for good", async () => {
    await open(ANSWERED, [ahead!.url, behind!.url]);
    await heights();
    proxy.heal();
    expect(await heights()).toEqual(new Set([rightHeight]));
  });
});
