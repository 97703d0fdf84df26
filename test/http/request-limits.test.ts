/** The limits on one request, over HTTP. */
import { afterEach, describe, expect, test } from "vitest";
import { DEFAULT_LIMITS, type Limits } from "../../src/base/limits.ts";
import { post, type SmallNode, startSmallNode } from "../serve/small-node.ts";

interface Answered {
  readonly id: string;
  readonly error: { readonly code: number; readonly message: string };
}

let node: SmallNode;
afterEach(() => node.remove());

async function started(limits: Partial<Limits> = {}): Promise<number> {
  node = await startSmallNode({ limits: { ...DEFAULT_LIMITS, ...limits } });
  return node.port;
}

describe("a batch to the C-chain's RPC, which has no EVM behind it", () => {
  const call = (id: string, method = "eth_chainId") => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`;
  const ask = async (port: number, body: string): Promise<Answered[]> =>
    (
      await fetch(`http://127.0.0.1:${port}/ext/bc/C/rpc`, { method: "POST", body, headers: { "content-type": "application/json" } })
    ).json() as Promise<Answered[]>;

  test("of more calls than it may have gets one error, with the first call's ID, as from geth", async () => {
    const port = await started();
    const calls = Array.from({ length: 1001 }, (_, n) => call(`${n + 7}`));
    expect(await ask(port, `[${calls}]`)).toEqual([{ jsonrpc: "2.0", id: 7, error: { code: -32600, message: "batch too large" } }]);
    expect(await ask(port, `[${calls.slice(1)}]`)).toHaveLength(1000);
    const { body } = await post(port, "/ext/bc/C/rpc", `[${"null,".repeat(50_000)}null]`);
    expect(body.length).toBeLessThan(200);
  });

  test("whose answer grows too long has an error for each call that is left", async () => {
    const port = await started({ batchAnswerBytes: 500 });
    const answers = await ask(port, `[${Array.from({ length: 20 }, (_, n) => call(`"${n}"`))}]`);
    expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, n) => `${n}`));
    expect(answers[0]!.error.code).toBe(-32601);
    expect(answers[19]!.error).toEqual({ code: -32003, message: "response too large" });
  });

  test("gets IDs back as they were sent, and long names of methods cut", async () => {
    const port = await started();
    const { body } = await post(
      port,
      "/ext/bc/C/rpc",
      `[${call("123456789012345678901")},${call("1e400", "x".repeat(100_000))},${call("{}")}]`,
    );
    expect(body).toContain('"id":123456789012345678901,');
    expect(body).toContain('"id":1e400,');
    expect(body).toContain('"id":null,');
    expect(body.length).toBeLessThan(10_000);
  });
});

test("a request of the node's interface that reads too many rows is told what to ask instead", async () => {
  const port = await started({ requestRows: 3 });
  const body = '{"jsonrpc":"2.0","id":1,"method":"platform.getCurrentValidators","params":{}}';
  const { error } = JSON.parse((await post(port, "/ext/bc/P", body)).body);
  expect(error.message).toBe(
    "the answer needs more than 3 rows, which is all that one request may read; ask for less at a time, such as fewer addresses",
  );
  expect(node.defects).toEqual([]);
});
