/** Deposits and withdrawals of wrapped native tokens (WETH9's events). They change balances, but are not transfers. */
import type { EvmLog } from "../../sources/evm/parser/block.ts";
import { type BalanceChange, ERC20, type Transfer } from "../facts.ts";
import { addressOfWord, eventTopic, numberOfWord, words, ZERO_ADDRESS } from "./log-words.ts";

const DEPOSIT = eventTopic("Deposit(address,uint256)");
const WITHDRAWAL = eventTopic("Withdrawal(address,uint256)");

/** Undefined: the log has another form. Many contracts have such events; only a contract's class says whether they move balances. */
export function wrappedChange({ address, topics, data }: EvmLog): BalanceChange | undefined {
  const isDeposit = topics[0] === DEPOSIT;
  if (topics.length !== 2 || !(isDeposit || topics[0] === WITHDRAWAL)) return undefined;
  const holder = addressOfWord(topics[1]!);
  const [amount] = words(data, 1) ?? [];
  if (holder === undefined || amount === undefined) return undefined;
  const value = numberOfWord(amount);
  return { token: address, holder, change: isDeposit ? value : -value };
}

/**
 * Drops changes that a transfer in the same transaction already shows: some wrapped tokens also emit a Transfer from or to the zero
 * address. Changes and transfers are paired one to one, by contract, holder and amount.
 */
export function withoutTransfers(changes: readonly BalanceChange[], transfers: readonly Transfer[]): readonly BalanceChange[] {
  if (changes.length === 0) return changes;
  const told = new Map<string, number>();
  for (const { kind, token, from, to, value } of transfers) {
    if (kind !== ERC20) continue;
    if (from === ZERO_ADDRESS) count(told, `${token}${to}${value}`, 1);
    if (to === ZERO_ADDRESS) count(told, `${token}${from}${-value}`, 1);
  }
  return changes.filter(({ token, holder, change }) => {
    const name = `${token}${holder}${change}`;
    const isTold = (told.get(name) ?? 0) > 0;
    if (isTold) count(told, name, -1);
    return !isTold;
  });
}

function count(counts: Map<string, number>, name: string, change: number): void {
  counts.set(name, (counts.get(name) ?? 0) + change);
}
