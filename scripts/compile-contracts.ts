/** Compiles the contracts that stand for precompiles (`src/c-chain/development-evm/precompiles/*.yul`) to bytecode. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const FOLDER = "src/c-chain/development-evm/precompiles";
export const BYTECODE_FILE = join(FOLDER, "bytecode.ts");

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

export function bytecodeText(): string {
  const constants = CONTRACTS.map(([file, name]) => {
    const source = readFileSync(join(FOLDER, `${file}.yul`), "utf8");
    return `export const ${name} =\n  "${compileYul(source)}";\n`;
  });
  return `/** Written by \`npm run contracts\`: what solc makes of the files beside this one. */\n\n${constants.join("\n")}`;
}

/** @returns the code that a contract has, in hex */
export function compileYul(source: string): string {
  const sources = { source: { content: source } };
  const settings = {
    // of the first upgrade with precompiles
    evmVersion: "shanghai",
    optimizer: { enabled: true, details: { yul: true } },
    outputSelection: { "*": { "*": ["evm.deployedBytecode.object"] } },
  };
  // some 9 MB, which are only loaded here
  const solc = createRequire(import.meta.url)("solc") as Compiler;
  const output = JSON.parse(solc.compile(JSON.stringify({ language: "Yul", sources, settings }))) as Output;
  const problems = output.errors?.map(({ formattedMessage }) => formattedMessage) ?? [];
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const [contract] = Object.values(output.contracts.source!);
  return contract!.evm.deployedBytecode.object;
}
