/** Contracts of the three kinds of tokens from the EVM workload, as a compiler outputs them. */
import { readFileSync } from "node:fs";
import type { InterfaceAbi } from "ethers";
import type { Abi } from "viem";

interface Artifact {
  readonly abi: Abi & InterfaceAbi;
  readonly bytecode: `0x${string}`;
}

const artifacts = JSON.parse(readFileSync(new URL("../../evm/workload/artifacts.json", import.meta.url), "utf8")) as Record<
  string,
  Artifact
>;

/** @param name `Coin` (ERC-20), `Nft` (ERC-721), `NamedMulti` (ERC-1155), `WNative` … */
export function tokenContract(name: string): Artifact {
  return artifacts[name]!;
}
