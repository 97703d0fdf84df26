/**
 * Firn follows Firn: what a follower of a serving import has and answers. A share of the answers: `npm run conformance -- --follow` compares
 * all of them.
 */
import { expect, test } from "vitest";
import { recordingFolder } from "../../conformance/recordings.ts";
import { drawn } from "../../share.ts";
import { runFollowedImport } from "./followed-import.ts";

const SHARE = ["platform.getBlockByHeight", "platform.getCurrentValidators"];

const CASES = [
  { name: "latest-1", reading: "index", only: undefined, passed: 3490 },
  { name: "latest-1", reading: "height", only: SHARE, passed: 222 },
  { name: "eras-1", reading: "index", only: SHARE, passed: 268 },
  { name: "eras-1", reading: "height", only: undefined, passed: 2976 },
] as const;

test.each(drawn("followed imports", CASES, 1))(
  "a follower of a Firn that imports $name, by $reading, has its rows and answers as the node did",
  async (share) => {
    const { name, reading, only, passed } = share;
    const lines: string[] = [];
    const options = { name: "final", reading, stepBlocks: 100, log: (line: string) => lines.push(line), ...(only && { only }) };
    const { difference, ...totals } = await runFollowedImport(recordingFolder(name), options);
    expect(difference?.slice(0, 300)).toBeUndefined();
    expect(totals, lines.join("\n")).toEqual({ passed, failed: 0 });
  },
);
