/**
 * Issues the transactions of both recordings again. `npm run reissue` compares at every checkpoint; `npm run fuzz:issue` sends more
 * mutants.
 */

import { describe, expect, test } from "vitest";
import { type RecordingName, recordingFolder } from "../conformance/recordings.ts";
import { requestShare } from "../conformance/request-share.ts";
import { IssueMutants } from "../fuzz/issue-mutants.ts";
import { Random } from "../fuzz/mutate.ts";
import { drawn, sized } from "../share.ts";
import { reissue } from "./reissue/reissue.ts";

/** What must not become less, so that a recording that loses its files cannot pass. */
const EXPECTED = {
  "latest-1": { issued: { P: 166, X: 378, C: 25 }, refused: 218 },
  "eras-1": { issued: { P: 295, X: 294, C: 40 }, refused: 415 },
} satisfies Partial<Record<RecordingName, object>>;

describe.each(drawn("recordings issued again", Object.entries(EXPECTED) as [keyof typeof EXPECTED, (typeof EXPECTED)["latest-1"]][], 1))(
  "%s",
  (name, expected) => {
    test("is accepted and refused again as recorded, makes the same blocks of P and X, and answers alike", async () => {
      const lines: string[] = [];
      const mutants = new IssueMutants(new Random(20_261_121), 1);
      const { issued, refused, compared, leftOut, differences } = await reissue({
        folder: recordingFolder(name),
        isCompared: (_, index, count) => index === count - 1,
        pick: requestShare(name).pick,
        beforeIssue: (url, issue) => mutants.sendBefore(url, issue),
        log: (line) => lines.push(line),
      });
      console.log(
        `${name}: ${compared} requests compared; left out: ${[...leftOut].map(([reason, count]) => `${count} (${reason})`).join(", ")}`,
      );
      console.log(`${name}: ${mutants.sent} mutants`);
      expect([...mutants.problems, ...differences]).toEqual([]);
      expect({ issued, refused }).toEqual(expected);
      expect(mutants.sent).toBeGreaterThan(500);
      expect(compared).toBeGreaterThan(sized({ whole: 3_000, share: 100 }));
    });
  },
);
