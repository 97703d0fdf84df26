/** `tsx test/faults/kill-import-cli.ts [--count 200] [--seed 1] [--level full] [--recording <folder>]` */
import { parseArgs } from "node:util";
import { recordingFolder } from "../conformance/recordings.ts";
import { killImports } from "./kill-import.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    level: { type: "string", default: "full" },
    recording: { type: "string" },
  },
});
const result = await killImports({
  recording: values.recording ?? recordingFolder("latest-1"),
  count: Number(values.count),
  seed: Number(values.seed),
  level: values.level === "replay" ? "replay" : "full",
  log: console.log,
});
console.log(`${result.kills} kills, ${result.killsAmidst} of them amidst, ${result.imports} imports: all stores equal`);
