/**
 * Writes the types of the Data API, from the OpenAPI document, to `explorer/src/api/data-api.d.ts`, with which the explorer is checked. The file
 * is not part of the repository, since it follows from the routes.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openApiSteps } from "../src/api/data/openapi/document.ts";
import { dataRoutes } from "../src/api/data/routes.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "explorer/src/api/data-api.d.ts");
const scratch = mkdtempSync(join(tmpdir(), "firn-types-"));
const [document, output] = [join(scratch, "openapi.json"), join(scratch, "data-api.d.ts")];
writeFileSync(document, JSON.stringify(openApiDocument()));
execFileSync(process.execPath, [generator(), document, "--output", output], { stdio: ["ignore", "ignore", "inherit"] });
const types = readFileSync(output, "utf8");
// a file of a newer date would let `bin/firn` build the explorer again
if (!existsSync(target) || readFileSync(target, "utf8") !== types) writeFileSync(target, types);
rmSync(scratch, { recursive: true });

function openApiDocument() {
  const steps = openApiSteps(dataRoutes, { label: "fuji", keyUse: "none" });
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** It needs TypeScript 5, so it is in a workspace of its own. */
function generator(): string {
  const folders = ["node_modules/firn-test-generators/node_modules", "node_modules"];
  const found = folders.map((folder) => join(root, folder, "openapi-typescript/bin/cli.js")).find(existsSync);
  if (found === undefined) throw new Error("openapi-typescript is not installed; run npm ci");
  return found;
}
