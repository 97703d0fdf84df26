/**
 * Issues on the C-chain: the mempool of atomic transactions, and blocks of them and of the EVM transactions in the child's pool.
 * A block is sealed by the child; what it moves between chains is executed by Firn like any other block.
 */
import type { EvmChain } from "../atomic/evm-chain.ts";
import { type AtomicTx, parseAtomicTx } from "../atomic/tx.ts";
import type { BuildContext, BuiltBlock, ChainIssuer, PendingStatus } from "../mempool/issuer.ts";
import type { ExecutionContext } from "../network/execution.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { Id } from "../primitives/id.ts";
import type { RowKey, View } from "../primitives/view.ts";
import type { DevelopmentEvm } from "./development-evm.ts";

export interface EvmIssuerParts {
  readonly network: NetworkInstance;
  readonly chain: EvmChain;
  readonly view: View;
  readonly evm: DevelopmentEvm;
}

export class EvmIssuer implements ChainIssuer<AtomicTx> {
  readonly #parts: EvmIssuerParts;

  constructor(parts: EvmIssuerParts) {
    this.#parts = parts;
  }

  get chainId(): Id {
    return this.#parts.network.cChainId;
  }

  parse(bytes: Uint8Array): AtomicTx {
    return parseAtomicTx(bytes);
  }

  admissionKeys(tx: AtomicTx): RowKey[] {
    return this.#parts.chain.txKeysRead(tx);
  }

  /** Reads the accounts that exports pay from. */
  async prepare(_txs: readonly AtomicTx[]): Promise<void> {}

  admit(_tx: AtomicTx, _context: ExecutionContext): void {}

  buildKeys(): RowKey[] {
    return [];
  }

  async build(_context: BuildContext): Promise<BuiltBlock | undefined> {
    return undefined;
  }

  accepted(_block: BuiltBlock): void {}

  drop(_txIds: readonly Id[], _reason: string): void {}

  nextChange(): undefined {
    return undefined;
  }

  status(_txId: Id): PendingStatus | undefined {
    return undefined;
  }

  clear(): void {}
}
