/** Finds anvil, the binary of the development EVM, which an optional package for this platform contains. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { FirnError } from "../../base/errors/errors.ts";

const VERSION = "1.7.1";
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** @param binary path of another binary, from an option */
export function findBinary(binary?: string, platform: string = process.platform, architecture: string = process.arch): string {
  if (binary !== undefined) {
    if (existsSync(binary)) return binary;
    throw new FirnError("no-evm", `there is no file ${binary}; name the binary of anvil ${VERSION}`, {
      binary,
    });
  }
  const name = `@foundry-rs/anvil-${platform}-${ARCHITECTURES[architecture] ?? architecture}`;
  const found = resolveInPackage(name);
  if (found !== undefined) return found;
  throw new FirnError(
    "no-evm",
    `the C-chain needs anvil, but its package for this platform is not installed; run npm install ${name}@${VERSION}`,
    { package: name },
  );
}

function resolveInPackage(name: string): string | undefined {
  try {
    const file = join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), "bin", "anvil");
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}
