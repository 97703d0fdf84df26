import { formatId } from "../../../base/bytes/cb58.ts";
import { CodecError } from "../../../base/codec/error.ts";
import { codecErrorText, type TypeNames } from "../../../base/codec/error-text.ts";
import { TextError } from "../../../base/errors/text-error.ts";
import { definitions } from "../../../chains/platform/tx/registry.ts";
import { partNames } from "../../../chains/platform/type-ids.ts";
import { RuleError } from "../../../network/execution.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { decodeBytes, type Encoding, encoding, string } from "../params.ts";

/** The node's Go types by type ID. */
const TYPES = new Map([
  ...Object.entries(partNames).map(([typeId, name]) => [Number(typeId), name] as const),
  ...definitions.map(({ typeId, name }) => [typeId, `txs.${name}`] as const),
]);

/** Go interfaces by the last step of the path. All other paths are owners of rewards, subnets and authorities. */
const INTERFACES: Readonly<Record<string, string>> = {
  "": "txs.UnsignedTx",
  output: "avax.TransferableOut",
  input: "avax.TransferableIn",
  signer: "signer.Signer",
  subnetAuthorization: "verify.Verifiable",
  disableAuthorization: "verify.Verifiable",
  auth: "verify.Verifiable",
};

export const platformTypeNames: TypeNames = {
  typeName: (typeId) => TYPES.get(typeId) ?? `type ${typeId}`,
  interfaceName(path) {
    if (/^credentials|^\[\d+\]$/.test(path)) return "verify.Verifiable";
    return INTERFACES[path.slice(path.lastIndexOf(".") + 1)] ?? "fx.Owner";
  },
};

/**
 * A transaction that is already in the mempool succeeds. One that was dropped recently fails with the same error again (rpc-platform 5.20).
 */
export const issueTx = method({
  name: "platform.issueTx",
  summary:
    "Verifies a transaction completely against the current state, and issues it if this node makes blocks, or passes it to the nodes that it follows.",
  cost: "O(inputs + signatures) of at most 256 KiB; on a node that makes no blocks, keys of signatures are recovered in turns",
  computeUnits: 50,
  changesState: true,
  params: { tx: string, encoding },
  async handler({ tx: text, encoding: as }, context) {
    const bytes = bytesOf(text, as);
    try {
      return { txID: formatId(await context.beyondState().issueContext.issue(context.chain.chainId, bytes)) };
    } catch (error) {
      if (error instanceof CodecError)
        throw new RpcError(`couldn't parse tx: couldn't parse tx: ${codecErrorText(error, platformTypeNames)}`);
      throw error instanceof RuleError ? new RpcError(`couldn't issue tx: ${error.message}`) : error;
    }
  },
});

function bytesOf(text: string, as: Encoding): Buffer {
  try {
    return decodeBytes(text, as);
  } catch (error) {
    throw error instanceof TextError ? new RpcError(`problem decoding transaction: ${error.message}`) : error;
  }
}
