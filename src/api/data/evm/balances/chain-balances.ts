/** Reads balances at a height from the chain's node. */

import { ERC1155 } from "../../../../evm/facts.ts";
import type { Address } from "../../../../sources/evm/parser/block.ts";
import { UpstreamError } from "../../../../sources/upstream/upstream-error.ts";
import type { EvmChain } from "../evm-chain.ts";
import { askNode, blockTag, wrongAnswer } from "../upstream.ts";
import type { Holding } from "./holdings.ts";

/** Returns wei. Throws 503 and 502. */
export async function nativeBalance(evmChain: EvmChain, address: Address, height: bigint): Promise<bigint> {
  const [answer] = await askNode(evmChain, height, [{ method: "eth_getBalance", params: [`0x${address}`, blockTag(height)] }]);
  if (typeof answer !== "string" || !/^0x[0-9a-f]{1,64}$/i.test(answer)) throw wrongAnswer(evmChain.evmChainId);
  return BigInt(answer);
}

// first four bytes of keccak256 of the signatures
const BALANCE_OF = "70a08231"; // balanceOf(address)
const BALANCE_OF_ID = "00fdd58e"; // balanceOf(address,uint256)

/** Gas of one call: enough for any token's ledger, but too little for a contract that burns it to keep the node busy. */
const GAS = "0xf4240";

/** Balances in the order of the holdings; 0 if the contract reverts or does not return a number. */
export async function tokenBalances(
  evmChain: EvmChain,
  holder: Address,
  holdings: readonly Holding[],
  height: bigint,
): Promise<readonly bigint[]> {
  const tag = blockTag(height);
  const calls = holdings.map(({ kind, token, tokenId }) => {
    const data = `0x${kind === ERC1155 ? BALANCE_OF_ID : BALANCE_OF}${holder.padStart(64, "0")}${kind === ERC1155 ? tokenId : ""}`;
    return { method: "eth_call", params: [{ to: `0x${token}`, data, gas: GAS }, tag] };
  });
  const answers = await askNode(evmChain, height, calls);
  return answers.map((answer) => {
    if (answer instanceof UpstreamError) return 0n;
    if (typeof answer !== "string" || !/^0x([0-9a-f]{2})*$/i.test(answer)) throw wrongAnswer(evmChain.evmChainId);
    return answer.length < 2 + 64 ? 0n : BigInt(answer.slice(0, 2 + 64));
  });
}
