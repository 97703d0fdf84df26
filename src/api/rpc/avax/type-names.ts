/** The Go types of the C-chain's atomic codec, as its two VMs name them (chain-formats 9.1). */
import type { TypeNames } from "../../../base/codec/error-text.ts";
import type { Dialect } from "./dialect.ts";

const SHARED_TYPES: Readonly<Record<number, string>> = {
  5: "secp256k1fx.TransferInput",
  7: "secp256k1fx.TransferOutput",
  9: "secp256k1fx.Credential",
  10: "secp256k1fx.Input",
  11: "secp256k1fx.OutputOwners",
};

const DIALECTS: Readonly<Record<Dialect, { types: readonly [string, string]; unsigned: string; credential: string }>> = {
  coreth: {
    types: ["atomic.UnsignedImportTx", "atomic.UnsignedExportTx"],
    unsigned: "atomic.UnsignedAtomicTx",
    credential: "verify.Verifiable",
  },
  saevm: { types: ["tx.Import", "tx.Export"], unsigned: "tx.Unsigned", credential: "tx.Credential" },
};

export function atomicTypeNames(dialect: Dialect): TypeNames {
  const names = DIALECTS[dialect];
  return {
    typeName: (typeId) => names.types[typeId] ?? SHARED_TYPES[typeId] ?? `type ${typeId}`,
    interfaceName(path) {
      if (path.endsWith("output")) return "avax.TransferableOut";
      if (path.endsWith("input")) return "avax.TransferableIn";
      return path.endsWith("]") ? names.credential : names.unsigned;
    },
  };
}
