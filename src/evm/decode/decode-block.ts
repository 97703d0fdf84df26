/**
 * Derives what a validated block did: transfers, internal transactions, deployments and balances of wrapped tokens. Pure. The caller asks
 * contracts beforehand if logs do not determine their kind (`doubtfulTokens`).
 */
import type { Address, CallFrame, EvmBlock, EvmTransaction } from "../../sources/evm/parser/block.ts";
import type {
  BalanceChange,
  Deployment,
  EvmFacts,
  Internal,
  InternalType,
  MetToken,
  TokenClass,
  TransactionFacts,
  Transfer,
} from "../facts.ts";
import { icmEventsOf } from "./icm-logs.ts";
import {
  consecutiveAllowance,
  consecutiveTransfers,
  isConsecutiveTransfer,
  isDoubtfulTransfer,
  loggedId,
  transfersOf,
  withoutTransfers,
  wrappedChange,
} from "./token-logs.ts";

/** A contract whose logs are ambiguous, or may move balances. */
export interface DoubtfulContract {
  readonly address: Address;
  /** the ID in a four-topic transfer: a contract that has an owner for it is a collection */
  readonly loggedId: bigint | undefined;
}

/** Contracts whose class `decodeBlock` will ask for, each once. */
export function doubtfulTokens(block: EvmBlock): DoubtfulContract[] {
  const found = new Map<Address, bigint | undefined>();
  for (const { logs } of block.transactions) {
    for (const log of logs) {
      if (!isDoubtfulTransfer(log) && wrappedChange(log) === undefined) continue;
      // keep the last ID, since contracts are asked at the state after the block
      found.set(log.address, loggedId(log) ?? found.get(log.address));
    }
  }
  return [...found].map(([address, id]) => ({ address, loggedId: id }));
}

/** @param classOf class of a contract that was asked; an unknown one is classified by its logs, as an NFT rather than an amount */
export function decodeBlock(block: EvmBlock, classOf: (token: Address) => TokenClass | undefined): EvmFacts {
  const tokens = new Map<Address, MetToken>();
  const transactions = block.transactions.map((transaction) => decodeTransaction(transaction, classOf, tokens));
  return { block, transactions, tokens: [...tokens.values()], icm: icmEventsOf(block) };
}

function decodeTransaction(
  transaction: EvmTransaction,
  classOf: (token: Address) => TokenClass | undefined,
  tokens: Map<Address, MetToken>,
): TransactionFacts {
  const transfers: Transfer[] = [];
  const changes: BalanceChange[] = [];
  let allowance = consecutiveAllowance(transaction.gasUsed);
  for (const log of transaction.logs) {
    if (isConsecutiveTransfer(log)) {
      const moved = consecutiveTransfers(log, allowance);
      allowance -= BigInt(moved.length);
      for (const transfer of moved) transfers.push(transfer);
      meet(tokens, log.address, undefined, moved[0]);
      continue;
    }
    const change = wrappedChange(log);
    const tokenClass = change !== undefined || isDoubtfulTransfer(log) ? classOf(log.address) : undefined;
    if (change !== undefined && tokenClass?.isWrapped) changes.push(change);
    const found = transfersOf(log, tokenClass);
    for (const transfer of found) transfers.push(transfer);
    meet(tokens, log.address, tokenClass, found[0]);
  }
  return {
    transaction,
    transfers,
    internals: internalsOf(transaction),
    deployments: deploymentsOf(transaction),
    destroyed: destroyedIn(transaction),
    balanceChanges: withoutTransfers(changes, transfers),
  };
}

function meet(tokens: Map<Address, MetToken>, token: Address, tokenClass: TokenClass | undefined, transfer: Transfer | undefined): void {
  const known = tokens.get(token);
  if (known?.isClassed || (tokenClass === undefined && (transfer === undefined || known !== undefined))) return;
  if (tokenClass !== undefined) tokens.set(token, { token, kind: tokenClass.kind, isWrapped: tokenClass.isWrapped, isClassed: true });
  else tokens.set(token, { token, kind: transfer!.kind, isWrapped: false, isClassed: false });
}

// Derives from call frames the internal transactions, as the Data API lists them (data-api 5.2), and the created contracts.

/**
 * Returns calls with a value, and all creations. A DELEGATECALL is left out: it shows the value of the call that it runs in, and moves
 * nothing.
 */
function internalsOf({ frames }: EvmTransaction): readonly Internal[] {
  const internals: Internal[] = [];
  for (const { type, from, to, value, isReverted, gasLimit, gasUsed } of frames) {
    if (isListed(type, value)) internals.push({ type, from, to, value, isReverted, gasLimit, gasUsed });
  }
  return internals;
}

function isListed(type: CallFrame["type"], value: bigint): type is InternalType {
  return type === "CREATE" || type === "CREATE2" || ((type === "CALL" || type === "CALLCODE") && value > 0n);
}

/**
 * Returns the transaction's own deployment first, then others in pre-order, without failed and reverted ones. Without traces only the
 * transaction's own is known.
 */
function deploymentsOf({ from, to, created, isSuccess, frames }: EvmTransaction): readonly Deployment[] {
  if (!isSuccess) return [];
  const deployments: Deployment[] = [];
  if (to === undefined && created !== undefined) deployments.push({ contract: created, deployer: from, factory: undefined });
  for (const frame of frames) {
    if (frame.isReverted || (frame.type !== "CREATE" && frame.type !== "CREATE2")) continue;
    deployments.push({ contract: frame.to, deployer: from, factory: frame.from });
  }
  return deployments;
}

/** Contracts that executed SELFDESTRUCT; unknown without traces. */
function destroyedIn({ frames }: EvmTransaction): readonly Address[] {
  return frames.flatMap(({ type, isReverted, from }) => (type === "SELFDESTRUCT" && !isReverted ? [from] : []));
}
