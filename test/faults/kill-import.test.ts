import { expect, test } from "vitest";
import { recordingFolder } from "../conformance/recordings.ts";
import { sized } from "../share.ts";
import { killImports } from "./kill-import.ts";

test("an import that is killed again and again ends with the rows of one that was left alone", async () => {
  const count = sized({ whole: 5, share: 2 });
  const { kills, imports } = await killImports({ recording: recordingFolder("latest-1"), count, seed: 20_261_121, level: "replay" });
  expect(kills).toBe(count);
  expect(imports).toBeGreaterThan(0);
});

test("so does one whose store catches up in files that are merged meanwhile and at the end", async () => {
  const count = sized({ whole: 4, share: 2 });
  const options = { recording: recordingFolder("latest-1"), count, seed: 20_261_123, level: "replay", isInLayers: true } as const;
  const { kills, imports } = await killImports(options);
  expect(kills).toBe(count);
  expect(imports).toBeGreaterThan(0);
});
