/** What is asked of other upstreams while one is late. A node that never answers is waited for without end: a test that passes did not wait for it. */
import { expect, test } from "vitest";
import { delay } from "../../patience.ts";
import { echo, type Script } from "./scripted-node.ts";
import { calls, scriptedUpstreams } from "./scripted-upstreams.ts";

const { node, open } = scriptedUpstreams({ lateMs: 20, timeoutMs: 2 ** 30, maxBatch: 1 });

const answers = (count: number) => calls(count).map(({ params }) => ({ result: params }));
const good: Script = (all, _, isBatch) => echo(all, isBatch);
const never: Script = () => undefined;
/** Says which chain it is of, and nothing else. */
const silent: Script = (all, _, isBatch) => (all[0]!.method === "eth_chainId" ? echo(all, isBatch) : undefined);

test.each([
  ["never answers", never],
  ["says only what it is of", silent],
])("a node that %s keeps no call from the next one, however many there are", async (_, script) => {
  const rpc = open([await node(script), await node(good)], { maxConcurrency: 4 });
  expect(await rpc.requestAll(calls(64))).toMatchObject(answers(64));
  const asked = await Promise.all(calls(64).map((call) => rpc.requestAll([call])));
  expect(asked.flat()).toMatchObject(answers(64));
});

test("a node that another one outran has failed, and is asked after it", async () => {
  const late = await node(never);
  const rpc = open([late, await node(good)]);
  expect(await rpc.request("echo", [1])).toEqual([1]);
  expect(rpc.states()).toMatchObject([
    { failures: 1, errors: { timeout: 1 } },
    { failures: 0, errors: {} },
  ]);
  const before = late.messages.length;
  expect(await rpc.request("echo", [2])).toEqual([2]);
  expect(late.messages.length).toBe(before);
});

test("a node that fails is asked again while another one is waited for", async () => {
  let failures = 8;
  const recovering = await node((all, response, isBatch) => {
    if (all[0]!.method === "eth_chainId" || failures-- <= 0) return echo(all, isBatch);
    response.writeHead(503).end();
    return undefined;
  });
  const rpc = open([await node(silent), recovering]);
  expect(await rpc.request("echo", [1])).toEqual([1]);
});

test("a node that wants a pause is not waited for", async () => {
  const paused = await node((all, response, isBatch) => {
    if (all[0]!.method === "eth_chainId") return echo(all, isBatch);
    response.writeHead(429, { "retry-after": "3600" }).end();
    return undefined;
  });
  const other = await node(good);
  const rpc = open([paused, other], { maxConcurrency: 1 });
  expect((await Promise.all(calls(8).map((call) => rpc.requestAll([call])))).flat()).toMatchObject(answers(8));
  // those behind it did not wait for their turn
  expect(paused.messages.filter(([call]) => call!.method === "echo").length).toBeLessThan(8);
});

test("a slow node that is alone is given the time, and asked once", async () => {
  const slow = await node(async (all, _, isBatch) => {
    await delay(200);
    return echo(all, isBatch);
  });
  const rpc = open([slow], { firstTimeoutMs: 2 ** 30 });
  expect(await rpc.requestAll(calls(3))).toMatchObject(answers(3));
  expect(slow.messages.length).toBe(3);
});

test("one that was not answered in time is given more of it, whoever asks", async () => {
  const slow = await node(async (all, _, isBatch) => {
    await delay(300);
    return echo(all, isBatch);
  });
  const rpc = open([slow], { firstTimeoutMs: 20 });
  const once = () => rpc.request("echo", [1], { attempts: 1 }).catch(() => undefined);
  // 20, 40, 80 ms …
  await expect.poll(once).toEqual([1]);
});

test("who gives up while a node is late is told so at once, and who closes as well", async () => {
  const nodes = [await node(silent), await node(silent)];
  const rpc = open(nodes);
  const giving = new AbortController();
  const given = rpc.request("echo", [1], { signal: giving.signal });
  await expect.poll(() => nodes[1]!.messages.length).toBeGreaterThan(1);
  giving.abort();
  await expect(given).rejects.toMatchObject({ code: "upstream-aborted" });
  const closed = rpc.request("echo", [1]);
  await rpc.close();
  await expect(closed).rejects.toMatchObject({ code: "upstream-unavailable" });
});
