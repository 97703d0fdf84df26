/** Contracts of the workload on a development node, by name, and the multicall contract that most chains have. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Abi, encodeDeployData, type Hex } from "viem";
import type { Address } from "../../../src/evm/block.ts";
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

async function deployCode(node: Anvil, data: Hex): Promise<Address> {
  const [from] = (await node.call("eth_accounts")) as [string];
  const hash = await node.call("eth_sendTransaction", { from, data, gas: "0x5b8d80" });
  await node.call("evm_mine");
  const receipt = (await node.call("eth_getTransactionReceipt", hash)) as { status: string; contractAddress: string };
  if (receipt.status !== "0x1") throw new Error("a contract could not be deployed");
  return receipt.contractAddress.slice(2).toLowerCase();
}
