/** Contracts of the workload on a development node, by name, and the multicall contract that most chains have. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Abi, encodeDeployData, type Hex } from "viem";
import type { Address } from "../../../src/sources/evm/parser/block.ts";
import type { Anvil } from "../anvil.ts";

const artifacts = JSON.parse(readFileSync(new URL("../workload/artifacts.json", import.meta.url), "utf8")) as Record<
  string,
  { readonly abi: Abi; readonly bytecode: Hex }
>;

/** In a block of its own. @param node that makes blocks when it is told to */
export async function deploy(node: Anvil, contract: string, ...args: readonly unknown[]): Promise<Address> {
  const { abi, bytecode } = artifacts[contract]!;
  return deployCode(node, encodeDeployData({ abi, bytecode: bytecode.startsWith("0x") ? bytecode : `0x${bytecode as string}`, args }));
}

export async function deployMulticall(node: Anvil): Promise<Address> {
  const constants = createRequire(import.meta.url)(`${packageFolder("viem")}/_cjs/constants/contracts.js`) as { multicall3Bytecode: Hex };
  return deployCode(node, constants.multicall3Bytecode);
}

function packageFolder(name: string): string {
  return createRequire(import.meta.url)
    .resolve(`${name}/package.json`)
    .replace("/package.json", "");
}

/** A contract that answers calls whose data begin so with a word each, and reverts all others. @param answers by up to 32 bytes of hex, longest first */
export function deployAnswering(node: Anvil, answers: Readonly<Record<string, bigint>>): Promise<Address> {
  const word = (value: bigint) => value.toString(16).padStart(64, "0");
  // each: CALLDATALOAD(0) without what lies behind the beginning, compared; if it is the same, the word is returned
  const cases = Object.entries(answers).map(([beginning, answer]) => {
    const shift = 256 - 4 * beginning.length;
    const length = (beginning.length / 2 + 0x5f).toString(16);
    const test = `5f3561${shift.toString(16).padStart(4, "0")}1c${length}${beginning}14156100`;
    return { test, answer: `7f${word(answer)}5f5260205ff35b` };
  });
  let code = "";
  for (const { test, answer } of cases) {
    const end = code.length / 2 + test.length / 2 + 1 + 1 + answer.length / 2 - 1;
    code += `${test}${end.toString(16).padStart(2, "0")}57${answer}`;
  }
  code += "5f5ffd";
  if (code.length > 510) throw new Error("too many answers for jumps of one byte");
  const size = (code.length / 2).toString(16).padStart(2, "0");
  return deployCode(node, `0x60${size}600c60003960${size}6000f3${code}`);
}

async function deployCode(node: Anvil, data: Hex): Promise<Address> {
  const [from] = (await node.call("eth_accounts")) as [string];
  const hash = await node.call("eth_sendTransaction", { from, data, gas: "0x5b8d80" });
  await node.call("evm_mine");
  const receipt = (await node.call("eth_getTransactionReceipt", hash)) as { status: string; contractAddress: string };
  if (receipt.status !== "0x1") throw new Error("a contract could not be deployed");
  return receipt.contractAddress.slice(2).toLowerCase();
}
