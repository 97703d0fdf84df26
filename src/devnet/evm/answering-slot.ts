/** Finds the slot of a contract's storage from which it answers a question, such as a token's balance of an address. */

import type { Id, ShortId } from "../../base/bytes/id.ts";
import { word } from "../../evm/abi.ts";
import { EvmRequestError } from "../anvil/evm-error.ts";
import type { EvmNode } from "../anvil/evm-node.ts";

/** Most slots that are tried. A balance behind a proxy is among the first few. */
const MOST_SLOTS = 32;

interface AccessList {
  readonly accessList: readonly { readonly address: string; readonly storageKeys: readonly string[] }[];
}

/**
 * Tries each slot that the question reads: it is the one if the answer is whatever the slot is said to hold. Returns undefined if there is
 * none.
 * @param data input of a call, `0x…`
 */
export async function answeringSlot(evm: Pick<EvmNode, "request">, contract: ShortId, data: string): Promise<Id | undefined> {
  const question = { to: `0x${contract}`, data };
  const slots = (await slotsRead(evm, question)) ?? [];
  for (const slot of slots.slice(0, MOST_SLOTS)) {
    const answers = [1n, 2n].map((probe) => answerWith(evm, question, slot, `0x${word(probe)}`));
    if ((await Promise.all(answers)).every((isIt) => isIt)) return slot.slice(2);
  }
  return undefined;
}

/** Slots of the contract itself. */
async function slotsRead(evm: Pick<EvmNode, "request">, question: { to: string }): Promise<string[] | undefined> {
  const answer = await unlessRefused(evm.request("eth_createAccessList", [question, "latest"]));
  const entries = (answer as AccessList | undefined)?.accessList.filter(({ address }) => address.toLowerCase() === question.to);
  return entries?.flatMap(({ storageKeys }) => storageKeys);
}

async function answerWith(evm: Pick<EvmNode, "request">, question: { to: string }, slot: string, value: string): Promise<boolean> {
  return (
    (await unlessRefused(evm.request("eth_call", [question, "latest", { [question.to]: { stateDiff: { [slot]: value } } }]))) === value
  );
}

/** A contract that reverts answers nothing. */
async function unlessRefused(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof EvmRequestError) return undefined;
    throw error;
  }
}
