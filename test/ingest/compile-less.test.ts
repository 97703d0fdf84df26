import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SCRIPT = `
  import { compileLess } from ${JSON.stringify(new URL("../../src/ingest/compile-less.ts", import.meta.url).href)};
  compileLess();
  console.log("it runs");
`;

test("V8 knows the option that is set while a process runs", () => {
  const names = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
  expect(names).toContain("--max-inlined-bytecode-size-cumulative ");
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const output = execFileSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", SCRIPT], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  expect(output).toBe("it runs\n");
});
