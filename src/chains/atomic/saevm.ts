/**
 * Checks atomic transactions as the C-chain's VM does since Helicon, with its texts. Nearly the same transactions are legal as in
 * `verify.ts`, but the order of the checks and every text differ.
 */

import { formatId } from "../../base/bytes/cb58.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import { RuleError } from "../../network/execution.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { areSortedOutputs, ascends, byAccount, byUtxo, verifyInput, verifyOutput } from "./order.ts";
import type { AtomicExport, AtomicImport, AtomicTx } from "./tx.ts";
import { type AtomicRules, amountsOf, atomicFee, within } from "./verify.ts";

const MAX_U64 = (1n << 64n) - 1n;

/** Checks a transaction by itself, without state. */
export function checkSanity({ unsigned }: AtomicTx, network: NetworkInstance): void {
  verifyChains(unsigned, network);
  const { inputs, outputs } = amountsOf(unsigned);
  if (inputs.length === 0) throw new RuleError("no-inputs", "no inputs");
  if (outputs.length === 0) throw new RuleError("no-outputs", "no outputs");
  if (unsigned.kind === "ImportTx") verifyImport(unsigned, network);
  else verifyExport(unsigned, network);
  const sum = (side: readonly { amount: bigint }[]) => side.reduce((total, { amount }) => total + amount, 0n);
  if (sum(inputs) > MAX_U64 || sum(outputs) > MAX_U64) throw new RuleError("overflow", "flow check failed: overflow");
  if (sum(inputs) < sum(outputs)) throw new RuleError("insufficient-funds", "flow check failed: insufficient funds");
  verifyOrder(unsigned);
}

/** In a block every transaction must pay at least the block's gas price. */
export function verifySaevmTx(tx: AtomicTx, rules: AtomicRules): void {
  within("sanity check", () => checkSanity(tx, rules.network));
  const { inputs, outputs } = amountsOf(tx.unsigned);
  const burned = inputs.reduce((sum, { amount }) => sum + amount, 0n) - outputs.reduce((sum, { amount }) => sum + amount, 0n);
  const fee = atomicFee(tx, rules);
  if (burned < fee) throw new RuleError("insufficient-fee", `transaction burns ${burned} nAVAX, needs ${fee}`);
  verifyCredentialCount(tx);
}

export function verifyCredentialCount({ unsigned, credentials }: AtomicTx): void {
  const expected = amountsOf(unsigned).inputs.length;
  if (credentials.length === expected) return;
  throw new RuleError("credentials", `incorrect number of credentials: want ${expected}, got ${credentials.length}`);
}

function verifyChains(tx: AtomicImport | AtomicExport, { networkId, cChainId, xChainId }: NetworkInstance): void {
  if (tx.networkId !== networkId) throw new RuleError("wrong-network", `wrong network ID: want ${networkId}, got ${tx.networkId}`);
  if (tx.blockchainId !== cChainId) throw new RuleError("wrong-chain", `wrong chain ID: ${wantAndGot([cChainId], tx.blockchainId)}`);
  const peer = tx.kind === "ImportTx" ? tx.sourceChain : tx.destinationChain;
  if (peer !== PLATFORM_CHAIN_ID && peer !== xChainId) {
    throw new RuleError("wrong-peer", `not same subnet: ${wantAndGot([PLATFORM_CHAIN_ID, xChainId], peer)}`);
  }
}

function verifyImport(tx: AtomicImport, network: NetworkInstance): void {
  for (const [i, input] of tx.importedInputs.entries()) {
    within(`invalid input (${i})`, () => verifyInput(input));
    verifyAsset(input, network, `input contains non-AVAX (${i})`);
  }
  for (const [i, output] of tx.outputs.entries()) {
    if (output.amount === 0n) throw new RuleError("no-value", `invalid output (${i}): zero amount`);
    verifyAsset(output, network, `output contains non-AVAX (${i})`);
  }
}

function verifyExport(tx: AtomicExport, network: NetworkInstance): void {
  for (const [i, input] of tx.inputs.entries()) {
    if (input.amount === 0n) throw new RuleError("no-value", `invalid input (${i}): zero amount`);
    verifyAsset(input, network, `input contains non-AVAX (${i})`);
  }
  for (const [i, output] of tx.exportedOutputs.entries()) {
    within(`invalid output (${i})`, () => verifyOutput(output));
    verifyAsset(output, network, `output contains non-AVAX (${i})`);
  }
}

function verifyAsset({ assetId }: { assetId: Id }, { avaxAssetId }: NetworkInstance, what: string): void {
  if (assetId !== avaxAssetId) throw new RuleError("not-avax", `${what}: ${wantAndGot([avaxAssetId], assetId)}`);
}

function verifyOrder(tx: AtomicImport | AtomicExport): void {
  const areInputsSorted = tx.kind === "ImportTx" ? ascends(tx.importedInputs, byUtxo) : ascends(tx.inputs, byAccount);
  if (!areInputsSorted) throw new RuleError("input-order", "inputs not sorted and unique");
  if (tx.kind === "ImportTx") {
    if (!ascends(tx.outputs, byAccount)) throw new RuleError("output-order", "outputs not sorted and unique");
  } else if (!areSortedOutputs(tx.exportedOutputs)) throw new RuleError("output-order", "outputs not sorted");
}

function wantAndGot(wanted: readonly Id[], actual: Id): string {
  return `want ${wanted.map(formatId).join(" or ")}, got ${formatId(actual)}`;
}
