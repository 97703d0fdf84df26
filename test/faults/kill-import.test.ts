import { expect, test } from "vitest";
import { recordingFolder } from "../conformance/recordings.ts";
import { killImports } from "./kill-import.ts";

test("an import that is killed again and again ends with the rows of one that was left alone", async () => {
  const { kills, imports } = await killImports({ recording: recordingFolder("latest-1"), count: 5, seed: 20_261_121, level: "replay" });
  expect(kills).toBe(5);
  expect(imports).toBeGreaterThan(0);
});

test("so does one whose store catches up in files that are merged meanwhile and at the end", async () => {
  const options = { recording: recordingFolder("latest-1"), count: 4, seed: 20_261_123, level: "replay", isInLayers: true } as const;
  const { kills, imports } = await killImports(options);
  expect(kills).toBe(4);
  expect(imports).toBeGreaterThan(0);
});
