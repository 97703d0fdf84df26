/**
 * Issues transactions on the C-chain: keeps the mempool of atomic transactions, and builds blocks from it and from the child's pool. The
 * child seals a block; Firn executes its atomic transactions like those of any other block.
 */

import { formatEvmAddress } from "../../../base/bytes/evm-address.ts";
import type { Id, ShortId } from "../../../base/bytes/id.ts";
import type { RowKey } from "../../../base/table/view.ts";
import type { CChain } from "../../../chains/atomic/chain.ts";
import { type AtomicExport, type AtomicTx, parseAtomicTx } from "../../../chains/atomic/tx.ts";
import { amountsOf, atomicFee, gasUsed } from "../../../chains/atomic/verify.ts";
import type { AdmitOptions, BuildContext, BuiltBlock, ChainIssuer, PendingStatus } from "../../../chains/mempool/issuer.ts";
import { type ExecutionContext, RuleError } from "../../../network/execution.ts";
import { isActive, type NetworkInstance } from "../../../network/network.ts";
import { type Accounts, applyTo, NAVAX, touchedBy } from "../accounts.ts";
import type { DevelopmentEvm } from "../development-evm.ts";
import { EvmDownError } from "../evm-error.ts";
import { type PlatformView, predicateVerifier } from "../precompiles/verify-predicate.ts";
import { withChild } from "../with-child.ts";
import { AtomicMempool, corethPool, inputsOf, type PooledTx, saevmPool } from "./atomic-mempool.ts";

interface EvmIssuerParts {
  readonly network: NetworkInstance;
  readonly chain: CChain;
  readonly evm: DevelopmentEvm;
  /** whose validators sign warp messages */
  readonly platform: PlatformView;
  /** whether a block is made only if `wantBlock` asks for it */
  holdsBlocks(): boolean;
}

/** Before Helicon: the limit for a transaction and for all of a block. */
const CORETH_GAS = 100_000n;
const CORETH_BYTES = 40 * 1024;
/** Since Helicon: the limit for a transaction, which every block can hold. */
const SAEVM_GAS = 1_000_000n;
/** Since Helicon: the limit for all of a block. The node shares the block's gas with EVM transactions; here those have their own. */
const SAEVM_BLOCK_GAS = 10_000_000n;

export class EvmIssuer implements ChainIssuer<AtomicTx> {
  readonly #parts: EvmIssuerParts;
  readonly #mempool = new AtomicMempool();
  /** accounts that exports of this round pay from */
  #accounts: Accounts = new Map();

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

  /** Reads the accounts that exports pay from. Without them exports are refused, but imports are not. */
  async prepare(txs: readonly AtomicTx[]): Promise<void> {
    const addresses = exporters(txs);
    this.#accounts = new Map();
    if (addresses.length === 0) return;
    this.#accounts = (await withChild(this.#parts.evm, () => this.#parts.evm.sealing.accounts(addresses))) ?? new Map();
  }

  admit(tx: AtomicTx, context: ExecutionContext, { skipsMempoolRules = false }: AdmitOptions = {}): void {
    if (this.#mempool.has(tx.id)) return;
    const { chain, evm, network } = this.#parts;
    const isHelicon = this.#isHelicon;
    const pooled = this.#pooled(tx);
    if (!skipsMempoolRules && !isHelicon) verifyCorethLimits(pooled);
    chain.verifyTx(tx, context, { baseFee: evm.sealing.baseFeeAt(context.clock) });
    if (!skipsMempoolRules && isHelicon && pooled.gas > SAEVM_GAS) {
      throw new RuleError("tx-gas", `gas exceeds minimum gas target: ${pooled.gas} > ${SAEVM_GAS}`);
    }
    if (exporters([tx]).some((address) => !this.#accounts.has(address))) {
      throw new EvmDownError(evm.health().problem ?? "the C-chain's EVM did not answer");
    }
    verifyAccounts(tx, this.#accounts, network.avaxAssetId, { isHelicon });
    this.#mempool.add(pooled, isHelicon ? saevmPool : corethPool);
  }

  buildKeys(): RowKey[] {
    return this.#candidates().flatMap(({ tx }) => this.#parts.chain.txKeysRead(tx));
  }

  /** Without a child no block is built; when one starts, it asks for a round. */
  async build(context: BuildContext): Promise<BuiltBlock | undefined> {
    const { evm, holdsBlocks } = this.#parts;
    const isDue = evm.isBlockWanted || (!holdsBlocks() && (this.#mempool.size > 0 || evm.sealing.hasPooled));
    return isDue ? withChild(evm, () => this.#build(context)) : undefined;
  }

  accepted({ txIds }: BuiltBlock): void {
    this.#parts.evm.forgetWishes();
    this.#mempool.accepted(txIds);
  }

  drop(txIds: readonly Id[], reason: string): void {
    for (const txId of txIds) this.#mempool.drop(txId, reason);
  }

  nextChange(): undefined {
    return undefined;
  }

  status(txId: Id): PendingStatus | undefined {
    const pooled = this.#mempool.get(txId);
    if (pooled !== undefined) return { kind: "processing", bytes: pooled.tx.bytes };
    const reason = this.#mempool.dropReason(txId);
    return reason === undefined ? undefined : { kind: "dropped", reason };
  }

  clear(): void {
    this.#parts.evm.forgetWishes();
    this.#mempool.clear();
  }

  async #build(context: BuildContext): Promise<BuiltBlock | undefined> {
    const { evm, chain } = this.#parts;
    const candidates = this.#candidates();
    const timestamp = evm.timeOfNext(context.clock, chain.progress?.timestamp ?? 0n);
    const chosen = await this.#choose(candidates, context, timestamp);
    const mayBeEmpty = evm.isBlockWanted;
    if (chosen.length === 0 && !evm.sealing.hasPooled && !mayBeEmpty) return undefined;
    const sealed = await evm.sealing.seal(timestamp, chosen, {
      mayBeEmpty,
      verifyWarp: predicateVerifier(evm.spec, this.#parts.platform, context),
    });
    return sealed && { ...sealed, timestamp, isOption: false, txIds: chosen.map(({ id }) => id) };
  }

  /** As many transactions as a block can hold, valid or not. */
  #candidates(): PooledTx[] {
    const [mostGas, mostBytes] = this.#isHelicon ? [SAEVM_BLOCK_GAS, Number.POSITIVE_INFINITY] : [CORETH_GAS, CORETH_BYTES];
    const candidates: PooledTx[] = [];
    let [gas, bytes] = [0n, 0];
    for (const one of this.#mempool.best()) {
      gas += one.gas;
      bytes += one.size;
      if (gas > mostGas || bytes > mostBytes) break;
      candidates.push(one);
    }
    return candidates;
  }

  /** Chooses those that are valid one after the other on the last block, and drops those that never will be. */
  async #choose(candidates: readonly PooledTx[], context: BuildContext, timestamp: bigint): Promise<AtomicTx[]> {
    const { evm, chain, network } = this.#parts;
    const accounts = await evm.sealing.accounts(candidates.flatMap(({ tx }) => touchedBy(tx)));
    const baseFee = evm.sealing.baseFeeAt(timestamp);
    const chosen: AtomicTx[] = [];
    for (const { id, tx } of candidates) {
      // the transaction stays in the pool for a cheaper block, as on the node
      if (this.#isHelicon && burnedBy(tx) < atomicFee(tx, { network, timestamp, baseFee })) continue;
      try {
        chain.verifyTx(tx, context, { baseFee });
        verifyAccounts(tx, accounts, network.avaxAssetId, { isHelicon: this.#isHelicon });
      } catch (error) {
        if (!(error instanceof RuleError)) throw error;
        this.#mempool.drop(id, error.message);
        continue;
      }
      applyTo(accounts, tx, network.avaxAssetId);
      chosen.push(tx);
    }
    return chosen;
  }

  #pooled(tx: AtomicTx): PooledTx {
    const { network, chain } = this.#parts;
    const gas = gasUsed(tx, { network, timestamp: chain.progress?.timestamp ?? 0n, baseFee: undefined });
    return { id: tx.id, size: tx.bytes.length, inputs: inputsOf(tx), tx, gas, gasPrice: (burnedBy(tx) * NAVAX) / gas };
  }

  /** The last block's time decides which pool's rules apply. */
  get #isHelicon(): boolean {
    return isActive(this.#parts.network, "helicon", this.#parts.chain.progress?.timestamp ?? 0n);
  }
}

function verifyCorethLimits({ size, gas }: PooledTx): void {
  if (size > CORETH_BYTES) throw new RuleError("tx-size", `tx size (${size}) exceeds total atomic txs size target (${CORETH_BYTES})`);
  if (gas <= CORETH_GAS) return;
  throw new RuleError("tx-gas", `tx gas usage (${gas}) exceeds maximum allowed mempool gas usage (${CORETH_GAS})`);
}

/** In nAVAX; negative for transactions that are refused anyway. */
function burnedBy({ unsigned }: AtomicTx): bigint {
  const { inputs, outputs } = amountsOf(unsigned);
  return inputs.reduce((sum, { amount }) => sum + amount, 0n) - outputs.reduce((sum, { amount }) => sum + amount, 0n);
}

function exporters(txs: readonly AtomicTx[]): string[] {
  return txs.filter(({ unsigned }) => unsigned.kind === "ExportTx").flatMap(touchedBy);
}

/** Checks that EVM accounts can pay for exports, with the node's texts: coreth's before Helicon, saevm's since. */
function verifyAccounts({ unsigned }: AtomicTx, accounts: Accounts, avaxAssetId: Id, { isHelicon }: { isHelicon: boolean }): void {
  if (unsigned.kind === "ImportTx") return;
  if (isHelicon) verifyDebits(unsigned, accounts, avaxAssetId);
  else verifyInputs(unsigned, accounts, avaxAssetId);
}

/** coreth debits the inputs one after the other. */
function verifyInputs({ inputs }: AtomicExport, accounts: Accounts, avaxAssetId: Id): void {
  const left = new Map([...accounts].map(([address, { balance }]) => [address, balance]));
  for (const { address, assetId, amount, nonce } of inputs) {
    // no other asset can be in an account, because it cannot be imported
    const balance = (assetId === avaxAssetId ? left.get(address)! : 0n) - amount * NAVAX;
    if (balance < 0n) throw new RuleError("insufficient-funds", "insufficient funds");
    left.set(address, balance);
    if (accounts.get(address)!.nonce !== nonce) throw new RuleError("invalid-nonce", "invalid nonce");
  }
}

/** saevm debits the sum of all inputs from each account at once. */
function verifyDebits({ inputs }: AtomicExport, accounts: Accounts, avaxAssetId: Id): void {
  const debits = new Map<ShortId, { nonce: bigint; amount: bigint }>();
  for (const { address, assetId, amount, nonce } of inputs) {
    const debit = debits.get(address) ?? { nonce, amount: 0n };
    if (debit.nonce !== nonce) {
      const text = `as op: multiple nonces for address: address ${formatEvmAddress(address)} has nonces ${debit.nonce} and ${nonce}`;
      throw new RuleError("invalid-nonce", text);
    }
    debits.set(address, { nonce, amount: debit.amount + (assetId === avaxAssetId ? amount * NAVAX : 0n) });
  }
  for (const [address, debit] of debits) {
    const { nonce, balance } = accounts.get(address)!;
    const who = `address ${formatEvmAddress(address)}`;
    if (nonce !== debit.nonce) {
      throw new RuleError("invalid-nonce", `state verification: nonce mismatch: ${who} has nonce ${nonce} but needs ${debit.nonce}`);
    }
    if (balance >= debit.amount) continue;
    const text = `state verification: insufficient funds: ${who} has balance ${balance} but needs ${debit.amount}`;
    throw new RuleError("insufficient-funds", text);
  }
}
