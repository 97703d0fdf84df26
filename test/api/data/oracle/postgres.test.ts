/**
 * A share of the tests of the Data API with the store in PostgreSQL: one recording is held against its oracle and against the node's answers.
 * FIRN_TEST_STORE=postgres runs all of them so.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordingFolder } from "../../../conformance/recordings.ts";
import { putAllInPostgres } from "../../../conformance/stores.ts";
import { hasPostgres, skipReason } from "../../../postgres/binaries.ts";
import { sharedServerPort } from "../../../postgres/shared-server.ts";
import { agreementAtCheckpoints } from "../agreement/agreement.ts";
import { judge } from "./judge.ts";

describe.skipIf(!hasPostgres)(`in PostgreSQL${skipReason}`, () => {
  let putBack = () => 0;
  beforeAll(async () => {
    putBack = putAllInPostgres(`postgres://postgres@127.0.0.1:${await sharedServerPort()}/postgres`);
  });
  afterAll(() => expect(putBack()).toBe(2));

  judge("x-dag", [{ label: "at its end", heights: {} }]);

  test("the Data API says what the node's answers imply", async () => {
    let compared = 0;
    for await (const { label, tally } of agreementAtCheckpoints(recordingFolder("x-dag"))) {
      expect(tally.differences, label).toEqual([]);
      compared += tally.count;
    }
    expect(compared).toBeGreaterThan(100);
  });
});
