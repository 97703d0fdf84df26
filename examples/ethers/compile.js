import { readFileSync } from "node:fs";
import solc from "solc";

/** Compiles contracts/<name>.sol for the C-chain. */
export function compile(name) {
  const file = `contracts/${name}.sol`;
  const input = {
    language: "Solidity",
    sources: { [file]: { content: readFileSync(new URL(file, import.meta.url), "utf8") } },
    settings: { evmVersion: "cancun", outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } } },
  };
  const { contracts, errors = [] } = JSON.parse(solc.compile(JSON.stringify(input)));
  if (contracts === undefined) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"));
  const { abi, evm } = contracts[file][name];
  return { abi, bytecode: `0x${evm.bytecode.object}` };
}
