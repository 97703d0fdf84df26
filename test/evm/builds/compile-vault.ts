/**
 * `tsx test/evm/builds/compile-vault.ts`: compiles the contracts in `vault/` into `vault.json`, as Hardhat writes a build-info file, from which
 * tests make the other kinds of build files.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("vault/", import.meta.url));
const solc = createRequire(import.meta.url)("solc") as { compile(input: string): string; version(): string };

const sources = Object.fromEntries(
  ["Owned", "Rounding", "Vault"].map((name) => [`contracts/${name}.sol`, { content: readFileSync(`${FOLDER}${name}.sol`, "utf8") }]),
);
const wanted = ["abi", "metadata", "evm.bytecode.object", "evm.bytecode.linkReferences", "evm.deployedBytecode"].map((name) =>
  name === "evm.deployedBytecode" ? ["object", "immutableReferences", "linkReferences"].map((part) => `${name}.${part}`) : [name],
);
const input = {
  language: "Solidity",
  sources,
  settings: { optimizer: { enabled: true, runs: 200 }, evmVersion: "cancun", outputSelection: { "*": { "*": wanted.flat() } } },
};
const output = JSON.parse(solc.compile(JSON.stringify(input)));
const [solcLongVersion] = solc.version().split(".Emscripten");
const build = { _format: "hh-sol-build-info-1", solcVersion: solcLongVersion!.split("+")[0], solcLongVersion, input, output };
writeFileSync(fileURLToPath(new URL("vault.json", import.meta.url)), `${JSON.stringify(build)}\n`);
