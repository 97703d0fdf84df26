/** A route of the Data API whose answer is longer than what is written together with other answers. */
import Type from "typebox";
import { dataRoute } from "../../src/api/data/route.ts";
import { LONGEST_TOGETHER } from "../../src/http/answers.ts";

export const LONG_PATH = "/v1/long";

export const longRoute = dataRoute({
  method: "GET",
  path: "/long",
  operationId: "readLong",
  tag: "Operation",
  summary: "A long text.",
  cost: "O(1)",
  computeUnits: 0,
  query: Type.Object({}),
  response: Type.Object({ text: Type.String() }),
  handle: async () => ({ text: "0123456789".repeat(LONGEST_TOGETHER / 4) }),
});
