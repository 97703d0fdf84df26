/** Methods of anvil by which tests set balances and allowances of ERC-20 tokens: they set the slot from which the contract answers. */

import type { ShortId } from "../../../base/bytes/id.ts";
import { callData, word } from "../../../evm/abi.ts";
import { type CheatMethod, type DevnetOfTests, done } from "./cheat-method.ts";
import { addressOf, invalid, whole } from "./cheat-params.ts";

const MOST_256 = 2n ** 256n - 1n;

export const tokenMethods: readonly (readonly [string, CheatMethod])[] = [
  ...done(["anvil_dealERC20", "hardhat_dealERC20", "anvil_setERC20Balance"], (devnet, [holder, token, amount]) =>
    setAnswer(devnet, {
      token: addressOf(token, "the token"),
      question: callData("balanceOf(address)", addressOf(holder, "the holder")),
      value: whole(amount, "the balance", MOST_256),
      what: "balance",
    }),
  ),
  ...done(["anvil_setERC20Allowance"], (devnet, [owner, spender, token, amount]) =>
    setAnswer(devnet, {
      token: addressOf(token, "the token"),
      question: callData("allowance(address,address)", addressOf(owner, "the owner"), addressOf(spender, "the spender")),
      value: whole(amount, "the allowance", MOST_256),
      what: "allowance",
    }),
  ),
];

interface Answer {
  readonly token: ShortId;
  /** input of a call, `0x…` */
  readonly question: string;
  readonly value: bigint;
  readonly what: string;
}

async function setAnswer({ evmControls }: DevnetOfTests, { token, question, value, what }: Answer): Promise<void> {
  const slot = await evmControls.answeringSlot(token, question);
  if (slot === undefined) throw invalid(`0x${token} keeps the ${what} in no slot of its own that could be set`);
  await evmControls.edit([{ kind: "storage", address: token, slot, value: word(value) }]);
}
