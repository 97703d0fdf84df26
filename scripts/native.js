/**
 * `node scripts/native.js`: copies compiled code for the usual machines into `dist/native`, for a package that is published or an image
 * (`src/primitives/possession-native.ts`). A clone loads it from `node_modules`.
 */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PLATFORMS = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-x64"];
/** ABI versions of Node.js 20 and 22 */
const VERSIONS = [115, 127];

const target = fileURLToPath(new URL("../dist/native/", import.meta.url));
const library = dirname(createRequire(import.meta.url).resolve("blst-with-tag/package.json"));
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const platform of PLATFORMS) {
  for (const version of VERSIONS) {
    const name = `${platform}-${version}-binding.node`;
    copyFileSync(join(library, "prebuild", name), join(target, name));
  }
}
copyFileSync(join(library, "LICENSE"), join(target, "LICENSE"));
writeFileSync(join(target, "README.md"), "Binaries of @chainsafe/blst 0.2.11 (https://github.com/ChainSafe/blst-ts), under its LICENSE.\n");
