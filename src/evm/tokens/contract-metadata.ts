/** A contract's metadata for `evm_contract_metadata`: the questions, and how to read their answers. */

import type { TableValue } from "../../base/table/table.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import { callData, readNumber, readText } from "../abi.ts";
import type { TransferKind } from "../facts.ts";
import type { evmContractMetadata } from "../index/token-tables.ts";
import { INTERFACE_QUESTIONS, interfaceQuestions, kindByBehaviour, readInterfaces } from "./interfaces.ts";
import type { CallAnswer, ContractCall } from "./multicall.ts";

/** bytes of UTF-8; longer names are cut. The longest that wallets show has about 100 characters */
export const MAX_NAME_BYTES = 256;
const MAX_DECIMALS = 255n;

/** Any address but the zero address, which some contracts refuse. */
const SOMEBODY: Address = "1".padStart(40, "0");

export interface MetContract {
  readonly contract: Address;
  /** kind that its logs suggested; undefined: none */
  readonly met: TransferKind | undefined;
  /** whether it was asked at its first ambiguous log */
  readonly isClassed: boolean;
  /** an address that took part in its last transfer */
  readonly holder: Address | undefined;
}

export function metadataQuestions({ contract, holder = SOMEBODY }: MetContract): ContractCall[] {
  const ask = (signature: string, ...parameters: (bigint | Address)[]) => ({ to: contract, data: callData(signature, ...parameters) });
  return [
    ...interfaceQuestions(contract),
    ask("decimals()"),
    ask("balanceOf(address)", holder),
    ask("balanceOf(address,uint256)", holder, 0n),
    ask("symbol()"),
    ask("name()"),
  ];
}

export function readMetadata(answers: readonly CallAnswer[], met: MetContract): Omit<TableValue<typeof evmContractMetadata>, "checkedAt"> {
  const [decimals, balance, tokenBalance, symbol, name] = answers.slice(INTERFACE_QUESTIONS);
  const kind = readInterfaces(answers.slice(0, INTERFACE_QUESTIONS)) ?? kindByBehaviour(met, { decimals, balance, tokenBalance });
  const decimalsWord = readNumber(decimals);
  return {
    kind: kind ?? 0,
    name: columnText(readText(name, MAX_NAME_BYTES)),
    symbol: columnText(readText(symbol, MAX_NAME_BYTES)),
    decimals: decimalsWord === undefined || decimalsWord > MAX_DECIMALS ? undefined : Number(decimalsWord),
  };
}

/** Text columns hold UTF-8 as latin1. */
function columnText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : Buffer.from(text, "utf8").toString("latin1");
}
