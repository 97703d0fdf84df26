/**
 * Checks atomic transactions as far as no EVM state is needed (chain-formats 9.3), as the C-chain's VM does before Helicon; for later
 * blocks see `saevm.ts`. The block's time decides which rules apply. Balances and nonces are checked by the EVM. Texts are the node's.
 */

import { formatId } from "../../base/bytes/cb58.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import { utxoIdOf } from "../../base/bytes/utxo-id.ts";
import { type ExecutionContext, NotExportedError, RuleError } from "../../network/execution.ts";
import { isActive, type NetworkInstance, type UpgradeName } from "../../network/network.ts";
import type { SharedMemory } from "../shared-memory/shared-memory.ts";
import { areSortedOutputs, ascends, byAccount, byUtxo, verifyInput, verifyOutput } from "./order.ts";
import { signingAccount, verifySpend } from "./spend.ts";
import { type AtomicExport, type AtomicImport, type AtomicTx, parseSharedUtxo } from "./tx.ts";

/** Gas of an atomic transaction since Apricot Phase 5, in addition to bytes and signatures. */
const INTRINSIC_GAS = 10_000n;
const GAS_PER_SIGNATURE = 1_000n;
const FIXED_FEE_NAVAX = 1_000_000n;
/** aAVAX per nAVAX */
const NAVAX = 1_000_000_000n;
const MAX_U64 = (1n << 64n) - 1n;

/** What the checks need to know about the block that holds the transaction. */
export interface AtomicRules {
  readonly network: NetworkInstance;
  readonly timestamp: bigint;
  /** aAVAX per gas */
  readonly baseFee: bigint | undefined;
}

const isAfter = ({ network, timestamp }: AtomicRules, upgrade: UpgradeName): boolean => isActive(network, upgrade, timestamp);

/** Checks everything that follows from the transaction and its block alone. */
export function verifyAtomicTx(tx: AtomicTx, rules: AtomicRules): void {
  const { unsigned } = tx;
  if (unsigned.kind === "ImportTx") verifyImport(unsigned, rules);
  else verifyExport(unsigned, rules);
  verifyFlow(tx, rules);
  const [expected, actual] = [inputsOf(unsigned).length, tx.credentials.length];
  if (expected !== actual) throw new RuleError("credentials", `incorrect number of credentials: (${expected} vs. ${actual})`);
}

/** Checks that the owners of the spent funds signed; imported UTXOs are looked up in shared memory. */
export function verifyAuthorization(tx: AtomicTx, memory: SharedMemory, context: ExecutionContext): void {
  const { unsigned } = tx;
  if (unsigned.kind === "ImportTx") verifyImportedInputs(tx, unsigned, memory, context);
  else if (context.level === "full") verifyAccounts(tx, unsigned);
}

/** The gas that a transaction pays for and, before Helicon, that the header counts. */
export function gasUsed({ unsigned, unsignedBytes }: AtomicTx, rules: AtomicRules): bigint {
  const signatures =
    unsigned.kind === "ExportTx"
      ? unsigned.inputs.length
      : unsigned.importedInputs.reduce((sum, { input }) => sum + input.signatureIndices.length, 0);
  const intrinsic = isAfter(rules, "apricotPhase5") ? INTRINSIC_GAS : 0n;
  return BigInt(unsignedBytes.length) + GAS_PER_SIGNATURE * BigInt(signatures) + intrinsic;
}

/** What the header counts before Helicon. */
export function extraDataGas(txs: readonly AtomicTx[], rules: AtomicRules): bigint {
  return txs.reduce((sum, tx) => sum + gasUsed(tx, rules), 0n);
}

/** The nAVAX that a transaction must burn, rounded up. */
export function atomicFee(tx: AtomicTx, rules: AtomicRules): bigint {
  if (isAfter(rules, "apricotPhase3")) {
    if (rules.baseFee === undefined) throw new RuleError("no-base-fee", "cannot calculate dynamic fee with nil baseFee");
    return (gasUsed(tx, rules) * rules.baseFee + NAVAX - 1n) / NAVAX;
  }
  return tx.unsigned.kind === "ExportTx" || isAfter(rules, "apricotPhase2") ? FIXED_FEE_NAVAX : 0n;
}

interface Amount {
  readonly assetId: Id;
  readonly amount: bigint;
}

/** The amounts that a transaction consumes and produces. */
export function amountsOf(unsigned: AtomicImport | AtomicExport): { inputs: readonly Amount[]; outputs: readonly Amount[] } {
  return unsigned.kind === "ImportTx"
    ? { inputs: unsigned.importedInputs.map(({ assetId, input }) => ({ assetId, amount: input.amount })), outputs: unsigned.outputs }
    : { inputs: unsigned.inputs, outputs: unsigned.exportedOutputs.map(({ assetId, output }) => ({ assetId, amount: output.amount })) };
}

function verifyImport(tx: AtomicImport, rules: AtomicRules): void {
  if (tx.importedInputs.length === 0) throw new RuleError("no-inputs", "tx has no imported inputs");
  verifyOwnChain(tx, rules);
  if (isAfter(rules, "apricotPhase3") && tx.outputs.length === 0) throw new RuleError("no-outputs", "tx has no EVM outputs");
  verifyPeer(tx.sourceChain, rules);
  for (const output of tx.outputs) {
    if (output.amount === 0n) throw new RuleError("no-value", "EVM Output failed verification: output has no value");
    verifyAsset(output, rules, "import output");
  }
  for (const input of tx.importedInputs) {
    within("atomic input failed verification", () => verifyInput(input));
    verifyAsset(input, rules, "import input");
  }
  if (!ascends(tx.importedInputs, byUtxo)) throw new RuleError("input-order", "inputs not sorted and unique");
  if (isAfter(rules, "apricotPhase2")) {
    if (!ascends(tx.outputs, byAccount)) throw new RuleError("output-order", "outputs not sorted and unique");
  } else if (isAfter(rules, "apricotPhase1") && !ascends(tx.outputs, byAccount, { orEqual: true })) {
    throw new RuleError("output-order", "tx outputs not sorted");
  }
}

function verifyExport(tx: AtomicExport, rules: AtomicRules): void {
  if (tx.exportedOutputs.length === 0) throw new RuleError("no-outputs", "tx has no export outputs");
  verifyOwnChain(tx, rules);
  verifyPeer(tx.destinationChain, rules);
  for (const input of tx.inputs) {
    if (input.amount === 0n) throw new RuleError("no-value", "input has no value");
    verifyAsset(input, rules, "export input");
  }
  for (const output of tx.exportedOutputs) {
    verifyOutput(output);
    if (output.assetId !== rules.network.avaxAssetId && tx.destinationChain === PLATFORM_CHAIN_ID) throw wrongChain();
    verifyAsset(output, rules, "export output");
  }
  if (!areSortedOutputs(tx.exportedOutputs)) throw new RuleError("output-order", "tx outputs not sorted");
  if (isAfter(rules, "apricotPhase1") && !ascends(tx.inputs, byAccount)) {
    throw new RuleError("input-order", "inputs not sorted and unique");
  }
}

function verifyOwnChain(tx: AtomicImport | AtomicExport, { network }: AtomicRules): void {
  if (tx.networkId !== network.networkId) throw new RuleError("wrong-network", "tx was issued with a different network ID");
  if (tx.blockchainId !== network.cChainId) throw wrongChain();
}

function verifyPeer(peer: Id, rules: AtomicRules): void {
  const isPeer = peer === rules.network.xChainId || (peer === PLATFORM_CHAIN_ID && isAfter(rules, "apricotPhase5"));
  if (!isPeer) throw wrongChain();
}

function wrongChain(): RuleError {
  return new RuleError("wrong-chain", "tx has wrong chain ID");
}

function verifyAsset({ assetId }: { assetId: Id }, rules: AtomicRules, what: string): void {
  if (isAfter(rules, "banff") && assetId !== rules.network.avaxAssetId) {
    throw new RuleError("not-avax", `${what} cannot contain non-AVAX in Banff`);
  }
}

/** For each asset, the outputs must not exceed the inputs; for AVAX, outputs plus fee must not. */
function verifyFlow(tx: AtomicTx, rules: AtomicRules): void {
  const { inputs, outputs } = amountsOf(tx.unsigned);
  const balance = new Map<Id, bigint>([[rules.network.avaxAssetId, -atomicFee(tx, rules)]]);
  const add = (assetId: Id, amount: bigint) => balance.set(assetId, (balance.get(assetId) ?? 0n) + amount);
  for (const { assetId, amount } of inputs) add(assetId, amount);
  for (const { assetId, amount } of outputs) add(assetId, -amount);
  within(tx.unsigned.kind === "ImportTx" ? "import tx flow check failed due to" : "export tx flow check failed due to", () => {
    const isOverflow = [inputs, outputs].some((side) => side.reduce((sum, { amount }) => sum + amount, 0n) > MAX_U64);
    if (isOverflow) throw new RuleError("overflow", "overflow");
    if ([...balance.values()].some((left) => left < 0n)) throw new RuleError("insufficient-funds", "insufficient funds");
  });
}

function verifyImportedInputs(tx: AtomicTx, unsigned: AtomicImport, memory: SharedMemory, context: ExecutionContext): void {
  for (const [i, input] of unsigned.importedInputs.entries()) {
    const key = utxoIdOf(input);
    const element = memory.get(unsigned.blockchainId, unsigned.sourceChain, key);
    if (element === undefined) {
      // While trusted blocks are replayed, the exporting chain may be behind; the removal then leaves a tombstone
      if (context.level === "replay") continue;
      const { sourceChain } = unsigned;
      const text = `failed to fetch import UTXOs from ${formatId(sourceChain)} due to: not found`;
      throw new NotExportedError("missing-utxo", text, { sourceChain, utxoId: key });
    }
    const utxo = parseSharedUtxo(element.bytes);
    if (utxo.assetId !== input.assetId) throw new RuleError("asset-mismatch", "asset IDs in the input don't match the utxo");
    within("import tx transfer failed verification", () => verifySpend(tx, input, tx.credentials[i]!, utxo, context));
  }
}

function verifyAccounts(tx: AtomicTx, unsigned: AtomicExport): void {
  for (const [i, { address }] of unsigned.inputs.entries()) {
    const { signatures } = tx.credentials[i]!;
    if (signatures.length !== 1) {
      const text = `incorrect number of signatures want 1 signature for EVM Input Credential, but got ${signatures.length}`;
      throw new RuleError("signature-count", text);
    }
    if (signingAccount(tx, signatures[0]!) !== address) throw new RuleError("wrong-account", "signature doesn't match public key");
  }
}

function inputsOf(unsigned: AtomicImport | AtomicExport): readonly unknown[] {
  return unsigned.kind === "ImportTx" ? unsigned.importedInputs : unsigned.inputs;
}

/** Prefixes the message of a broken rule with its place, as the node wraps errors. */
export function within(text: string, verify: () => void): void {
  try {
    verify();
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    throw new RuleError(error.code, `${text}: ${error.message}`, error.facts, { cause: error });
  }
}
