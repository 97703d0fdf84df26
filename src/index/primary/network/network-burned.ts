/** AVAX that a transaction burned: what it consumed minus what it produced, staked, exported or added to balances of L1 validators. */

import type { Id } from "../../../base/bytes/id.ts";
import type { SignedTx as AssetTx } from "../../../chains/asset/tx/signed-tx.ts";
import type { AtomicTx } from "../../../chains/atomic/tx.ts";
import { unlockedInput, unlockedOutput } from "../../../chains/platform/output.ts";
import type { UnsignedTx } from "../../../chains/platform/tx/registry.ts";
import { balancesOf, inputsOf, outputsOf } from "../../../chains/platform/tx/value.ts";

export function burnedOnPlatform(tx: UnsignedTx, avaxAssetId: Id): bigint {
  if (!("inputs" in tx)) return 0n;
  const isAvax = ({ assetId }: { readonly assetId: Id }) => assetId === avaxAssetId;
  const inputs = inputsOf(tx).filter(isAvax);
  const outputs = outputsOf(tx).filter(isAvax);
  const consumed = sum(inputs.map(({ input }) => unlockedInput(input).amount));
  return consumed - sum(outputs.map(({ output }) => unlockedOutput(output).amount)) - sum(balancesOf(tx));
}

/** Operations are left out: they mint other assets or move outputs without an amount. */
export function burnedOnAssetChain({ unsigned: tx }: AssetTx, avaxAssetId: Id): bigint {
  const inputs = [...tx.inputs, ...("importedInputs" in tx ? tx.importedInputs : [])];
  const outputs = [...tx.outputs, ...("exportedOutputs" in tx ? tx.exportedOutputs : [])];
  const amount = ({ assetId, body }: { readonly assetId: Id; readonly body: object }) =>
    assetId === avaxAssetId && "amount" in body ? (body.amount as bigint) : 0n;
  const consumed = sum(inputs.map(({ assetId, input }) => amount({ assetId, body: input })));
  return consumed - sum(outputs.map(({ assetId, output }) => amount({ assetId, body: output })));
}

/** Of an atomic transaction on the C-chain. Fees of EVM transactions are not known here. */
export function burnedByAtomicTx({ unsigned: tx }: AtomicTx, avaxAssetId: Id): bigint {
  const isAvax = ({ assetId }: { readonly assetId: Id }) => assetId === avaxAssetId;
  if (tx.kind === "ImportTx") {
    return (
      sum(tx.importedInputs.filter(isAvax).map(({ input }) => input.amount)) - sum(tx.outputs.filter(isAvax).map(({ amount }) => amount))
    );
  }
  return (
    sum(tx.inputs.filter(isAvax).map(({ amount }) => amount)) - sum(tx.exportedOutputs.filter(isAvax).map(({ output }) => output.amount))
  );
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
