/**
 * What a validated block did: transfers, internal transactions, deployments and balances of wrapped tokens. Pure; what logs leave open about
 * a contract is asked by the caller beforehand (`doubtfulTokens`).
 */
import type { Address, EvmBlock, EvmTransaction } from "../block.ts";
import type { BalanceChange, EvmFacts, MetToken, TokenClass, TransactionFacts, Transfer } from "../facts.ts";
import { deploymentsOf, internalsOf } from "./frames.ts";
import { isDoubtfulTransfer, transfersOf } from "./token-logs.ts";
import { withoutTransfers, wrappedChange } from "./wrapped-logs.ts";

/** Contracts whose class `decodeBlock` will ask for, each once: some log of theirs can be read in several ways, or may move balances. */
export function doubtfulTokens(block: EvmBlock): Address[] {
  const found = new Set<Address>();
  for (const { logs } of block.transactions) {
    for (const log of logs) if (isDoubtfulTransfer(log) || wrappedChange(log) !== undefined) found.add(log.address);
  }
  return [...found];
}

/** @param classOf of contracts that were asked; what is unknown is taken for what its logs look like, an NFT rather than an amount */
export function decodeBlock(block: EvmBlock, classOf: (token: Address) => TokenClass | undefined): EvmFacts {
  const tokens = new Map<Address, MetToken>();
  const transactions = block.transactions.map((transaction) => decodeTransaction(transaction, classOf, tokens));
  return { block, transactions, tokens: [...tokens.values()] };
}

function decodeTransaction(
  transaction: EvmTransaction,
  classOf: (token: Address) => TokenClass | undefined,
  tokens: Map<Address, MetToken>,
): TransactionFacts {
  const transfers: Transfer[] = [];
  const changes: BalanceChange[] = [];
  for (const log of transaction.logs) {
    const change = wrappedChange(log);
    const tokenClass = change !== undefined || isDoubtfulTransfer(log) ? classOf(log.address) : undefined;
    if (change !== undefined && tokenClass?.isWrapped) changes.push(change);
    const found = transfersOf(log, tokenClass);
    transfers.push(...found);
    meet(tokens, log.address, tokenClass, found[0]);
  }
  return {
    transaction,
    transfers,
    internals: internalsOf(transaction),
    deployments: deploymentsOf(transaction),
    balanceChanges: withoutTransfers(changes, transfers),
  };
}

function meet(tokens: Map<Address, MetToken>, token: Address, tokenClass: TokenClass | undefined, transfer: Transfer | undefined): void {
  const known = tokens.get(token);
  if (known?.isClassed || (tokenClass === undefined && (transfer === undefined || known !== undefined))) return;
  if (tokenClass !== undefined) tokens.set(token, { token, kind: tokenClass.kind, isWrapped: tokenClass.isWrapped, isClassed: true });
  else tokens.set(token, { token, kind: transfer!.kind, isWrapped: false, isClassed: false });
}
