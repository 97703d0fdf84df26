/** AVAX that a transaction burned: what it consumed and neither produced, staked, exported nor put on balances of L1 validators. */
import type { SignedTx as AssetTx } from "../../asset/tx/signed-tx.ts";
import type { AtomicTx } from "../../atomic/tx.ts";
import { unlockedInput, unlockedOutput } from "../../platform/output.ts";
import type { UnsignedTx } from "../../platform/tx/registry.ts";
import type { Id } from "../../primitives/id.ts";

export function burnedOnPlatform(tx: UnsignedTx, avaxAssetId: Id): bigint {
  if (!("inputs" in tx)) return 0n;
  const isAvax = ({ assetId }: { readonly assetId: Id }) => assetId === avaxAssetId;
  const inputs = [...tx.inputs, ...("importedInputs" in tx ? tx.importedInputs : [])].filter(isAvax);
  const outputs = [...tx.outputs, ...("stake" in tx ? tx.stake : []), ...("exportedOutputs" in tx ? tx.exportedOutputs : [])].filter(
    isAvax,
  );
  const consumed = sum(inputs.map(({ input }) => unlockedInput(input).amount));
  return consumed - sum(outputs.map(({ output }) => unlockedOutput(output).amount)) - sum(l1BalancesOf(tx));
}

function l1BalancesOf(tx: UnsignedTx): bigint[] {
  if (tx.kind === "ConvertSubnetToL1Tx") return tx.validators.map(({ balance }) => balance);
  return "balance" in tx ? [tx.balance] : [];
}

/** Operations mint other assets and move what has no amount. */
export function burnedOnAssetChain({ unsigned: tx }: AssetTx, avaxAssetId: Id): bigint {
  const inputs = [...tx.inputs, ...("importedInputs" in tx ? tx.importedInputs : [])];
  const outputs = [...tx.outputs, ...("exportedOutputs" in tx ? tx.exportedOutputs : [])];
  const amount = ({ assetId, body }: { readonly assetId: Id; readonly body: object }) =>
    assetId === avaxAssetId && "amount" in body ? (body.amount as bigint) : 0n;
  const consumed = sum(inputs.map(({ assetId, input }) => amount({ assetId, body: input })));
  return consumed - sum(outputs.map(({ assetId, output }) => amount({ assetId, body: output })));
}

/** Of an atomic transaction on the C-chain: fees of EVM transactions are not among what is known. */
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
