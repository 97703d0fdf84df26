/**
 * Compiles contracts to bytecode: those that stand for precompiles (`src/devnet/anvil/precompiles/*.yul`), and Multicall3, which a
 * devnet's genesis has (`src/network/multicall3.sol`).
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const FOLDER = "src/devnet/anvil/precompiles";
export const BYTECODE_FILE = join(FOLDER, "bytecode.ts");

export const MULTICALL_FILE = "src/network/multicall3-bytecode.ts";

/** Names of the files and of the constants. */
const CONTRACTS = [
  ["warp", "WARP_CODE"],
  ["allow-list", "ALLOW_LIST_CODE"],
] as const;

interface Compiler {
  /** JSON to JSON */
  compile(input: string): string;
}

interface Output {
  readonly errors?: readonly { readonly formattedMessage: string }[];
  readonly contracts: Readonly<
    Record<string, Readonly<Record<string, { readonly evm: { readonly deployedBytecode: { object: string } } }>>>
  >;
}

interface Source {
  readonly text: string;
  readonly language: "Solidity" | "Yul";
  /** of the first upgrade that has it */
  readonly evmVersion: string;
}

export function bytecodeText(): string {
  return written(CONTRACTS.map(([file, name]) => [name, compileYul(readFileSync(join(FOLDER, `${file}.yul`), "utf8"))]));
}

export function multicallText(): string {
  const text = readFileSync("src/network/multicall3.sol", "utf8");
  return written([["MULTICALL_CODE", compile({ text, language: "Solidity", evmVersion: "london" })]]);
}

function written(constants: readonly (readonly [name: string, code: string])[]): string {
  const lines = constants.map(([name, code]) => `export const ${name} =\n  "${code}";\n`);
  return `/** Written by \`npm run contracts\`: what solc makes of the files beside this one. */\n\n${lines.join("\n")}`;
}

/** @returns the code that a contract has, in hex */
export function compileYul(text: string): string {
  return compile({ text, language: "Yul", evmVersion: "shanghai" });
}

function compile({ text, language, evmVersion }: Source): string {
  const sources = { source: { content: text } };
  const settings = {
    evmVersion,
    optimizer: { enabled: true, details: { yul: true } },
    // a hash of the compiler's settings is no part of the code
    ...(language === "Solidity" && { metadata: { appendCBOR: false } }),
    outputSelection: { "*": { "*": ["evm.deployedBytecode.object"] } },
  };
  // some 9 MB, which are only loaded here
  const solc = createRequire(import.meta.url)("solc") as Compiler;
  const output = JSON.parse(solc.compile(JSON.stringify({ language, sources, settings }))) as Output;
  const problems = output.errors?.map(({ formattedMessage }) => formattedMessage) ?? [];
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const [contract] = Object.values(output.contracts.source!);
  return contract!.evm.deployedBytecode.object;
}
