/** The P-chain's type IDs, which share one number space (chain-formats 6.1). */

/** Parts of transactions with the node's names. Block IDs are defined in `block.ts`, transaction IDs in their definitions. */
export const partNames: Readonly<Record<number, string>> = {
  5: "secp256k1fx.TransferInput",
  7: "secp256k1fx.TransferOutput",
  9: "secp256k1fx.Credential",
  10: "secp256k1fx.Input",
  11: "secp256k1fx.OutputOwners",
  21: "stakeable.LockIn",
  22: "stakeable.LockOut",
  27: "signer.Empty",
  28: "signer.ProofOfPossession",
};

const known = new Map(Object.entries(partNames).map(([typeId, name]) => [Number(typeId), name]));
const typeIds = new Set(known.keys());

/** All types that a transaction's codec accepts: everything but blocks. Transactions are added when their definitions are loaded. */
export const txTypeIds: ReadonlySet<number> = typeIds;

export function registerTxType(typeId: number, name: string): void {
  const other = known.get(typeId);
  if (other !== undefined) throw new TypeError(`${name} and ${other} have the same type ID ${typeId}`);
  known.set(typeId, name);
  typeIds.add(typeId);
}
