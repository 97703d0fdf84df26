/** What a block of an EVM chain did, as the index stores it. `decode/` makes it from a validated block; pure and deterministic. */
import type { Id } from "../base/bytes/id.ts";
import type { Address, EvmBlock, EvmTransaction } from "../sources/evm/parser/block.ts";

/** The numbers of the standards in tables. */
export const ERC20 = 20;
export const ERC721 = 21;
export const ERC1155 = 55;
export type TransferKind = typeof ERC20 | typeof ERC721 | typeof ERC1155;
export const KINDS: readonly TransferKind[] = [ERC20, ERC721, ERC1155];

/** The class of a contract, as far as logs do not show it. It is asked once, at the first ambiguous log (`tokens/`). */
export interface TokenClass {
  /** undefined: not a token */
  readonly kind: TransferKind | undefined;
  /** whether its `Deposit` and `Withdrawal` events move balances without a Transfer */
  readonly isWrapped: boolean;
}

export interface EvmFacts {
  readonly block: EvmBlock;
  readonly transactions: readonly TransactionFacts[];
  /** contracts whose logs were read as those of tokens, each once, in order of their first log */
  readonly tokens: readonly MetToken[];
  /** events of messengers, in their order */
  readonly icm: readonly IcmEvent[];
}

export interface MetToken {
  readonly token: Address;
  /** the contract's class, or else the kind of its first log */
  readonly kind: TransferKind | undefined;
  readonly isWrapped: boolean;
  /** false: its logs were unambiguous, so the contract was not asked */
  readonly isClassed: boolean;
}

export interface TransactionFacts {
  readonly transaction: EvmTransaction;
  /** in log order; batches are expanded */
  readonly transfers: readonly Transfer[];
  /** what the Data API lists: CALL and CALLCODE with value, CREATE, CREATE2; in pre-order */
  readonly internals: readonly Internal[];
  /** contracts that the transaction created (without reverted ones), in pre-order, its own first */
  readonly deployments: readonly Deployment[];
  /** contracts that destroyed themselves, or tried to (since Cancun most stay; EIP-6780), without reverted frames */
  readonly destroyed: readonly Address[];
  /** changes of wrapped tokens' balances without a transfer */
  readonly balanceChanges: readonly BalanceChange[];
}

export interface Transfer {
  readonly kind: TransferKind;
  readonly token: Address;
  /** the zero address: minted */
  readonly from: Address;
  /** the zero address: burned */
  readonly to: Address;
  /** 0 for ERC-20 */
  readonly tokenId: bigint;
  /** base units; 1 for ERC-721 */
  readonly value: bigint;
  /** index in the block */
  readonly logIndex: number;
  /** index in a TransferBatch or a ConsecutiveTransfer, otherwise 0 */
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
  /** the contract that created it, unless the transaction itself did */
  readonly factory: Address | undefined;
}

export interface BalanceChange {
  readonly token: Address;
  readonly holder: Address;
  /** base units; below zero for a withdrawal */
  readonly change: bigint;
}

// Interchain messages (ICM).

/** The messenger's events, in the order of their numbers in rows that cross threads. */
export const ICM_EVENTS = ["sent", "feeAdded", "receiptReceived", "received", "executed", "executionFailed"] as const;
export type IcmEventKind = (typeof ICM_EVENTS)[number];

/** The part of a TeleporterMessage that clients see. */
export interface IcmMessage {
  readonly nonce: bigint;
  readonly from: Address;
  readonly to: Address;
  readonly receipts: { readonly nonce: bigint; readonly relayer: Address }[];
  readonly data: Uint8Array;
}

/** Members that an event does not have are zero. */
export interface IcmEvent {
  readonly kind: IcmEventKind;
  /** of the transaction */
  readonly index: number;
  readonly messenger: Address;
  readonly messageId: Id;
  /** blockchain ID of the other side; zero for `feeAdded` */
  readonly peer: Id;
  readonly feeToken: Address;
  readonly fee: bigint;
  readonly deliverer: Address;
  readonly rewardRedeemer: Address;
  /** of `sent` and `received` */
  readonly message: IcmMessage | undefined;
}
