/** `avax.issueTx`. Without an EVM, only the checks that need none are made. */

import { formatId } from "../../../base/bytes/cb58.ts";
import { CodecError } from "../../../base/codec/error.ts";
import { codecErrorText, type TypeNames } from "../../../base/codec/error-text.ts";
import { TextError } from "../../../base/errors/text-error.ts";
import { RuleError } from "../../../network/execution.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { decodeBytes, encoding, string } from "../params.ts";
import { type Dialect, dialectOf } from "./dialect.ts";

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

/** The Go types of the C-chain's atomic codec, as its two VMs name them (chain-formats 9.1). */
function atomicTypeNames(dialect: Dialect): TypeNames {
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

const TEXTS: Readonly<Record<Dialect, { decode: string; parse: string; issue: string }>> = {
  coreth: { decode: "problem decoding transaction: ", parse: "problem parsing transaction: ", issue: "" },
  saevm: { decode: "decoding tx: ", parse: "parsing tx: ", issue: "issuing tx: " },
};

export const issueTx = method({
  name: "avax.issueTx",
  summary:
    "Verifies an atomic transaction, and issues it if this node makes blocks, or passes it to the nodes that it follows. Without an EVM it makes only the checks that need none.",
  cost: "O(inputs + signatures) of at most 256 KiB; on a node that makes no blocks, keys of signatures are recovered in turns",
  computeUnits: 50,
  changesState: true,
  params: { tx: string, encoding },
  async handler({ tx, encoding: as }, context) {
    const dialect = await dialectOf(context);
    const texts = TEXTS[dialect];
    try {
      const bytes = decodeBytes(tx, as);
      return { txID: formatId(await context.beyondState().issueContext.issue(context.chain.chainId, bytes)) };
    } catch (error) {
      if (error instanceof TextError) throw new RpcError(texts.decode + error.message);
      if (error instanceof CodecError) throw new RpcError(texts.parse + codecErrorText(error, atomicTypeNames(dialect)));
      throw error instanceof RuleError ? new RpcError(texts.issue + error.message) : error;
    }
  },
});
