import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const MODULE = new URL("../../src/ingest/compile-less.ts", import.meta.url).href;
const SCRIPT = `import { compileLess } from ${JSON.stringify(MODULE)}; compileLess(); console.log("it runs");`;

/** V8 says on stderr that it does not know an option, and goes on. */
test("V8 knows the option that is set while a process runs", () => {
  const { stdout, stderr } = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", SCRIPT], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    encoding: "utf8",
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
  });
  expect({ stdout, stderr }).toEqual({ stdout: "it runs\n", stderr: "" });
});
