/** What a block of an EVM chain did, as the index keeps it. Made by `decode/` from a validated block; pure and deterministic. */
import type { Address, EvmBlock, EvmTransaction } from "./block.ts";

/** As tables number them. */
export const ERC20 = 20;
export const ERC721 = 21;
export const ERC1155 = 55;
export type TransferKind = typeof ERC20 | typeof ERC721 | typeof ERC1155;

/** What a contract is, as far as logs cannot tell: asked once, when the first log that is open to doubt is met (`tokens/`). */
export interface TokenClass {
  /** undefined: no token */
  readonly kind: TransferKind | undefined;
  /** `Deposit` and `Withdrawal` move its balances, without a Transfer */
  readonly isWrapped: boolean;
}

export interface EvmFacts {
  readonly block: EvmBlock;
  readonly transactions: readonly TransactionFacts[];
  /** contracts whose logs were read as those of tokens, each once, in the order in which they were met */
  readonly tokens: readonly MetToken[];
}

export interface MetToken {
  readonly token: Address;
  /** as the contract was classed, else as its first log has it */
  readonly kind: TransferKind | undefined;
  readonly isWrapped: boolean;
  /** false: its logs left no doubt, nobody asked the contract */
  readonly isClassed: boolean;
}

export interface TransactionFacts {
  readonly transaction: EvmTransaction;
  /** in log order, batches flattened */
  readonly transfers: readonly Transfer[];
  /** what the Data API lists: CALL and CALLCODE with value, CREATE, CREATE2; in pre-order */
  readonly internals: readonly Internal[];
  /** contracts that exist because of it (no reverted ones), in pre-order, its own first */
  readonly deployments: readonly Deployment[];
  /** balances that change without a transfer: of wrapped tokens */
  readonly balanceChanges: readonly BalanceChange[];
}

export interface Transfer {
  readonly kind: TransferKind;
  readonly token: Address;
  /** the zero address mints */
  readonly from: Address;
  /** the zero address burns */
  readonly to: Address;
  /** 0 for ERC-20 */
  readonly tokenId: bigint;
  /** base units; 1 for ERC-721 */
  readonly value: bigint;
  /** in the block */
  readonly logIndex: number;
  /** in a TransferBatch, else 0 */
  readonly batchIndex: number;
}

export type InternalType = "CALL" | "CALLCODE" | "CREATE" | "CREATE2";

export interface Internal {
  readonly type: InternalType;
  readonly from: Address;
  readonly to: Address;
  /** wei */
  readonly value: bigint;
  readonly isReverted: boolean;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
}

export interface Deployment {
  readonly contract: Address;
  /** sender of the transaction */
  readonly deployer: Address;
  /** the contract that made it, where that was not the transaction itself */
  readonly factory: Address | undefined;
}

export interface BalanceChange {
  readonly token: Address;
  readonly holder: Address;
  /** base units; below zero for a withdrawal */
  readonly change: bigint;
}
