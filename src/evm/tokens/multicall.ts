/** Encodes and decodes `aggregate3` of Multicall3: several calls in one eth_call, each of which may fail on its own. */

import type { Address } from "../../sources/evm/parser/block.ts";
import { callData, readBytes, readPlace, readWord, selectorOf, WORD_BYTES, word } from "../abi.ts";

/** address of Multicall3 on almost every chain that has it */
export const USUAL_MULTICALL: Address = "ca11bde05977b3631167028862be2a173976ca11";

export interface ContractCall {
  readonly to: Address;
  /** with `0x` */
  readonly data: string;
}

/** undefined: the call failed */
export type CallAnswer = Buffer | undefined;

const AGGREGATE3 = selectorOf("aggregate3((address,bool,bytes)[])");

/** Returns hex with `0x`. Every call is allowed to fail. */
export function encodeAggregate(calls: readonly ContractCall[]): string {
  let offset = BigInt(calls.length * WORD_BYTES);
  let heads = "";
  let tails = "";
  for (const { to, data } of calls) {
    const digits = data.slice(2);
    const bytes = digits.length / 2;
    const padded = digits.padEnd(Math.ceil(bytes / WORD_BYTES) * 2 * WORD_BYTES, "0");
    const tail = `${word(to)}${word(1n)}${word(0x60n)}${word(BigInt(bytes))}${padded}`;
    heads += word(offset);
    tails += tail;
    offset += BigInt(tail.length / 2);
  }
  return `0x${AGGREGATE3}${word(0x20n)}${word(BigInt(calls.length))}${heads}${tails}`;
}

/** Undefined: this is not an answer of `aggregate3` to `count` calls. */
export function decodeAggregate(answer: Buffer, count: number): CallAnswer[] | undefined {
  const list = readPlace(answer, 0, 0);
  if (list === undefined || readWord(answer, list) !== BigInt(count)) return undefined;
  const heads = list + WORD_BYTES;
  const answers: CallAnswer[] = [];
  for (let i = 0; i < count; i++) {
    const tuple = readPlace(answer, heads + i * WORD_BYTES, heads);
    const isSuccess = tuple === undefined ? undefined : readWord(answer, tuple);
    const data = tuple === undefined ? undefined : readBytes(answer, tuple + WORD_BYTES, tuple);
    if (isSuccess === undefined || isSuccess > 1n || data === undefined) return undefined;
    answers.push(isSuccess === 1n ? data : undefined);
  }
  return answers;
}

/** Accounts that no other call of the message touches, so each costs the gas of a cold account. */
const COLD_ACCOUNTS = Array.from({ length: 8 }, (_, i) => BigInt(0xc01d_0000 + i));

/**
 * A call that succeeds if there is gas for about ten simple questions. It comes last: if it fails, the failures before it may be due to a
 * lack of gas.
 */
export function gasCanary(multicall: Address): ContractCall {
  const questions = COLD_ACCOUNTS.map((account) => ({ to: multicall, data: callData("getEthBalance(address)", account) }));
  return { to: multicall, data: encodeAggregate(questions) };
}
