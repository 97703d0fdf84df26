/** Executes verified transactions, and names the rows that verification and execution read (chain-rules 15.5, 15.6, 16). */

import { utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import { encodeVersioned } from "../../../base/codec/codec.ts";
import type { RowKey } from "../../../base/table/view.ts";
import { sharedElementKeys } from "../../shared-memory/shared-memory.ts";
import type { ChainRules } from "../parts.ts";
import { type AssetState, assetKeys, subnetKeys, utxoKey } from "../state.ts";
import type { Effects } from "./define.ts";
import { type SignedTx, txTypeOf } from "./registry.ts";
import { assetsOf, exportedUtxos, exportOf, importOf, producedHere, spentHere } from "./value.ts";

/** Changes the chain's own rows. The caller applies what it imports and exports. */
export function executeTx(tx: SignedTx, state: AssetState): Effects {
  const { id: txId, unsigned } = tx;
  const consumed = spentHere(unsigned).flatMap((reference) => state.removeUtxo(utxoIdOf(reference)) ?? []);
  const produced = producedHere(tx).map((output, outputIndex) => state.addUtxo({ txId, outputIndex, ...output }));
  const asset = txTypeOf(unsigned).created?.(unsigned);
  if (asset !== undefined) state.addAsset(txId, asset);
  const imports = importOf(unsigned);
  const exports = exportOf(unsigned);
  const elements = exportedUtxos(tx).map((utxo) => ({
    key: utxoIdOf(utxo),
    bytes: encodeVersioned(state.codec.utxo, utxo),
    traits: utxo.output.addresses,
  }));
  return {
    consumed,
    produced,
    imported: imports ? [{ source: imports.sourceChain, keys: imports.importedInputs.map(utxoIdOf) }] : [],
    exported: exports ? [{ destination: exports.destinationChain, elements }] : [],
  };
}

export function keysRead(tx: SignedTx, rules: ChainRules): RowKey[] {
  const { chain, chainId } = rules;
  const [imports, exports] = [importOf(tx.unsigned), exportOf(tx.unsigned)];
  const keys = spentHere(tx.unsigned).map((reference) => utxoKey(chain, utxoIdOf(reference)));
  for (const assetId of assetsOf(tx.unsigned)) keys.push(...assetKeys(rules, assetId));
  if (imports !== undefined) {
    keys.push(...sharedElementKeys(chainId, imports.sourceChain, imports.importedInputs.map(utxoIdOf)));
    keys.push(...subnetKeys(imports.sourceChain, chainId));
  }
  if (exports !== undefined) {
    keys.push(...sharedElementKeys(exports.destinationChain, chainId, exportedUtxos(tx).map(utxoIdOf)));
    keys.push(...subnetKeys(exports.destinationChain, chainId));
  }
  return keys;
}
