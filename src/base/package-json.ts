import { readFileSync } from "node:fs";

/** What package.json says of Firn. It lies as far above this file as above those of `dist/lib`, into which this one is bundled. */
export function packageJson(): { readonly version: string; readonly description: string } {
  return JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
}
