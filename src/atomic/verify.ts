/**
 * Checks of atomic transactions that need no EVM state (chain-formats 9.3). Which apply depends on the time of the block.
 * Balances and nonces of EVM accounts are the EVM's affair. Texts are the node's.
 */
import { type ExecutionContext, RuleError } from "../network/execution.ts";
import { isActive, type NetworkInstance, type UpgradeName } from "../network/network.ts";
import { encodeAll } from "../primitives/codec/codec.ts";
import { EMPTY_ID, type Id, PLATFORM_CHAIN_ID } from "../primitives/id.ts";
import { utxoId } from "../primitives/utxo-id.ts";
import type { SharedMemory } from "./shared-memory.ts";
import { signingAccount, verifySpend } from "./spend.ts";
import { type AtomicExport, type AtomicImport, type AtomicTx, exportedOutput, parseSharedUtxo } from "./tx.ts";

/** Gas of an atomic transaction since Apricot Phase 5, besides bytes and signatures. */
const INTRINSIC_GAS = 10_000n;
const GAS_PER_SIGNATURE = 1_000n;
const FIXED_FEE_NAVAX = 1_000_000n;
/** aAVAX in a nAVAX */
const NAVAX = 1_000_000_000n;
const MAX_U64 = (1n << 64n) - 1n;

/** What the checks know of the block that holds the transaction. */
export interface AtomicRules {
  readonly network: NetworkInstance;
  readonly timestamp: bigint;
  readonly baseFee: bigint | undefined;
}

const isAfter = ({ network, timestamp }: AtomicRules, upgrade: UpgradeName): boolean => isActive(network, upgrade, timestamp);

/** Everything that follows from the transaction and its block alone. */
export function verifyAtomicTx(tx: AtomicTx, rules: AtomicRules): void {
  const { unsigned } = tx;
  if (unsigned.kind === "ImportTx") verifyImport(unsigned, rules);
  else verifyExport(unsigned, rules);
  verifyFlow(tx, rules);
  const [expected, actual] = [inputsOf(unsigned).length, tx.credentials.length];
  if (expected !== actual) throw new RuleError("credentials", `incorrect number of credentials: (${expected} vs. ${actual})`);
}

/** Whether the owners of what is spent agreed; imports are held against shared memory. */
export function verifyAuthorization(tx: AtomicTx, memory: SharedMemory, context: ExecutionContext): void {
  const { unsigned } = tx;
  if (unsigned.kind === "ImportTx") verifyImportedInputs(tx, unsigned, memory, context);
  else if (context.level === "full") verifyAccounts(tx, unsigned);
}

/** Gas of a transaction: what it pays for, and what the header counts before Helicon. */
export function gasUsed({ unsigned, unsignedBytes }: AtomicTx, rules: AtomicRules): bigint {
  const signatures =
    unsigned.kind === "ExportTx"
      ? unsigned.inputs.length
      : unsigned.importedInputs.reduce((sum, { input }) => sum + input.signatureIndices.length, 0);
  const intrinsic = isAfter(rules, "apricotPhase5") ? INTRINSIC_GAS : 0n;
  return BigInt(unsignedBytes.length) + GAS_PER_SIGNATURE * BigInt(signatures) + intrinsic;
}

function verifyImport(tx: AtomicImport, rules: AtomicRules): void {
  if (tx.importedInputs.length === 0) throw new RuleError("no-import-inputs", "tx has no imported inputs");
  verifyChains(tx, tx.sourceChain, rules);
  if (isAfter(rules, "apricotPhase3") && tx.outputs.length === 0) throw new RuleError("no-outputs", "tx has no EVM outputs");
  for (const output of tx.outputs) verifyAmount(output, rules, "output");
  for (const { assetId, input } of tx.importedInputs) {
    verifyAmount({ assetId, amount: input.amount }, rules, "input");
    if (!ascends(input.signatureIndices, (a, b) => a - b)) {
      throw new RuleError("signer-order", "atomic input failed verification: address indices not sorted and unique");
    }
  }
  const byUtxo = (a: { txId: Id; outputIndex: number }, b: { txId: Id; outputIndex: number }) =>
    compare(a.txId, b.txId) || a.outputIndex - b.outputIndex;
  if (!ascends(tx.importedInputs, byUtxo)) throw new RuleError("input-order", "inputs not sorted and unique");
  if (isAfter(rules, "apricotPhase2")) {
    if (!ascends(tx.outputs, byAccount)) throw new RuleError("output-order", "outputs not sorted and unique");
  } else if (isAfter(rules, "apricotPhase1") && !ascends(tx.outputs, byAccount, { orEqual: true })) {
    throw new RuleError("output-order", "tx outputs not sorted");
  }
}

function verifyExport(tx: AtomicExport, rules: AtomicRules): void {
  if (tx.exportedOutputs.length === 0) throw new RuleError("no-export-outputs", "tx has no export outputs");
  verifyChains(tx, tx.destinationChain, rules);
  for (const input of tx.inputs) verifyAmount(input, rules, "input");
  for (const { assetId, output } of tx.exportedOutputs) {
    verifyAmount({ assetId, amount: output.amount }, rules, "output");
    verifyOwners(output);
    if (assetId !== rules.network.avaxAssetId && tx.destinationChain === PLATFORM_CHAIN_ID) throw wrongChain();
  }
  const encoded = tx.exportedOutputs.map((output) => encodeAll(exportedOutput, output));
  if (!ascends(encoded, Buffer.compare, { orEqual: true })) throw new RuleError("output-order", "tx outputs not sorted");
  if (isAfter(rules, "apricotPhase1") && !ascends(tx.inputs, byAccount)) {
    throw new RuleError("input-order", "inputs not sorted and unique");
  }
}

function verifyChains(tx: AtomicImport | AtomicExport, peer: Id, rules: AtomicRules): void {
  const { networkId, cChainId, xChainId } = rules.network;
  if (tx.networkId !== networkId) throw new RuleError("wrong-network", "tx was issued with a different network ID");
  if (tx.blockchainId !== cChainId) throw wrongChain();
  const isPeer = peer === xChainId || (peer === PLATFORM_CHAIN_ID && isAfter(rules, "apricotPhase5"));
  if (!isPeer) throw wrongChain();
}

function wrongChain(): RuleError {
  return new RuleError("wrong-chain", "tx has wrong chain ID");
}

function verifyAmount({ assetId, amount }: { assetId: Id; amount: bigint }, rules: AtomicRules, what: "input" | "output"): void {
  if (amount === 0n) throw new RuleError("no-value", `${what} has no value`);
  if (assetId === EMPTY_ID) throw new RuleError("empty-asset", "empty asset ID is not valid");
  if (isAfter(rules, "banff") && assetId !== rules.network.avaxAssetId) {
    throw new RuleError("not-avax", `${what} cannot contain non-AVAX in Banff`);
  }
}

function verifyOwners({ threshold, addresses }: { threshold: number; addresses: readonly string[] }): void {
  if (threshold > addresses.length) throw new RuleError("unspendable", "output is unspendable");
  if (threshold === 0 && addresses.length > 0) throw new RuleError("unoptimized", "output representation should be optimized");
  if (!ascends(addresses, compare)) throw new RuleError("address-order", "addresses not sorted and unique");
}

/** Per asset, no more may come out than goes in; of AVAX the fee is missing. */
function verifyFlow(tx: AtomicTx, rules: AtomicRules): void {
  const { unsigned } = tx;
  const isImport = unsigned.kind === "ImportTx";
  const balance = new Map<Id, bigint>([[rules.network.avaxAssetId, -fee(tx, rules)]]);
  const add = (assetId: Id, amount: bigint) => balance.set(assetId, (balance.get(assetId) ?? 0n) + amount);
  const inputs = isImport ? unsigned.importedInputs.map(({ assetId, input }) => ({ assetId, amount: input.amount })) : unsigned.inputs;
  const outputs = isImport ? unsigned.outputs : unsigned.exportedOutputs.map(({ assetId, output }) => ({ assetId, amount: output.amount }));
  for (const { assetId, amount } of inputs) add(assetId, amount);
  for (const { assetId, amount } of outputs) add(assetId, -amount);
  const sum = inputs.reduce((total, { amount }) => total + amount, 0n);
  const name = isImport ? "import" : "export";
  if (sum > MAX_U64) throw new RuleError("overflow", `${name} tx flow check failed due to: overflow`);
  if ([...balance.values()].some((left) => left < 0n)) {
    throw new RuleError("insufficient-funds", `${name} tx flow check failed due to: insufficient funds`);
  }
}

function fee(tx: AtomicTx, rules: AtomicRules): bigint {
  if (isAfter(rules, "apricotPhase3")) {
    if (rules.baseFee === undefined) throw new RuleError("no-base-fee", "cannot calculate dynamic fee with nil baseFee");
    return (gasUsed(tx, rules) * rules.baseFee + NAVAX - 1n) / NAVAX;
  }
  return tx.unsigned.kind === "ExportTx" || isAfter(rules, "apricotPhase2") ? FIXED_FEE_NAVAX : 0n;
}

function verifyImportedInputs(tx: AtomicTx, unsigned: AtomicImport, memory: SharedMemory, context: ExecutionContext): void {
  for (const [i, input] of unsigned.importedInputs.entries()) {
    const key = utxoId(input.txId, input.outputIndex);
    const element = memory.get(unsigned.blockchainId, unsigned.sourceChain, key);
    if (element === undefined) {
      // While trusted blocks are replayed the exporting chain may be behind: the removal leaves a tombstone
      if (context.level === "replay") continue;
      throw new RuleError("missing-utxo", "missing UTXOs: not found", { utxoId: key });
    }
    const utxo = parseSharedUtxo(element.bytes);
    if (utxo.assetId !== input.assetId) throw new RuleError("asset-mismatch", "asset IDs in the input don't match the utxo");
    verifySpend(tx, input, tx.credentials[i]!, utxo, context);
  }
}

function verifyAccounts(tx: AtomicTx, unsigned: AtomicExport): void {
  for (const [i, { address }] of unsigned.inputs.entries()) {
    const { signatures } = tx.credentials[i]!;
    if (signatures.length !== 1) {
      const text = `incorrect number of signatures want 1 signature for EVM Input Credential, but got ${signatures.length}`;
      throw new RuleError("signature-count", text);
    }
    if (signingAccount(tx, signatures[0]!) !== address) {
      throw new RuleError("wrong-account", "signature doesn't match public key");
    }
  }
}

function inputsOf(unsigned: AtomicImport | AtomicExport): readonly unknown[] {
  return unsigned.kind === "ImportTx" ? unsigned.importedInputs : unsigned.inputs;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function byAccount(a: { address: string; assetId: Id }, b: { address: string; assetId: Id }): number {
  return compare(a.address, b.address) || compare(a.assetId, b.assetId);
}

function ascends<T>(values: readonly T[], order: (a: T, b: T) => number, { orEqual = false } = {}): boolean {
  const highest = orEqual ? 0 : -1;
  return values.every((value, i) => i === 0 || order(values[i - 1]!, value) <= highest);
}
