/**
 * Compiles contracts to bytecode: those that stand for precompiles (`src/c-chain/development-evm/precompiles/*.yul`), and Multicall3, which a
 * devnet's genesis has (`src/network/multicall/multicall3.sol`).
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";

const FOLDER = "src/c-chain/development-evm/precompiles";
export const BYTECODE_FILE = join(FOLDER, "bytecode.ts");

const MULTICALL_FOLDER = "src/network/multicall";
export const MULTICALL_FILE = join(MULTICALL_FOLDER, "bytecode.ts");

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

<<<<<<< HEAD
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
=======
interface Source {
  readonly path: string;
  readonly language: "Solidity" | "Yul";
  /** of the first upgrade that has it */
  readonly evmVersion: string;
}

export function bytecodeText(): string {
  const source = (file: string): Source => ({ path: join(FOLDER, `${file}.yul`), language: "Yul", evmVersion: "shanghai" });
  return written(CONTRACTS.map(([file, name]) => [name, compile(source(file))]));
}

export function multicallText(): string {
  const source: Source = { path: join(MULTICALL_FOLDER, "multicall3.sol"), language: "Solidity", evmVersion: "london" };
  return written([["MULTICALL_CODE", compile(source)]]);
}

function written(constants: readonly (readonly [name: string, code: string])[]): string {
  const lines = constants.map(([name, code]) => `export const ${name} =\n  "${code}";\n`);
  return `/** Written by \`npm run contracts\`: what solc makes of the files beside this one. */\n\n${lines.join("\n")}`;
}

function compile({ path, language, evmVersion }: Source): string {
  const file = basename(path);
  const sources = { [file]: { content: readFileSync(path, "utf8") } };
>>>>>>> 49c7555 (Put Multicall3 into a devnet's genesis: its interface, written here, beside the one that viem deploys)
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
