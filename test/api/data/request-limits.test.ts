/** The limits on one request to the Data API, over HTTP. */
import Type from "typebox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DataContext } from "../../../src/api/data/context.ts";
import { dataRoute } from "../../../src/api/data/route.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { platformChain } from "../../../src/chains/platform/tables.ts";
import { type DataNode, startDataNode } from "./data-node.ts";

const MIB = 2 ** 20;
/** On a busy machine, what asks for too much of something else must not run out of time first. */
const HOUR = 3600;
const greedy: Record<string, (context: DataContext) => Promise<void>> = {
  async rows({ reader }) {
    for (;;) await reader.get(platformChain, { slot: 0 });
  },
  async time({ work }) {
    for (;;) await work.turn();
  },
  async memory({ work }) {
    for (;;) work.hold(MIB);
  },
};

const askFor = dataRoute({
  tag: "Echo",
  summary: "Uses too much of something.",
  cost: "all that there is",
  computeUnits: 1,
  method: "GET",
  path: "/greed/{what}",
  operationId: "askFor",
  needs: [],
  params: Type.Object({ what: Type.String() }),
  query: Type.Object({}),
  response: Type.Object({}),
  async handle({ params }, context) {
    await greedy[params.what]!(context);
    return {};
  },
});

async function startWithin(limits: Partial<typeof DEFAULT_LIMITS>): Promise<DataNode> {
  return startDataNode({ dataRoutes: [askFor], limits: { ...DEFAULT_LIMITS, requestSeconds: HOUR, ...limits } });
}

describe("A request that asks for too much", () => {
  let node: DataNode;
  beforeAll(async () => {
    node = await startWithin({ requestRows: 100, rowsBytes: 3 * MIB });
  });
  afterAll(() => node.remove());

  test.each([
    [
      "rows",
      400,
      "the answer needs more than 100 rows, which is all that one request may read; ask for less at a time, such as fewer addresses",
    ],
    ["memory", 503, "running requests hold too much of the store's data; try again in a moment, or ask for less"],
  ])("of %s is %i, and told what to ask instead", async (what, status, message) => {
    const { body } = await node.ask(`/v1/greed/${what}`);
    expect(body).toMatchObject({ statusCode: status, message });
    expect(node.defects).toEqual([]);
  });

  test("of time is 503, and told what to ask instead", async () => {
    const strict = await startWithin({ requestSeconds: 1 });
    try {
      const { body } = await strict.ask("/v1/greed/time");
      const message = "the request was not answered within 1 s; ask for less at a time, such as fewer addresses or smaller pages";
      expect(body).toMatchObject({ statusCode: 503, message });
      expect(strict.defects).toEqual([]);
    } finally {
      await strict.remove();
    }
  });

  test("of bytes is 400", async () => {
    const strict = await startWithin({ requestBytes: 10_000 });
    try {
      const { body } = await strict.ask("/v1/greed/rows");
      expect(body).toMatchObject({ statusCode: 400, message: expect.stringContaining("rows of more than 10000 bytes") });
    } finally {
      await strict.remove();
    }
  });

  test("of a path that there is not hears only the beginning of it", async () => {
    const { status, body } = await node.ask(`/v1/${"x/".repeat(10_000)}`);
    expect(status).toBe(404);
    expect(body.message.length).toBeLessThan(10_000);
  });
});
