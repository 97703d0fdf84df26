/**
 * Finds the kind of a contract from the interfaces that it declares (ERC-165) and from its behaviour. A contract that claims to support
 * everything is not believed.
 */

import type { Address } from "../../sources/evm/parser/block.ts";
import { callData, readBool, readNumber } from "../abi.ts";
import { ERC20, ERC721, ERC1155, type TransferKind } from "../facts.ts";
import type { CallAnswer, ContractCall } from "./multicall.ts";

/** ERC-165's own interface, the one that nobody may support, and those of the two NFT standards */
const INTERFACES = { erc165: "01ffc9a7", none: "ffffffff", erc721: "80ac58cd", erc1155: "d9b67a26" } as const;
type InterfaceName = keyof typeof INTERFACES;
const INTERFACE_NAMES = Object.keys(INTERFACES) as InterfaceName[];

/** In the order in which `readInterfaces` reads the answers. */
export function interfaceQuestions(contract: Address): ContractCall[] {
  return INTERFACE_NAMES.map((name) => ({
    to: contract,
    // bytes4 is at the start of its word
    data: `${callData("supportsInterface(bytes4)")}${INTERFACES[name].padEnd(64, "0")}`,
  }));
}

export const INTERFACE_QUESTIONS = INTERFACE_NAMES.length;

/** The NFT standard that the contract declares. Undefined: none, or it is not credible. */
export function readInterfaces(answers: readonly CallAnswer[]): typeof ERC721 | typeof ERC1155 | undefined {
  const [erc165, none, erc721, erc1155] = answers.map(readBool);
  if (erc165 !== true || none !== false) return undefined;
  if (erc721 === true) return ERC721;
  return erc1155 === true ? ERC1155 : undefined;
}

/**
 * Finds the kind of a contract that declares nothing by its behaviour.
 * @param met kind that its logs suggested; undefined: none. If it was classified as a collection then and has decimals, it is both
 * (ERC-404)
 * @param decimals its answer to `decimals()`, of whatever size
 * @param balance its answer to `balanceOf(address)`
 * @param tokenBalance its answer to `balanceOf(address,uint256)`
 */
export function kindByBehaviour(
  { met, isClassed }: { readonly met: TransferKind | undefined; readonly isClassed: boolean },
  { decimals, balance, tokenBalance }: { readonly decimals: CallAnswer; readonly balance: CallAnswer; readonly tokenBalance: CallAnswer },
): TransferKind | undefined {
  if (met === ERC1155) return readNumber(tokenBalance) === undefined ? undefined : ERC1155;
  if (readNumber(balance) === undefined) return undefined;
  return readNumber(decimals) === undefined || (met === ERC721 && isClassed) ? met : ERC20;
}
