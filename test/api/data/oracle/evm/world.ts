/** An EVM chain, derived from a node's answers with simple loops: blocks with their transactions and effects. */
import { getContractAddress } from "viem";
import { authorizedBy } from "./authorizations.ts";
import type { BlockAnswers, RawBlock, RawFrame, RawReceipt, RawTransaction } from "./chain-answers.ts";
import { Frames, type OracleDeployment, type OracleInternal } from "./frames.ts";
import { type Doubts, type OracleTransfer, transfersIn, type WrappedChange, wrappedChange } from "./token-logs.ts";

export interface OracleTransaction {
  readonly raw: RawTransaction;
  readonly receipt: RawReceipt;
  readonly trace: RawFrame;
  readonly block: OracleBlock;
  readonly index: number;
  readonly from: string;
  /** of a creation the contract, also of one that failed */
  readonly to: string;
  readonly transfers: readonly OracleTransfer[];
  readonly internals: readonly OracleInternal[];
  readonly deployments: readonly OracleDeployment[];
  readonly wrapped: readonly WrappedChange[];
}

export interface OracleBlock {
  readonly raw: RawBlock;
  readonly height: number;
  readonly transactions: OracleTransaction[];
  /** of the chain, this block's included */
  readonly transactionsSoFar: number;
}

export async function readWorld(answers: readonly BlockAnswers[], doubts: Doubts): Promise<OracleBlock[]> {
  const frames = new Frames();
  const blocks: OracleBlock[] = [];
  let transactionsSoFar = 0;
  for (const { block: raw, receipts, traces, salts, nonces } of answers) {
    frames.know(nonces);
    transactionsSoFar += raw.transactions.length;
    const block: OracleBlock = { raw, height: Number(raw.number), transactions: [], transactionsSoFar };
    for (const [index, transaction] of raw.transactions.entries()) {
      const receipt = receipts[index]!;
      const from = transaction.from.toLowerCase();
      const created = transaction.to === null ? createdBy(from, transaction) : undefined;
      const transfers: OracleTransfer[] = [];
      frames.begin(from, BigInt(transaction.nonce), await authorizedBy(transaction));
      const ranged = { left: Math.floor(Number(receipt.gasUsed) / 250) };
      for (const log of receipt.logs) transfers.push(...(await transfersIn(log, doubts, ranged)));
      block.transactions.push({
        raw: transaction,
        receipt,
        trace: traces[index]!,
        block,
        index,
        from,
        to: created ?? transaction.to!.toLowerCase(),
        transfers,
        ...frames.read(traces[index]!, created, salts.get(transaction.hash)),
        wrapped: await wrappedIn(receipt, transfers, doubts),
      });
    }
    blocks.push(block);
  }
  return blocks;
}

function createdBy(from: string, { nonce }: RawTransaction): string {
  return getContractAddress({ from: from as `0x${string}`, nonce: BigInt(nonce) }).toLowerCase();
}

/** Deposits and withdrawals that no transfer of the same transaction tells too. */
async function wrappedIn({ logs }: RawReceipt, transfers: readonly OracleTransfer[], doubts: Doubts): Promise<WrappedChange[]> {
  const zero = `0x${"0".repeat(40)}`;
  const told = transfers.filter(({ from, to }) => from === zero || to === zero);
  const changes: WrappedChange[] = [];
  for (const log of logs) {
    const change = wrappedChange(log);
    if (change === undefined || !(await doubts.isWrapped(change.token))) continue;
    const at = told.findIndex(({ token, from, to, value }) => {
      const isSame = change.change > 0n ? from === zero && to === change.holder : to === zero && from === change.holder;
      return isSame && token === change.token && value === (change.change < 0n ? -change.change : change.change);
    });
    if (at === -1) changes.push(change);
    else told.splice(at, 1);
  }
  return changes;
}
